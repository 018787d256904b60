import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  ALL_TRIALS_PER_MINUTE,
  PasswordTrials,
  TRIALS_PER_MINUTE,
  WAITING_MAX,
} from '../../src/console/password-trials.js'
import type { RequestHead } from '../../src/http/server.js'
import { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

const SECOND_MS = 1000
const PROXY = '10.0.0.1'

/** Trials of clients behind a proxy, and which of them have had their turn, or were refused. */
class Trials {
  readonly tried: string[] = []
  readonly refused: string[] = []
  private readonly clock = new ManualClock()
  private readonly scheduler = new ManualScheduler()
  private readonly trials: PasswordTrials

  constructor(trustedProxies: readonly string[] = [`${PROXY}/32`], random: () => number = () => 0) {
    this.trials = new PasswordTrials({ clock: this.clock, scheduler: this.scheduler, trustedProxies, random })
  }

  async take(address: string, name = address): Promise<void> {
    const head = {
      remoteAddress: () => PROXY,
      header: (of: string) => (of === 'x-forwarded-for' ? address : undefined),
    }
    void this.trials.take(head as unknown as RequestHead).then((refusal) => {
      if (refusal === null) this.tried.push(name)
      else this.refused.push(`${name} ${refusal.code}`)
    })
    await turns()
  }

  /** Lets time pass, second by second. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.clock.advance(SECOND_MS)
      this.scheduler.pass(SECOND_MS)
      await turns()
    }
  }
}

/** Settled promises have told by then. */
const turns = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('trials of passwords', () => {
  test('beyond those of a minute wait for their turn, one every six seconds', async () => {
    const trials = new Trials()
    for (let i = 0; i < TRIALS_PER_MINUTE + 3; i += 1) await trials.take('192.0.2.1')
    assert.equal(trials.tried.length, TRIALS_PER_MINUTE)
    for (const [seconds, tried] of [
      [5, 0],
      [1, 1],
      [5, 1],
      [1, 2],
      [60, 3],
    ] as const) {
      await trials.pass(seconds)
      assert.equal(trials.tried.length, TRIALS_PER_MINUTE + tried)
    }
    assert.deepEqual(trials.refused, [])
  })

  test('are counted for each client that a trusted proxy names, and for its peer otherwise', async () => {
    const proxied = new Trials()
    const direct = new Trials([])
    for (const trials of [proxied, direct]) {
      for (let i = 0; i < TRIALS_PER_MINUTE; i += 1) await trials.take('192.0.2.1')
      await trials.take('192.0.2.2', 'other')
    }
    assert.equal(proxied.tried.at(-1), 'other')
    assert.equal(direct.tried.length, TRIALS_PER_MINUTE)
  })

  test('of all addresses together are bounded, too', async () => {
    const trials = new Trials()
    for (let i = 0; i < ALL_TRIALS_PER_MINUTE + 5; i += 1) await trials.take(`192.0.2.${i}`)
    assert.equal(trials.tried.length, ALL_TRIALS_PER_MINUTE)
    await trials.pass(2)
    assert.equal(trials.tried.length, ALL_TRIALS_PER_MINUTE + 2)
  })

  test('get their turn at random, so that nobody who tries many takes all of them', async () => {
    let drawn = 0
    const trials = new Trials(undefined, () => drawn)
    for (let i = 0; i < TRIALS_PER_MINUTE + 20; i += 1) await trials.take('192.0.2.1', 'stranger')
    await trials.take('192.0.2.1', 'operator')
    await trials.pass(5)
    assert.equal(trials.tried.includes('operator'), false)
    drawn = 1 - Number.EPSILON
    await trials.pass(1)
    assert.equal(trials.tried.at(-1), 'operator')
  })

  test('are refused, one at random, where too many wait', async () => {
    const trials = new Trials()
    for (let i = 0; i < TRIALS_PER_MINUTE + WAITING_MAX; i += 1) await trials.take('192.0.2.1', `trial ${i}`)
    assert.deepEqual(trials.refused, [])
    await trials.take('192.0.2.1', 'one too many')
    assert.equal(trials.refused.length, 1)
    assert.match(trials.refused[0] ?? '', / rate_limited$/)
  })

  test('of the address with the most of them are refused, so thousands of one refuse nobody else', async () => {
    // The first that waits, or the last: a trial of the operator is drawn in neither case.
    for (const drawn of [0, 1 - Number.EPSILON]) {
      const trials = new Trials(undefined, () => drawn)
      // The turns of all addresses are used up, so everybody waits.
      for (let i = 0; i < ALL_TRIALS_PER_MINUTE; i += 1) await trials.take(`198.51.100.${i}`)
      await trials.take('192.0.2.1', 'operator')
      for (let i = 0; i < 2 * WAITING_MAX; i += 1) await trials.take('192.0.2.2', 'stranger')
      await trials.take('192.0.2.3', 'operator')
      assert.equal(trials.refused.length, WAITING_MAX + 2)
      assert.equal(trials.refused.includes('operator rate_limited'), false)
    }
  })
})
