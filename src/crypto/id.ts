/**
 * Identifiers and secrets. Invoices and deliveries have UUIDv7 (RFC 9562, 5.7) without dashes, so that lists and storage stay in
 * order of time; API keys have 16 random hex characters.
 *
 * ```
 *  48 bits   4    12 bits          2    30 bits         32 bits
 * ┌─────────┬───┬────────────────┬────┬───────────────┬──────────────┐
 * │ Unix ms │ 7 │ counter, high  │ 10 │ counter, low  │ random       │
 * └─────────┴───┴────────────────┴────┴───────────────┴──────────────┘
 * ```
 *
 * The counter is RFC 9562, 6.2, method 1: random at a new millisecond, with its top bit clear as room to count, and
 * one more for each further id of that millisecond. The time in an id is always the time it was made for: the store
 * finds invoices by their time of creation through it. So when the clock is set back, ids go back with it, and the
 * random parts keep them unique.
 */

import { randomFillSync } from 'node:crypto'

/** Fills all of `target` with unpredictable bytes. It is passed in, so that tests own it. */
export type RandomFill = (target: Uint8Array) => void

/** Bytes of an id. */
const ID_BYTES = 16

const TIME_BYTES = 6
const COUNTER_HIGH_AT = TIME_BYTES
const COUNTER_LOW_AT = 8
const RANDOM_AT = 12
const RANDOM_BYTES = ID_BYTES - RANDOM_AT
const COUNTER_LOW_RANGE = 2 ** 30
const COUNTER_RANGE = 2 ** 42
/** A new millisecond begins in the lower half of the range, which leaves 2⁴¹ ids in it. */
const COUNTER_SEED_RANGE = COUNTER_RANGE / 2
const SEED_BYTES = 6
const TIME_RANGE_MS = 2 ** 48
const VERSION_7 = 0x7000
const VARIANT_RFC_9562 = 0x80000000
const KEY_ID_BYTES = 8
const SECRET_BYTES = 32
const POOL_BYTES = 8192

export class IdGenerator {
  private latestMs = -1
  private counter = 0
  private readonly seed = Buffer.alloc(SEED_BYTES)

  constructor(private readonly random: RandomFill) {}

  /**
   * A new id whose time is `nowMs`, greater than every one before as long as the clock does not step back. Throws a
   * RangeError when `nowMs` is not a time of UUIDv7.
   */
  next(nowMs: number): Buffer {
    if (!Number.isSafeInteger(nowMs) || nowMs < 0 || nowMs >= TIME_RANGE_MS) {
      throw new RangeError(`${nowMs} is not a time in milliseconds`)
    }
    if (nowMs !== this.latestMs) this.startMillisecond(nowMs)
    // 2⁴¹ ids in one millisecond would be needed to exhaust the counter.
    else this.counter += 1
    const id = Buffer.allocUnsafe(ID_BYTES)
    id.writeUIntBE(this.latestMs, 0, TIME_BYTES)
    id.writeUInt16BE(VERSION_7 + Math.floor(this.counter / COUNTER_LOW_RANGE), COUNTER_HIGH_AT)
    id.writeUInt32BE(VARIANT_RFC_9562 + (this.counter % COUNTER_LOW_RANGE), COUNTER_LOW_AT)
    this.random(id.subarray(RANDOM_AT, RANDOM_AT + RANDOM_BYTES))
    return id
  }

  private startMillisecond(ms: number): void {
    this.random(this.seed)
    this.latestMs = ms
    this.counter = this.seed.readUIntBE(0, SEED_BYTES) % COUNTER_SEED_RANGE
  }
}

/** A new id of an API key: 16 lower-case hex characters. */
export function randomKeyId(random: RandomFill = randomFillSync): string {
  return randomHex(KEY_ID_BYTES, random)
}

/** A new webhook secret: 64 lower-case hex characters of 256 unpredictable bits. */
export function randomSecretHex(random: RandomFill = randomFillSync): string {
  return randomHex(SECRET_BYTES, random)
}

function randomHex(length: number, random: RandomFill): string {
  const bytes = Buffer.alloc(length)
  random(bytes)
  return bytes.toString('hex')
}

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
