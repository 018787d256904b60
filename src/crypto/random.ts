/** Randomness as a value to be passed in, so that tests own it. */

import { randomFillSync } from 'node:crypto'

/** Fills all of `target` with unpredictable bytes. */
export type RandomFill = (target: Uint8Array) => void

const POOL_BYTES = 8192

/** The operating system's generator, asked once for many ids: a call for 16 bytes costs nearly as much as one for 8 KiB. */
export function createPooledRandom(fill: RandomFill = randomFillSync, poolBytes = POOL_BYTES): RandomFill {
  const pool = Buffer.alloc(poolBytes)
  let used = poolBytes
  return (target) => {
    if (target.length > poolBytes) {
      fill(target)
      return
    }
    if (used + target.length > poolBytes) {
      fill(pool)
      used = 0
    }
    const end = used + target.length
    pool.copy(target, 0, used, end)
    // What has been given out must not be found in memory later.
    pool.fill(0, used, end)
    used = end
  }
}
