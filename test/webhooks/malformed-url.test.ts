import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delivery } from '../../src/domain/webhook.js'
import { createLog } from '../../src/log.js'
import { AddressGuard } from '../../src/webhooks/address-guard.js'
import { Attempts } from '../../src/webhooks/attempt.js'
import { HttpSender } from '../../src/webhooks/sender.js'
import { ManualClock } from '../support/manual-clock.js'

test('an attempt at a URL that is none ends with a recorded failure, whose log line does not show it', async () => {
  const lines: Record<string, unknown>[] = []
  const results: unknown[] = []
  const sender = new HttpSender({ guard: new AddressGuard({ allowAll: true, allow: [] }) })
  const attempts = new Attempts({
    outbox: {
      markAttempted: async () => true,
      recordResult: async (_, result) => {
        results.push(result.kind)
        return null
      },
    },
    webhooks: { secrets: async () => ({ current: 'ab'.repeat(32), previous: null }) },
    sender,
    clock: new ManualClock(),
    log: createLog('debug', { write: (line) => lines.push(JSON.parse(line)) }),
  })
  const delivery: Delivery = {
    ...{
      id: 'ab'.repeat(16),
      owner: 'alice',
      invoiceId: 'cd'.repeat(16),
      status: 'confirmed',
      event: null,
      state: 'queued',
    },
    ...{ url: 'shop.example/hook?key=secret', body: '{}', createdAt: 1, attemptedAt: null, attempts: 0 },
    ...{ attemptsBefore: 0, nextAttemptAt: null, result: null },
  }
  const end = await attempts.make(delivery, { onSent() {}, onAnswered() {} })
  sender.close()
  assert.deepEqual([end, results], [{ kind: 'sent', retryAt: null }, ['failed']])
  assert.deepEqual(
    lines.map(({ msg, origin }) => [msg, origin]),
    [['webhook not delivered', null]],
  )
})
