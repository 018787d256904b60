import { randomInt } from 'node:crypto'

/*
 * Compares the rows of an index with the rows that its records call for, without keeping either: each row called for is
 * added to one of many sums, each row found is subtracted from it, and what is left over lies in a sum that is not zero.
 */

/** Sums of a balance. Their number decides only how closely an uneven one points at its rows. */
const SUMS = 0x1_0000
const SUM_MASK = SUMS - 1

const SEED_RANGE = 0x1_0000_0000
const FNV_PRIME = 0x0100_0193
const OTHER_PRIME = 0x01ab_5b8f
/** Stands between the key and the value, so that no byte can move from one to the other unseen. */
const SEPARATOR = 0x1ff

// Random, so that no two rows cancel out in every run.
const FIRST_SEED = randomInt(SEED_RANGE)
const SECOND_SEED = randomInt(SEED_RANGE)

/** The sums of one table. */
export class Balance {
  private readonly sums = new Int32Array(SUMS)

  add(key: Uint8Array, value: Uint8Array, count: number): void {
    const sum = hash(key, value, FIRST_SEED, FNV_PRIME) & SUM_MASK
    const weight = hash(key, value, SECOND_SEED, OTHER_PRIME) | 1
    this.sums[sum] = ((this.sums[sum] ?? 0) + Math.imul(weight, count)) | 0
  }

  /** The sums that are not zero. */
  uneven(): ReadonlySet<number> {
    const found = new Set<number>()
    for (let sum = 0; sum < SUMS; sum += 1) if (this.sums[sum] !== 0) found.add(sum)
    return found
  }
}

/** The sum that a row counts in. */
export function sumOf(key: Uint8Array, value: Uint8Array): number {
  return hash(key, value, FIRST_SEED, FNV_PRIME) & SUM_MASK
}

/** FNV-1a, with the mixing of murmur3 at its end. */
function hash(key: Uint8Array, value: Uint8Array, seed: number, prime: number): number {
  let state = seed
  for (let i = 0; i < key.length; i += 1) state = Math.imul(state ^ (key[i] ?? 0), prime)
  state = Math.imul(state ^ SEPARATOR, prime)
  for (let i = 0; i < value.length; i += 1) state = Math.imul(state ^ (value[i] ?? 0), prime)
  state = Math.imul(state ^ (state >>> 16), 0x85eb_ca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2_ae35)
  return state ^ (state >>> 16)
}
