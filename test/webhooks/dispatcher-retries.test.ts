import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { BACKOFF_FIRST_MS, RETRY_AFTER_MAX_MS } from '../../src/domain/retry.js'
import type { DeliveryResult } from '../../src/domain/webhook.js'
import { createLog } from '../../src/log.js'
import { Dispatcher, type DispatcherOptions } from '../../src/webhooks/dispatcher.js'
import { deferred } from '../support/deferred.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { throwIt } from '../support/throw-it.js'
import { CONCURRENCY, DELIVERED, HoldingSender, idle, OutboxModel, TIMED_OUT } from './outbox-model.js'

const REFUSED: DeliveryResult = { kind: 'answered', httpStatus: 500, durationMs: 1 }

/** A dispatcher whose pauses are the longest that can be drawn, and time that passes when the test says so. */
function setup(attemptsMax: number, model = new OutboxModel(), change: Partial<DispatcherOptions['outbox']> = {}) {
  const sender = new HoldingSender()
  const scheduler = new ManualScheduler()
  const open = () =>
    new Dispatcher({
      outbox: { ...model.outbox, ...change },
      webhooks: model.webhooks,
      sender,
      scheduler,
      clock: model.clock,
      ...CONCURRENCY,
      log: createLog('silent'),
      onWrongTransition: throwIt,
      retry: { attemptsMax, random: () => 1 - Number.EPSILON },
    })
  const settle = async () => {
    for (let turns = 0; turns < 10; turns += 1) await nextTurnOfLoop()
  }
  const pass = async (ms: number) => {
    model.clock.advance(ms)
    scheduler.pass(ms)
    await settle()
  }
  return { model, sender, scheduler, open, dispatcher: open(), settle, pass }
}

describe('retries', () => {
  test('follow each failure at its time, marked before each is sent, until one succeeds', async () => {
    const { model, sender, dispatcher, pass, scheduler } = setup(5)
    const { id } = model.owe('owner', 'shop')
    await dispatcher.start()
    let pauseMs = BACKOFF_FIRST_MS
    for (const [i, result] of [TIMED_OUT, REFUSED, DELIVERED].entries()) {
      await sender.began(i + 1)
      assert.deepEqual([model.get(id).state, model.get(id).attempts], ['attempted', i + 1])
      sender.begun[i]?.end(result)
      await idle(dispatcher)
      if (result === DELIVERED) break
      assert.equal(model.get(id).nextAttemptAt, model.clock.now() + pauseMs - 1)
      assert.equal(scheduler.pending, 1)
      await pass(pauseMs - 2)
      assert.equal(sender.begun.length, i + 1)
      await pass(1)
      pauseMs *= 4
    }
    assert.deepEqual([model.get(id).state, model.get(id).attempts], ['settled', 3])
    assert.equal(scheduler.pending, 0)
    assert.equal(new Set(sender.begun.map(({ delivery }) => delivery.headers['webhook-id'])).size, 1)
    const timestamps = sender.begun.map(({ delivery }) => Number(delivery.headers['webhook-timestamp']))
    assert.deepEqual(
      timestamps.map((one) => one - (timestamps[0] ?? 0)),
      [0, 4, 24],
    )
  })

  test('end with the last attempt', async () => {
    const { model, sender, dispatcher, pass, scheduler } = setup(3)
    const { id } = model.owe('owner', 'shop')
    await dispatcher.start()
    for (let i = 0; i < 3; i += 1) {
      await sender.began(i + 1)
      sender.begun[i]?.end(TIMED_OUT)
      await idle(dispatcher)
      await pass(60 * 60_000)
    }
    assert.equal(sender.begun.length, 3)
    assert.deepEqual([model.get(id).state, model.get(id).result], ['settled', TIMED_OUT])
    assert.equal(scheduler.pending, 0)
  })

  test('end with a receiver that says it is gone', async () => {
    const { model, sender, dispatcher } = setup(20)
    const { id } = model.owe('owner', 'shop')
    await dispatcher.start()
    await sender.began(1)
    sender.of(id).end({ kind: 'answered', httpStatus: 410, durationMs: 1 })
    await idle(dispatcher)
    assert.equal(model.get(id).state, 'settled')
  })

  test('wait as long as the receiver asks', async () => {
    const { model, sender, dispatcher, pass } = setup(2)
    const { id } = model.owe('owner', 'shop')
    await dispatcher.start()
    await sender.began(1)
    sender.of(id).end({ kind: 'answered', httpStatus: 503, durationMs: 1, retryAfterMs: 10 * RETRY_AFTER_MAX_MS })
    await idle(dispatcher)
    assert.equal(model.get(id).nextAttemptAt, model.clock.now() + RETRY_AFTER_MAX_MS)
    await pass(RETRY_AFTER_MAX_MS - 1)
    assert.equal(sender.begun.length, 1)
    await pass(1)
    await sender.began(2)
    sender.begun[1]?.end()
    await idle(dispatcher)
  })

  test('are none unless they are asked for', async () => {
    const { model, sender, dispatcher, pass, scheduler } = setup(1)
    const { id } = model.owe('owner', 'shop')
    await dispatcher.start()
    await sender.began(1)
    sender.of(id).end(TIMED_OUT)
    await idle(dispatcher)
    assert.equal(scheduler.pending, 0)
    await pass(24 * 60 * 60_000)
    assert.equal(sender.begun.length, 1)
    assert.equal(model.get(id).state, 'settled')
  })

  test('of a pending one do not hold up its confirmed one', async () => {
    const { model, sender, dispatcher } = setup(20)
    const pending = model.owe('owner', 'shop', 'invoice')
    const confirmed = model.owe('owner', 'shop', 'invoice')
    await dispatcher.start()
    await sender.began(1)
    assert.deepEqual(sender.ids, [pending.id])
    sender.of(pending.id).end(TIMED_OUT)
    await sender.began(2)
    assert.deepEqual(sender.ids, [pending.id, confirmed.id])
    assert.equal(model.get(pending.id).state, 'waiting')
    sender.of(confirmed.id).end()
    await idle(dispatcher)
  })

  test('that became due while the service was down follow at the next start', async () => {
    const { model, sender, dispatcher, open } = setup(3)
    const { id } = model.owe('owner', 'shop')
    await dispatcher.start()
    await sender.began(1)
    sender.of(id).end(TIMED_OUT)
    await idle(dispatcher)
    await dispatcher.stop()
    model.clock.advance(60_000)
    const next = open()
    await next.start()
    await sender.began(2)
    sender.begun[1]?.end()
    await idle(next)
    assert.deepEqual([model.get(id).state, model.get(id).attempts], ['settled', 2])
  })
})

