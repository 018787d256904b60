import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  ASKED_MARGIN_MS,
  ASKED_PAUSE_MAX_MS,
  CALLS_PER_SECOND_MIN,
  PAUSES_MS,
  Pace,
  UNLIMITED_AFTER_MS,
  WHIMSICAL_MS,
} from '../../../src/networks/node/pace.js'
import { PUNISHED_PROBE_AFTER_MS } from '../../../src/networks/node/pace-ceiling.js'
import { Random } from '../../simulation/random.js'

const SECOND = 1000
const ROUND_TRIP_MS = 150
/** Of a node on the same machine. */
const NEAR_MS = 10

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

/** A call that comes sooner than the pace allows suspends the client for 30 s. */
function suspendingSlow(perSecond: number): Limiter {
  let allowedFromMs = 0
  return (nowMs) => {
    const isAllowed = nowMs >= allowedFromMs
    allowedFromMs = nowMs + (isAllowed ? SECOND / perSecond : 30_000)
    return isAllowed ? null : 30_000
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
function whimsical(oneIn: number, seed = 1): Limiter {
  const random = new Random(seed)
  return () => (random.below(oneIn) === 0 ? 0 : null)
}

/** Refuses every call of so many, at whatever pace. */
function every(calls: number): Limiter {
  let count = 0
  return () => {
    count += 1
    return count % calls === 0 ? 0 : null
  }
}

/** Refuses what one of two would refuse. */
function either(one: Limiter, other: Limiter): Limiter {
  return (nowMs) => one(nowMs) ?? other(nowMs)
}

/** A client with always one more call to make. */
class Client {
  readonly pace = new Pace()
  nowMs = 0
  served = 0
  refused = 0
  longestGapMs = 0
  private servedMs = 0

  constructor(
    private readonly limiter: Limiter,
    private readonly roundTripMs = ROUND_TRIP_MS,
  ) {}

  /** Makes a call, and returns whether it was served. */
  call(): boolean {
    const waitMs = this.pace.waitMs(this.nowMs)
    this.nowMs += Math.ceil(waitMs)
    const call = this.pace.begun(this.nowMs)
    const askedMs = this.limiter(this.nowMs + this.roundTripMs / 2)
    this.nowMs += this.roundTripMs
    if (askedMs !== null) {
      this.refused += 1
      this.pace.refused(call, askedMs, this.nowMs)
      return false
    }
    this.served += 1
    this.longestGapMs = Math.max(this.longestGapMs, this.nowMs - this.servedMs)
    this.servedMs = this.nowMs
    this.pace.served(call, waitMs > 0, this.nowMs)
    return true
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
    ['five calls a second, all at once', () => bucket(5, 5), { perSecond: 4, refused: 9, gapSeconds: 5 }],
    ['all but one in a hundred', () => whimsical(100), { perSecond: 5, refused: 50, gapSeconds: 12 }],
    ['all but one in twenty', () => whimsical(20), { perSecond: 2.5, refused: 160, gapSeconds: 45 }],
    ['all but every third', () => every(3), { perSecond: 2, refused: 900, gapSeconds: 15 }],
    ['all but one in three', () => whimsical(3), { perSecond: 0.1, refused: 250, gapSeconds: 180 }],
    ['one call in three seconds', () => bucket(1 / 3, 1), { perSecond: 0.2, refused: 150, gapSeconds: 45 }],
    [
      'one call in three seconds, 50 at once',
      () => bucket(1 / 3, 50),
      { perSecond: 0.2, refused: 200, gapSeconds: 45 },
    ],
    [
      'one a second, and 99 in 100',
      () => either(whimsical(100, 5), bucket(1, 1)),
      { perSecond: 0.7, refused: 24, gapSeconds: 12 },
    ],
    ['no limit that is felt', () => bucket(15, 15), { perSecond: 6, refused: 0, gapSeconds: 1 }],
    ['one, else 30 s, said', () => suspending(1, 30_000, true), { perSecond: 0.7, refused: 1, gapSeconds: 32 }],
    ['five, else 30 s, said', () => suspending(5, 30_000, true), { perSecond: 3, refused: 1, gapSeconds: 32 }],
    ['one, else 30 s, not said', () => suspending(1, 30_000, false), { perSecond: 0.65, refused: 3, gapSeconds: 44 }],
    ['five, else 5 s, not said', () => suspending(5, 5000, false), { perSecond: 3.5, refused: 10, gapSeconds: 12 }],
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

  describe('of an hour at nodes that refuse calls at random', () => {
    const HOUR = 3600 * SECOND
    const BLOCKS_PER_SECOND = 4
    /** How many calls are served in a second at least, and for how many minutes blocks may wait at most. */
    const nodes = [
      [100, ROUND_TRIP_MS, 5.2, 2],
      [100, NEAR_MS, 25, 2],
      [20, ROUND_TRIP_MS, 2.5, 7],
      [20, NEAR_MS, 4, 7],
    ] as const
    for (const [oneIn, roundTripMs, perSecond, minutesMax] of nodes) {
      test(`one in ${oneIn}, ${roundTripMs} ms away: a chain of four blocks a second is followed`, () => {
        for (let seed = 1; seed <= 20; seed += 1) {
          const client = new Client(whimsical(oneIn, seed), roundTripMs)
          let read = 0
          let behindMax = 0
          while (client.nowMs < HOUR) {
            const newest = Math.floor((client.nowMs / SECOND) * BLOCKS_PER_SECOND)
            behindMax = Math.max(behindMax, newest - read)
            // As the watcher does: the head, then as many blocks as a limit allows calls in some seconds.
            if (!client.call()) continue
            const piece = Math.min(200, Math.ceil(8 * client.pace.callsPerSecond(client.nowMs)))
            if (client.call()) read = Math.min(newest, read + piece)
          }
          const reached = (client.served * SECOND) / HOUR
          assert.ok(reached >= perSecond, `seed ${seed}: ${reached} a second`)
          assert.ok(behindMax <= minutesMax * 60 * BLOCKS_PER_SECOND, `seed ${seed}: ${behindMax} blocks behind`)
        }
      })
    }

    for (const [perSecond, ...capacities] of [
      [0.5, 1],
      [1, 1],
      [5, 1, 5, 50],
      [20, 1, 20],
    ] as const) {
      test(`or that allow ${perSecond} calls a second: the limit is learnt and kept`, () => {
        for (const capacity of capacities) {
          for (const roundTripMs of [ROUND_TRIP_MS, NEAR_MS]) {
            const client = new Client(bucket(perSecond, capacity), roundTripMs).runTo(HOUR)
            const possible = Math.min(perSecond, SECOND / roundTripMs)
            const about = `${capacity} at once, ${roundTripMs} ms away`
            assert.ok((client.served * SECOND) / HOUR >= 0.7 * possible, `${about}: ${client.served} served`)
            assert.ok(client.refused <= 0.01 * client.served, `${about}: ${client.refused} refused`)
          }
        }
      })

      test(`or that suspend for more than ${perSecond} calls a second: few suspensions, said or not`, () => {
        for (const isSaid of [true, false]) {
          const limiter = perSecond < 1 ? suspendingSlow(perSecond) : suspending(perSecond, 30_000, isSaid)
          const client = new Client(limiter, NEAR_MS).runTo(HOUR)
          assert.ok((client.served * SECOND) / HOUR >= 0.6 * perSecond, `${client.served} served`)
          assert.ok(client.refused <= (isSaid ? 4 : 9), `${client.refused} refused`)
        }
      })
    }
  })

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

  /** Serves so many calls one after another, as fast as the pace allows, and then refuses one. Returns the time. */
  function refuseAfter(pace: Pace, served: number, sinceMs: number): number {
    let nowMs = sinceMs
    for (let n = 0; n <= served; n += 1) {
      const waitMs = pace.waitMs(nowMs)
      nowMs += Math.max(waitMs, ROUND_TRIP_MS)
      const call = pace.begun(nowMs)
      if (n < served) pace.served(call, waitMs > 0, nowMs)
      else pace.refused(call, 0, nowMs)
    }
    return nowMs
  }

  const rows: readonly (readonly [served: readonly number[], isLimited: boolean])[] = [
    [[0], true],
    [[2], true],
    [[3], false],
    [[20], false],
    [[20, 3], true],
    [[20, 4], false],
    [[20, 4, 4], true],
    [[20, 4, 5], false],
    [[20, 5, 5, 6], true],
    [[20, 5, 6, 6], false],
    [[20, 50, 50, 50, 50], false],
    [[20, 50, 50, 50, 50, 50], true],
    [[20, 50, 50, 50, 50, 51], false],
  ]
  for (const [served, isLimited] of rows) {
    test(`after ${served.join(', ')} served calls refusals ${isLimited ? 'tell of a limit' : 'are waited out'}`, () => {
      const pace = new Pace()
      let nowMs = 0
      for (const each of served) nowMs = refuseAfter(pace, each, nowMs)
      assert.equal(Number.isFinite(pace.callsPerSecond(nowMs)), isLimited)
      assert.equal(pace.pauseMs(nowMs), PAUSES_MS[0])
    })
  }

  test('begins with what was served at once, and comes down by halves', () => {
    const pace = new Pace()
    let nowMs = 0
    for (const served of [20, 4, 4]) nowMs = refuseAfter(pace, served, nowMs)
    const first = pace.callsPerSecond(nowMs)
    assert.ok(first > 4 && first < 6, `${first} a second, of six or seven`)
    const halved = refuseAfter(pace, 1, nowMs)
    assert.equal(pace.callsPerSecond(halved), first / 2)
  })

  test('may have begun above a limit, which a refusal after some calls does not refute', () => {
    const pace = new Pace()
    let nowMs = 0
    for (const served of [20, 4, 4]) nowMs = refuseAfter(pace, served, nowMs)
    for (let n = 0; n < 20; n += 1) {
      nowMs += pace.waitMs(nowMs)
      pace.served(pace.begun(nowMs), false, nowMs)
    }
    nowMs += pace.waitMs(nowMs)
    pace.refused(pace.begun(nowMs), 0, nowMs)
    assert.ok(Number.isFinite(pace.callsPerSecond(nowMs)))
  })

  test('forgets a limit when a call is refused far below it, and expects such refusals then', () => {
    const pace = limited()
    let nowMs = refuseAfter(pace, 40, 0)
    nowMs = refuseAfter(pace, 4, nowMs)
    const stepped = pace.callsPerSecond(nowMs)
    assert.ok(Number.isFinite(stepped), 'a pace that has grown may have been too high, and the one below, too')
    nowMs = refuseAfter(pace, 14, nowMs)
    assert.equal(pace.callsPerSecond(nowMs), stepped, 'it may have been soon after others')
    nowMs = refuseAfter(pace, 15, nowMs)
    assert.equal(pace.callsPerSecond(nowMs), Number.POSITIVE_INFINITY)
    for (let n = 0; n < 10; n += 1) nowMs = refuseAfter(pace, 6, nowMs)
    assert.equal(pace.callsPerSecond(nowMs), Number.POSITIVE_INFINITY)
    nowMs = refuseAfter(pace, 20, nowMs + WHIMSICAL_MS)
    nowMs = refuseAfter(pace, 4, refuseAfter(pace, 4, nowMs))
    assert.ok(Number.isFinite(pace.callsPerSecond(nowMs)), 'they are no longer expected')
  })

  test('lowers a pace a little that held for very many calls before it was refused', () => {
    const pace = limited()
    let nowMs = refuseAfter(pace, 40, 0)
    const held = pace.callsPerSecond(nowMs)
    for (let n = 0; n < 250; n += 1) {
      nowMs += pace.waitMs(nowMs)
      pace.served(pace.begun(nowMs), false, nowMs)
    }
    nowMs += pace.waitMs(nowMs)
    pace.refused(pace.begun(nowMs), 0, nowMs)
    assert.equal(pace.callsPerSecond(nowMs), 0.8 * held)
  })

  test('does not forget a limit for whose sake the node suspends its clients', () => {
    const pace = limited(30_000)
    const nowMs = refuseAfter(pace, 20, refuseAfter(pace, 20, pace.waitMs(0)))
    assert.ok(Number.isFinite(pace.callsPerSecond(nowMs)))
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

  test('waits longer with every refusal in a row, up to a bound, and is lowered once', () => {
    const pace = limited()
    let nowMs = pace.waitMs(0)
    const pauses = [nowMs]
    const rate = () => pace.callsPerSecond(nowMs)
    const rates = [rate()]
    for (let n = 0; n < 5; n += 1) {
      pace.refused(pace.begun(nowMs), 0, nowMs)
      rates.push(rate())
      pauses.push(pace.waitMs(nowMs))
      nowMs += pace.waitMs(nowMs)
    }
    assert.deepEqual(pauses, [PAUSES_MS[0], ...PAUSES_MS.slice(1), PAUSES_MS.at(-1), PAUSES_MS.at(-1)])
    // The third one makes a suspension of them that was not announced.
    assert.deepEqual(rates, [rates[0], rates[0], ...Array<number>(4).fill(CALLS_PER_SECOND_MIN)])
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
