import { createHash } from 'node:crypto'

/** Sequences of 256 bits that look random, the same in every run. */
export function dice(seed: string): () => bigint {
  let thrown = 0
  return () => BigInt(`0x${createHash('sha256').update(`${seed} ${thrown++}`).digest('hex')}`)
}