describe('an attempt that a crash interrupted', () => {
  async function crash(attemptsMax: number) {
    const parts = setup(attemptsMax)
    const { id } = parts.model.owe('owner', 'shop')
    await parts.dispatcher.start()
    await parts.sender.began(1)
    const next = parts.open()
    await next.start()
    return { ...parts, id, next }
  }

  test('counts as one, and is retried when there are retries', async () => {
    const { model, sender, next, id, pass } = await crash(2)
    assert.deepEqual([model.get(id).state, model.get(id).attempts], ['waiting', 1])
    await pass(BACKOFF_FIRST_MS)
    await sender.began(2)
    sender.begun[1]?.end(TIMED_OUT)
    await idle(next)
    assert.deepEqual([model.get(id).state, model.get(id).attempts], ['settled', 2])
  })

  test('is never repeated without them', async () => {
    const { model, sender, next, id, pass } = await crash(1)
    assert.equal(model.get(id).state, 'settled')
    await idle(next)
    await pass(24 * 60 * 60_000)
    assert.equal(sender.begun.length, 1)
    const { state, result } = model.get(id)
    assert.deepEqual([state, result?.kind === 'failed' && result.reason], ['settled', 'interrupted'])
  })
})

describe('a redelivery', () => {
  test('is sent like any other, and has its own attempts', async () => {
    const { model, sender, dispatcher, pass } = setup(2)
    const { id } = model.owe('owner', 'shop')
    await dispatcher.start()
    await sender.began(1)
    sender.of(id).end()
    await idle(dispatcher)
    dispatcher.notify([model.redeliver(id)])
    for (let i = 1; i <= 2; i += 1) {
      await sender.began(1 + i)
      sender.begun[i]?.end(TIMED_OUT)
      await idle(dispatcher)
      await pass(60 * 60_000)
    }
    assert.equal(sender.begun.length, 3)
    assert.deepEqual([model.get(id).state, model.get(id).attempts], ['settled', 3])
  })

  test('that comes before the dispatcher knows that the attempt is recorded is not forgotten', async () => {
    const model = new OutboxModel()
    const isRecorded = deferred<void>()
    const answer = deferred<void>()
    const { sender, dispatcher, settle } = setup(1, model, {
      recordResult: async (...args) => {
        const retryAt = await model.outbox.recordResult(...args)
        isRecorded.resolve()
        await answer.promise
        return retryAt
      },
    })
    const { id } = model.owe('owner', 'shop')
    await dispatcher.start()
    await sender.began(1)
    sender.of(id).end(TIMED_OUT)
    await isRecorded.promise
    dispatcher.notify([model.redeliver(id)])
    await settle()
    assert.equal(sender.begun.length, 1)
    answer.resolve()
    await sender.began(2)
    sender.begun[1]?.end()
    await idle(dispatcher)
    assert.deepEqual(model.get(id).result, DELIVERED)
  })
})
