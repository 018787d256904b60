import { compiled } from './compiler.js'

/*
 * The arithmetic of the tables of keys, compiled for tests as the build compiles it: what verification itself does not
 * export. Vectors cannot come from JavaScript, so the masks of `join` are given as numbers.
 */

const ENTRY = `
import { isValue, join } from './limbs'
export { scale, subtract, subtractTwiceAndWide, subtractWide } from './field-linear'
export { invert, multiply, square } from './field'
export { canonical, pack } from './limbs'
export {
  invert as invertScalar, isScalar, multiply as multiplyScalars, negate, readBytes, reduceOnce, toMontgomery,
} from './order'

const SPACE = memory.data(1024)

export function space(): usize {
  return SPACE
}

export function isZero(element: usize, lane: usize): bool {
  return isValue(element, lane, 0)
}

export function joinNegated(to: usize, a: usize, b: usize, first: i32, second: i32): void {
  join(to, a, b, i32x4.replace_lane(i32x4.splat(first), 1, second))
}
`

type Binary = (to: number, a: number, b: number) => void
type Unary = (to: number, a: number) => void

/** Everything is given by its address. */
interface Exports {
  readonly memory: WebAssembly.Memory
  space(): number
  readonly multiply: Binary
  readonly square: Unary
  readonly subtract: Binary
  readonly subtractWide: Binary
  readonly invert: Unary
  readonly pack: Unary
  readonly multiplyScalars: Binary
  readonly toMontgomery: Unary
  readonly invertScalar: Unary
  readonly readBytes: Unary
  subtractTwiceAndWide(to: number, a: number, b: number, c: number): void
  scale(to: number, a: number, factor: number): void
  joinNegated(to: number, a: number, b: number, first: number, second: number): void
  canonical(element: number, lane: number): number
  isZero(element: number, lane: number): number
  reduceOnce(a: number): void
  isScalar(from: number): number
  negate(a: number): void
}

/** Nine limbs of 29 bits, the least first; of a loose or wide number they may be larger. */
export type Limbs = readonly number[]

const LIMBS = 9
const LIMB_BITS = 29
const BYTES = 128

export function limbsOf(value: bigint): Limbs {
  return Array.from({ length: LIMBS }, (_, i) => {
    const rest = value >> BigInt(LIMB_BITS * i)
    return Number(i < LIMBS - 1 ? BigInt.asUintN(LIMB_BITS, rest) : rest)
  })
}

export function numberOf(limbs: Limbs): bigint {
  return limbs.reduce((sum, limb, i) => sum + (BigInt(limb) << BigInt(LIMB_BITS * i)), 0n)
}

/** The compiled functions, and eight places in their memory, numbered from 0, for what they are given. */
export class Arithmetic {
  readonly exports: Exports
  readonly #view: DataView

  constructor(code: Uint8Array) {
    this.exports = new WebAssembly.Instance(new WebAssembly.Module(code)).exports as unknown as Exports
    this.#view = new DataView(this.exports.memory.buffer)
  }

  at(place: number): number {
    return this.exports.space() + place * BYTES
  }

  putElement(place: number, lanes: readonly [Limbs, Limbs]): number {
    for (const [lane, limbs] of lanes.entries()) {
      for (const [i, limb] of limbs.entries()) this.#view.setUint32(this.at(place) + 8 * i + 4 * lane, limb, true)
    }
    return this.at(place)
  }

  element(place: number): [Limbs, Limbs] {
    const lane = (number: number) =>
      Array.from({ length: LIMBS }, (_, i) => this.#view.getUint32(this.at(place) + 8 * i + 4 * number, true))
    return [lane(0), lane(1)]
  }

  putNumber(place: number, limbs: Limbs): number {
    for (const [i, limb] of limbs.entries()) this.#view.setUint32(this.at(place) + 4 * i, limb, true)
    return this.at(place)
  }

  number(address: number): Limbs {
    return Array.from({ length: LIMBS }, (_, i) => this.#view.getUint32(address + 4 * i, true))
  }

  bytes(place: number, length: number): Buffer {
    return Buffer.from(this.exports.memory.buffer, this.at(place), length)
  }
}

/** Compiles with the options of the package. */
export async function compileArithmetic(): Promise<Arithmetic> {
  return new Arithmetic(await compiled(ENTRY))
}
