/*
 * Vectors of AssemblyScript that hold bounds instead of numbers, for proofs about the source of key tables. A value is a
 * sum of multiples of unknowns, each from 0 to a known maximum, so that 2^15 x - 2^11 x is known not to be negative. A
 * vector is two halves: neighbouring limbs, whose two lanes have the same bounds, or the two lanes of a column, whose halves
 * have the same bounds. Every operation checks that no number within the bounds overflows its lane.
 */

const WORD = 32n
const COLUMN = 64n

/** Unknowns by number, each with its maximum and its factor, and what is added to them. */
export class Bounded {
  private static unknowns = 0

  private constructor(
    private readonly terms: ReadonlyMap<number, { readonly max: bigint; readonly factor: bigint }>,
    private readonly constant: bigint,
  ) {}

  static constant(value: bigint): Bounded {
    return new Bounded(new Map(), value)
  }

  static upTo(max: bigint): Bounded {
    Bounded.unknowns += 1
    return new Bounded(new Map([[Bounded.unknowns, { max, factor: 1n }]]), 0n)
  }

  /** What has no more than both. */
  static lesser(a: Bounded, b: Bounded): Bounded {
    return a.max < b.max ? Bounded.upTo(a.max) : Bounded.upTo(b.max)
  }

  /** Either of two. */
  static larger(a: Bounded, b: Bounded): Bounded {
    return a.max < b.max ? Bounded.upTo(b.max) : Bounded.upTo(a.max)
  }

  get min(): bigint {
    return this.sumOf((factor) => factor < 0n)
  }

  get max(): bigint {
    return this.sumOf((factor) => factor > 0n)
  }

  plus(other: Bounded, factor: bigint): Bounded {
    const terms = new Map(this.terms)
    for (const [unknown, term] of other.terms) {
      const sum = (terms.get(unknown)?.factor ?? 0n) + factor * term.factor
      terms.set(unknown, { max: term.max, factor: sum })
    }
    return new Bounded(terms, this.constant + factor * other.constant)
  }

  times(factor: bigint): Bounded {
    return Bounded.constant(0n).plus(this, factor)
  }

  /** Throws unless it fits a lane of so many bits. */
  within(bits: bigint, operation: string): this {
    if (this.min < 0n) throw new RangeError(`${operation} may be ${this.min}`)
    if (this.max >= 1n << bits) throw new RangeError(`${operation} may be ${this.max}, beyond ${bits} bits`)
    return this
  }

  private sumOf(counts: (factor: bigint) => boolean): bigint {
    let sum = this.constant
    for (const { max, factor } of this.terms.values()) if (counts(factor)) sum += max * factor
    return sum
  }
}

export type Vector = readonly [Bounded, Bounded]

/** Limbs and constants by their address. */
export const memoryBounds = new Map<number, Bounded>()
/** The arrays that the source has in memory. */
export const arrays: (readonly number[])[] = []
let end = 0

function limbAt(address: number): Bounded {
  const limb = memoryBounds.get(address)
  if (limb === undefined) throw new Error(`nothing is known of address ${address}`)
  return limb
}

function storeLimb(address: number, value: Bounded): void {
  memoryBounds.set(address, value.within(WORD, 'a stored limb'))
}

function eachHalf(operate: (value: Bounded) => Bounded): (a: Vector) => Vector {
  return ([first, second]) => [operate(first), operate(second)]
}

function halfByHalf(operate: (a: Bounded, b: Bounded) => Bounded): (a: Vector, b: Vector) => Vector {
  return (a, b) => [operate(a[0], b[0]), operate(a[1], b[1])]
}

function lanes(bits: bigint, name: string) {
  return {
    splat: (value: number) => constantVector(BigInt(value)),
    add: halfByHalf((a, b) => a.plus(b, 1n).within(bits, `${name}.add`)),
    sub: halfByHalf((a, b) => a.plus(b, -1n).within(bits, `${name}.sub`)),
    mul: halfByHalf((a, b) => a.times(b.max).within(bits, `${name}.mul`)),
    shr_u: (a: Vector, by: number) => eachHalf((half) => Bounded.upTo(half.max >> BigInt(by)))(a),
  }
}

export function constantVector(value: bigint): Vector {
  return [Bounded.constant(value), Bounded.constant(value)]
}

function bitsOf(value: bigint): number {
  return value.toString(2).length
}

/** The halves of `a` and `b`, numbered from 0 to 3, from which the bytes of one half come. */
function moved(a: Vector, b: Vector, bytes: readonly number[]): Bounded {
  const halves = [...a, ...b]
  const sources = [...new Set(bytes.map((byte) => byte >> 3))].map((half) => halves[half] ?? Bounded.constant(0n))
  return sources.reduce(Bounded.larger).within(WORD, 'i8x16.shuffle')
}

/** What stands for the built-in functions of AssemblyScript. */
export const builtins = {
  inline: () => {},
  memory: {
    data(what: number | readonly number[]): number {
      const address = end
      end += typeof what === 'number' ? what : 4 * what.length
      if (typeof what !== 'number') {
        arrays.push(what)
        // As limbs of an element, a constant stands in both lanes.
        for (let i = 0; i < what.length; i += 2)
          memoryBounds.set(address + 4 * i, Bounded.constant(BigInt(what[i] ?? 0)))
      }
      return address
    },
  },
  v128: {
    load: (address: number, offset = 0): Vector => [limbAt(address + offset), limbAt(address + offset + 8)],
    load64_zero: (address: number, offset = 0): Vector => [limbAt(address + offset), Bounded.constant(0n)],
    store(address: number, [first, second]: Vector, offset = 0): void {
      storeLimb(address + offset, first)
      storeLimb(address + offset + 8, second)
    },
    store64_lane: (address: number, [first]: Vector, _lane: number, offset = 0) => storeLimb(address + offset, first),
    and: halfByHalf(Bounded.lesser),
    or: halfByHalf((a, b) => Bounded.upTo((1n << BigInt(Math.max(bitsOf(a.max), bitsOf(b.max)))) - 1n)),
    bitselect: halfByHalf(Bounded.larger),
  },
  i8x16: {
    // Bytes are only moved in words of four.
    shuffle: (a: Vector, b: Vector, ...bytes: readonly number[]): Vector => [
      moved(a, b, bytes.slice(0, 8)),
      moved(a, b, bytes.slice(8)),
    ],
  },
  i32x4: {
    ...lanes(WORD, 'i32x4'),
    // What is cut off the top of a word is in the limb above.
    shl: (a: Vector, by: number) =>
      eachHalf((half) => {
        const shifted = half.times(1n << BigInt(by))
        return shifted.max < 1n << WORD ? shifted : Bounded.upTo((1n << WORD) - 1n)
      })(a),
  },
  i64x2: {
    ...lanes(COLUMN, 'i64x2'),
    shl: (a: Vector, by: number) => eachHalf((half) => half.times(1n << BigInt(by)).within(COLUMN, 'i64x2.shl'))(a),
    extmul_low_i32x4_u([a]: Vector, [b]: Vector): Vector {
      const product = a.within(WORD, 'a factor').max * b.within(WORD, 'a factor').max
      const bounded = Bounded.upTo(product).within(COLUMN, 'a product')
      return [bounded, bounded]
    },
  },
}
