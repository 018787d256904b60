import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  ASKED_MARGIN_MS,
  ASKED_PAUSE_MAX_MS,
  CALLS_PER_SECOND_MIN,
  PAUSES_MS,
  Pace,
  PUNISHED_PROBE_AFTER_MS,
  UNLIMITED_AFTER_MS,
} from '../../../src/networks/node/pace.js'
import { Random } from '../../simulation/random.js'

const SECOND = 1000
const ROUND_TRIP_MS = 150

/** What a limiter decides at a time: null to serve, else the wait that it asks for. */
type Limiter = (nowMs: number) => number | null

function bucket(perSecond: number, capacity: number): Limiter {
  let tokens = capacity
  let lastMs = 0
  return (nowMs) => {
    tokens = Math.min(capacity, tokens + ((nowMs - lastMs) * perSecond) / SECOND)
    lastMs = nowMs
    if (tokens < 1) return 0
    tokens -= 1
    return null
  }
}

/** More calls in a second suspend the client, and each call meanwhile begins the suspension anew. */
function suspending(perSecond: number, forMs: number, isSaid: boolean): Limiter {
  let servedMs: number[] = []
  let untilMs = 0
  return (nowMs) => {
    servedMs = servedMs.filter((atMs) => nowMs - atMs < SECOND)
    if (nowMs >= untilMs && servedMs.length < perSecond) {
      servedMs.push(nowMs)
      return null
    }
    untilMs = nowMs + forMs
    return isSaid ? forMs : 0
  }
}

/** So many calls in each period. */
function windowed(calls: number, periodMs: number): Limiter {
  let period = 0
  let served = 0
  return (nowMs) => {
    const now = Math.floor(nowMs / periodMs)
    if (now !== period) served = 0
    period = now
    if (served >= calls) return 0
    served += 1
    return null
  }
}

/** Refuses one call in so many, at whatever pace. */
function whimsical(oneIn: number): Limiter {
  const random = new Random(1)
  return () => (random.below(oneIn) === 0 ? 0 : null)
}

/** A client with always one more call to make. */
class Client {
  readonly pace = new Pace()
  nowMs = 0
  served = 0
  refused = 0
  longestGapMs = 0
  private servedMs = 0

  constructor(private readonly limiter: Limiter) {}

  call(): void {
    const waitMs = this.pace.waitMs(this.nowMs)
    this.nowMs += Math.ceil(waitMs)
    const call = this.pace.begun(this.nowMs)
    const askedMs = this.limiter(this.nowMs + ROUND_TRIP_MS / 2)
    this.nowMs += ROUND_TRIP_MS
    if (askedMs !== null) {
      this.refused += 1
      this.pace.refused(call, askedMs, this.nowMs)
      return
    }
    this.served += 1
    this.longestGapMs = Math.max(this.longestGapMs, this.nowMs - this.servedMs)
    this.servedMs = this.nowMs
    this.pace.served(call, waitMs > 0, this.nowMs)
  }

  runTo(endMs: number): this {
    while (this.nowMs < endMs) this.call()
    return this
  }
}

