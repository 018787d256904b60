import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { ReadSet } from '../../src/domain/rate-set.js'
import type { RateVerdict } from '../../src/domain/rates.js'
import { RatePoller } from '../../src/rates/rate-poller.js'
import type { RateSource } from '../../src/rates/rate-source.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

const READ: ReadSet = { ok: true, set: { at: 1, rates: [] } }
const ACCEPTED: RateVerdict = { kind: 'accepted', held: [], leftOut: [] }
const REFUSED: RateVerdict = { kind: 'refused', refusal: { reason: 'status', detail: 'it answered 500' } }
const POLL_MS = 60_000

function opened(source: Partial<RateSource> = {}) {
  const scheduler = new ManualScheduler()
  const state = { reads: 0, takes: 0, verdict: ACCEPTED as RateVerdict | Error }
  const poller = new RatePoller({
    source: {
      origin: 'https',
      read: async () => {
        state.reads += 1
        return READ
      },
      ...source,
    },
    take: async () => {
      state.takes += 1
      if (state.verdict instanceof Error) throw state.verdict
      return state.verdict
    },
    pollMs: POLL_MS,
    pauseMaxMs: 150_000,
    scheduler,
    random: () => 0.999_999,
    log: { warn: () => {} },
  })
  const pass = async (ms: number) => {
    scheduler.pass(ms)
    for (let n = 0; n < 5; n += 1) await setImmediate()
  }
  return { poller, state, pass, scheduler }
}

test('a source is read at once, and then after each pause', async () => {
  const { poller, state, pass } = opened()
  poller.start()
  await pass(0)
  assert.equal(state.reads, 1)
  await pass(POLL_MS - 1)
  assert.equal(state.reads, 1)
  await pass(1)
  assert.equal(state.reads, 2)
  await poller.stop()
})

test('while it fails the pauses grow, up to the longest', async () => {
  for (const verdict of [REFUSED, new Error('the store is away')]) {
    const { poller, state, pass } = opened()
    state.verdict = verdict
    poller.start()
    await pass(0)
    for (const [n, pauseMs] of [POLL_MS, 120_000, 150_000, 150_000].entries()) {
      await pass(pauseMs - 1)
      assert.equal(state.reads, n + 1)
      await pass(1)
      assert.equal(state.reads, n + 2)
    }
    state.verdict = ACCEPTED
    await pass(150_000)
    await pass(POLL_MS)
    assert.equal(state.reads, 7)
    await poller.stop()
  }
})

test('a source that tells of changes is read as soon as it has changed, also while it fails', async () => {
  let hasChanged = false
  const { poller, state, pass } = opened({ origin: 'file', hasChanged: async () => hasChanged })
  state.verdict = REFUSED
  poller.start()
  await pass(0)
  await pass(1000)
  assert.equal(state.reads, 1)
  hasChanged = true
  await pass(1000)
  assert.equal(state.reads, 2)
  hasChanged = false
  await pass(1000)
  assert.equal(state.reads, 2)
  await poller.stop()
})

test('a stop ends the reading that is under way, of which nothing is kept, and waits for it; nothing is read afterwards', async () => {
  let finish = () => {}
  let closed = 0
  const { poller, pass, scheduler, state } = opened({
    read: () =>
      new Promise((resolve) => {
        finish = () => resolve(READ)
      }),
    close: () => {
      closed += 1
    },
  })
  poller.start()
  let isStopped = false
  const stopped = poller.stop().then(() => {
    isStopped = true
  })
  await pass(0)
  assert.deepEqual([isStopped, closed], [false, 1])
  finish()
  await stopped
  assert.equal(state.takes, 0)
  assert.equal(scheduler.pending, 0)
})
