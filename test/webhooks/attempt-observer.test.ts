import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/log.js'
import { Dispatcher } from '../../src/webhooks/dispatcher.js'
import { ManualClock } from '../support/manual-clock.js'
import { throwIt } from '../support/throw-it.js'
import { CONCURRENCY, DELIVERED, HoldingSender, idle, OutboxModel, TIMED_OUT } from './outbox-model.js'

test('an observer hears of each attempt once, and at the start of those that were interrupted', async () => {
  const model = new OutboxModel()
  const cut = [model.owe('owner', 'shop'), model.owe('owner', 'shop')].map(({ id }) => id)
  for (const id of cut) await model.outbox.markAttempted(id)
  const sender = new HoldingSender()
  const heard: unknown[] = []
  const dispatcher = new Dispatcher({
    outbox: model.outbox,
    webhooks: model.webhooks,
    sender,
    clock: new ManualClock(),
    ...CONCURRENCY,
    log: createLog('silent'),
    onWrongTransition: throwIt,
    observer: { ended: (result) => heard.push(result), interrupted: (count) => heard.push(count) },
  })
  await dispatcher.start()
  assert.deepEqual(heard, [2])
  const owed = [model.owe('owner', 'shop'), model.owe('owner', 'shop')]
  dispatcher.notify(owed)
  await sender.began(2)
  assert.deepEqual(heard, [2], 'an attempt under way has not ended')
  sender.of(owed[0]?.id ?? '').end(TIMED_OUT)
  sender.of(owed[1]?.id ?? '').end(DELIVERED)
  await idle(dispatcher)
  assert.deepEqual(heard, [2, TIMED_OUT, DELIVERED])
  await dispatcher.stop()
})
