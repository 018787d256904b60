/*
 * Vectors of AssemblyScript that hold bounds instead of numbers, for proofs about the source of key tables. A value is a
 * sum of multiples of unknowns, each from 0 to a known maximum, so that 2^15 x - 2^11 x is known not to be negative. Both
 * lanes have the same bounds. Every operation checks that no number within the bounds overflows its lane.
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

/** Limbs and constants by their address. */
export const memoryBounds = new Map<number, Bounded>()
/** The arrays that the source has in memory. */
export const arrays: (readonly number[])[] = []
let end = 0

function lanes(bits: bigint, name: string) {
  return {
    splat: (value: number) => Bounded.constant(BigInt(value)),
    add: (a: Bounded, b: Bounded) => a.plus(b, 1n).within(bits, `${name}.add`),
    sub: (a: Bounded, b: Bounded) => a.plus(b, -1n).within(bits, `${name}.sub`),
    mul: (a: Bounded, b: Bounded) => a.times(b.max).within(bits, `${name}.mul`),
    shr_u: (a: Bounded, by: number) => Bounded.upTo(a.max >> BigInt(by)),
  }
}

function bitsOf(value: bigint): number {
  return value.toString(2).length
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
    load: () => Bounded.upTo((1n << WORD) - 1n),
    load64_zero(address: number, offset = 0): Bounded {
      const limb = memoryBounds.get(address + offset)
      if (limb === undefined) throw new Error(`nothing is known of address ${address + offset}`)
      return limb
    },
    store64_lane: (address: number, value: Bounded) => {
      memoryBounds.set(address, value.within(WORD, 'a stored limb'))
    },
    and: (a: Bounded, mask: Bounded) => Bounded.lesser(a, mask),
    or: (a: Bounded, b: Bounded) => Bounded.upTo((1n << BigInt(Math.max(bitsOf(a.max), bitsOf(b.max)))) - 1n),
    bitselect: (a: Bounded, b: Bounded) => Bounded.larger(a, b),
  },
  i8x16: {
    // Bytes are only moved in words of four.
    shuffle: (a: Bounded, b: Bounded) =>
      Bounded.larger(a.within(WORD, 'i8x16.shuffle'), b.within(WORD, 'i8x16.shuffle')),
  },
  i32x4: {
    ...lanes(WORD, 'i32x4'),
    // What is cut off the top of a word is in the limb above.
    shl(a: Bounded, by: number): Bounded {
      const shifted = a.times(1n << BigInt(by))
      return shifted.max < 1n << WORD ? shifted : Bounded.upTo((1n << WORD) - 1n)
    },
  },
  i64x2: {
    ...lanes(COLUMN, 'i64x2'),
    shl: (a: Bounded, by: number) => a.times(1n << BigInt(by)).within(COLUMN, 'i64x2.shl'),
    extmul_low_i32x4_u: (a: Bounded, b: Bounded) =>
      Bounded.upTo(a.within(WORD, 'a factor').max * b.within(WORD, 'a factor').max).within(COLUMN, 'a product'),
  },
}
