import { modulo } from './chosen-signature.js'
import { ORDER } from './signing.js'

/*
 * How a verification with tables adds its points, written down once more: 24 rows of the generator's table, of width
 * 11, and 37 of the key's, of width 7, whose points are added in halves.
 */

export const G_WIDTH = 11
export const KEY_WIDTH = 7
export const G_ROWS = 24
export const SUMMANDS = G_ROWS + 37

/** What a summand or a sum is: g G + p P. */
export interface Multiples {
  readonly g: bigint
  readonly p: bigint
}

/** The odd digits of u, or of n - u when u is even, with their signs. */
export function digitsOf(u: bigint, width: number): bigint[] {
  const isEven = u % 2n === 0n
  const odd = isEven ? ORDER - u : u
  const rows = Math.ceil(256 / width)
  return Array.from({ length: rows }, (_, row) => {
    const rest = (odd >> BigInt(row * width)) | 1n
    const digit = row === rows - 1 ? rest : (rest % 2n ** BigInt(width + 1)) - 2n ** BigInt(width)
    return isEven ? -digit : digit
  })
}

export function summandsOf(u1: bigint, u2: bigint): Multiples[] {
  const weighed = (digit: bigint, row: number, width: number) => modulo(digit << BigInt(row * width))
  return [
    ...digitsOf(u1, G_WIDTH).map((digit, row) => ({ g: weighed(digit, row, G_WIDTH), p: 0n })),
    ...digitsOf(u2, KEY_WIDTH).map((digit, row) => ({ g: 0n, p: weighed(digit, row, KEY_WIDTH) })),
  ]
}

/** The two sides of each of the sixty additions, round by round. */
export function additionsOf(u1: bigint, u2: bigint): [Multiples, Multiples][] {
  const additions: [Multiples, Multiples][] = []
  let points = summandsOf(u1, u2)
  while (points.length > 1) {
    const kept = Math.ceil(points.length / 2)
    const sums = points.slice(kept).map((second, i): Multiples => {
      const first = points[i] ?? second
      additions.push([first, second])
      return { g: modulo(first.g + second.g), p: modulo(first.p + second.p) }
    })
    points = [...sums, ...points.slice(sums.length, kept)]
  }
  return additions
}