describe('the pace of calls', () => {
  const TEN_MINUTES = 600 * SECOND
  const limiters: readonly (readonly [
    name: string,
    limiter: () => Limiter,
    atLeast: { perSecond: number; refused: number; gapSeconds: number },
  ])[] = [
    ['one call in two seconds', () => bucket(0.5, 1), { perSecond: 0.45, refused: 6, gapSeconds: 5 }],
    ['one call a second', () => bucket(1, 1), { perSecond: 0.85, refused: 5, gapSeconds: 5 }],
    ['one call a second, 50 at once', () => bucket(1, 50), { perSecond: 0.85, refused: 15, gapSeconds: 5 }],
    ['three calls a second', () => bucket(3, 1), { perSecond: 2, refused: 5, gapSeconds: 5 }],
    ['five calls a second, all at once', () => bucket(5, 5), { perSecond: 4, refused: 8, gapSeconds: 5 }],
    ['all but one in a hundred', () => whimsical(100), { perSecond: 1.5, refused: 40, gapSeconds: 12 }],
    ['no limit that is felt', () => bucket(15, 15), { perSecond: 6, refused: 0, gapSeconds: 1 }],
    ['one, else 30 s, said', () => suspending(1, 30_000, true), { perSecond: 0.7, refused: 1, gapSeconds: 32 }],
    ['five, else 30 s, said', () => suspending(5, 30_000, true), { perSecond: 3, refused: 1, gapSeconds: 32 }],
    ['one, else 30 s, not said', () => suspending(1, 30_000, false), { perSecond: 0.65, refused: 3, gapSeconds: 44 }],
    ['five, else 5 s, not said', () => suspending(5, 5000, false), { perSecond: 3, refused: 3, gapSeconds: 12 }],
    ['60 in each minute', () => windowed(60, 60_000), { perSecond: 0.7, refused: 26, gapSeconds: 110 }],
  ]
  for (const [name, limiter, { perSecond, refused, gapSeconds }] of limiters) {
    test(`comes near to what a node allows: ${name}`, () => {
      const client = new Client(limiter()).runTo(TEN_MINUTES)
      const reached = (client.served * SECOND) / TEN_MINUTES
      assert.ok(reached >= perSecond, `${reached} a second`)
      assert.ok(client.refused <= refused, `${client.refused} refusals`)
      assert.ok(client.longestGapMs <= gapSeconds * SECOND, `nothing for ${client.longestGapMs} ms`)
    })
  }

  /** A pace that has just met its first refusal, after one served call. */
  function limited(askedMs = 0): Pace {
    const pace = new Pace()
    pace.served(pace.begun(0), false, 0)
    pace.refused(pace.begun(0), askedMs, 0)
    return pace
  }

  test('is without a limit until the first refusal', () => {
    const pace = new Pace()
    for (let n = 0; n < 1000; n += 1) {
      assert.equal(pace.waitMs(0), 0)
      pace.served(pace.begun(0), false, 0)
    }
    assert.equal(pace.callsPerSecond(0), Number.POSITIVE_INFINITY)
  })

  test('never lets a refusal be followed by a burst', () => {
    const pace = limited()
    let nowMs = pace.waitMs(0)
    for (let n = 0; n < 10; n += 1) {
      pace.begun(nowMs)
      const spacingMs = pace.waitMs(nowMs)
      assert.ok(spacingMs >= 1000 / pace.callsPerSecond(nowMs))
      // Long idleness saves nothing up.
      nowMs += spacingMs + (n === 5 ? 100 * SECOND : 0)
    }
  })

  test('waits for as long as the node asks and a little longer, within a bound', () => {
    assert.equal(limited(30_000).waitMs(0), 30_000 + ASKED_MARGIN_MS)
    assert.equal(limited(1e9).waitMs(0), ASKED_PAUSE_MAX_MS + ASKED_MARGIN_MS)
    assert.equal(limited(1).waitMs(0), PAUSES_MS[0])
  })

  test('waits longer with every refusal in a row, up to a bound, and is not lowered by them', () => {
    const pace = limited()
    let nowMs = pace.waitMs(0)
    const pauses = [nowMs]
    const rate = () => pace.callsPerSecond(nowMs)
    pace.refused(pace.begun(nowMs), 0, nowMs)
    const lowered = rate()
    for (let n = 0; n < 4; n += 1) {
      pauses.push(pace.waitMs(nowMs))
      nowMs += pace.waitMs(nowMs)
      pace.refused(pace.begun(nowMs), 0, nowMs)
    }
    assert.deepEqual(pauses, [...PAUSES_MS, PAUSES_MS.at(-1)])
    assert.equal(rate(), lowered)
  })

  test('does not wait longer with every refusal of a batch, which comes again in smaller parts', () => {
    const pace = new Pace()
    let nowMs = 0
    const pauses = ['batch', 'batch', 'batch', 'single'].map((call) => {
      pace.refused(pace.begun(nowMs), 0, nowMs, call === 'batch')
      const waitMs = pace.waitMs(nowMs)
      nowMs += waitMs
      return waitMs
    })
    assert.deepEqual(pauses, [PAUSES_MS[0], PAUSES_MS[0], PAUSES_MS[0], PAUSES_MS[1]])
  })

  test('takes refusals of calls that were under way together for one', () => {
    const pace = new Pace()
    const calls = Array.from({ length: 4 }, () => pace.begun(0))
    for (const call of calls) pace.refused(call, 0, 0)
    assert.equal(pace.waitMs(0), PAUSES_MS[0])
  })

  test('never goes below its slowest', () => {
    const client = new Client((nowMs) => (Math.floor(nowMs / 2500) % 2 === 0 ? null : 0)).runTo(TEN_MINUTES)
    assert.ok(client.pace.callsPerSecond(client.nowMs) >= CALLS_PER_SECOND_MIN)
  })

  test('tries a pace that was refused again only after long, and then later still', () => {
    const client = new Client(suspending(1, 30_000, true)).runTo(PUNISHED_PROBE_AFTER_MS)
    assert.equal(client.refused, 1)
    client.runTo(2 * PUNISHED_PROBE_AFTER_MS)
    assert.equal(client.refused, 2, 'it was tried')
    client.runTo(2.9 * PUNISHED_PROBE_AFTER_MS)
    assert.equal(client.refused, 2, 'the next time later')
  })

  test('does not grow while nobody waits for it', () => {
    const pace = limited()
    const before = pace.callsPerSecond(0)
    for (let nowMs = 10_000; nowMs < 1000 * SECOND; nowMs += 10_000) pace.served(pace.begun(nowMs), false, nowMs)
    assert.equal(pace.callsPerSecond(1000 * SECOND), before)
  })

  test('has no limit after a long quiet time, takes up what it had learnt, and is quiet for longer then', () => {
    const pace = limited()
    const learnt = pace.callsPerSecond(UNLIMITED_AFTER_MS - 1)
    assert.ok(Number.isFinite(learnt))
    assert.equal(pace.callsPerSecond(UNLIMITED_AFTER_MS), Number.POSITIVE_INFINITY)
    const nowMs = UNLIMITED_AFTER_MS + 1000
    for (let n = 0; n < 50; n += 1) pace.served(pace.begun(nowMs), false, nowMs)
    pace.refused(pace.begun(nowMs), 0, nowMs)
    assert.equal(pace.callsPerSecond(nowMs), learnt)
    assert.equal(pace.callsPerSecond(nowMs + 2 * UNLIMITED_AFTER_MS - 1), learnt)
    assert.equal(pace.callsPerSecond(nowMs + 2 * UNLIMITED_AFTER_MS), Number.POSITIVE_INFINITY)
  })

  test('a clock that is set back does not prolong a pause', () => {
    const pace = limited(30_000)
    assert.equal(pace.waitMs(-3600 * SECOND), 0)
  })
})
