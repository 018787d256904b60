import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unconfigured, type WebhookConfiguration } from '../../src/domain/webhook.js'
import type { OutgoingDelivery } from '../../src/webhooks/sender.js'
import { deliveryHeaders } from '../../src/webhooks/signature.js'
import { TestDeliveries } from '../../src/webhooks/test-deliveries.js'
import { deferred } from '../support/deferred.js'
import { unwrap } from '../support/fixtures.js'
import { ManualClock, START_MS } from '../support/manual-clock.js'
import { DELIVERED, MODEL_SECRET, TIMED_OUT } from './outbox-model.js'

const URL = 'https://shop.example/hook'
const ID = '01'.repeat(16)

function configured(owner: string): WebhookConfiguration {
  return { owner, callback_url: URL, secret: MODEL_SECRET, created_at: START_MS, updated_at: START_MS }
}

function setup(webhook: (owner: string) => WebhookConfiguration = configured) {
  const sent: OutgoingDelivery[] = []
  const outcome = deferred<typeof DELIVERED>()
  let hashes = 0
  const tests = new TestDeliveries({
    webhooks: { find: webhook, secrets: async () => ({ current: MODEL_SECRET, previous: null }) },
    sender: {
      send: (delivery) => {
        sent.push(delivery)
        return outcome.promise
      },
    },
    clock: new ManualClock(),
    newId: () => ID,
    randomHashHex: () => {
      hashes += 1
      return String(hashes).padStart(64, '0')
    },
  })
  return { tests, sent, outcome }
}

describe('a test delivery', () => {
  test('is formed and signed like a real one, and marked by its last field', async () => {
    const { tests, sent, outcome } = setup()
    outcome.resolve(DELIVERED)
    assert.deepEqual(unwrap(await tests.send('alice')), { id: ID, url: URL, result: DELIVERED })
    const [delivery] = sent
    assert.ok(delivery !== undefined)
    assert.equal(delivery.url, URL)
    const body = Buffer.from(delivery.body)
    assert.deepEqual(
      delivery.headers,
      deliveryHeaders({ id: ID, body }, { current: MODEL_SECRET, previous: null }, START_MS),
    )
    assert.deepEqual(Object.entries(JSON.parse(body.toString())), [
      ['reference', 'billhook-test'],
      ['status', 'pending'],
      ['invoiceId', '0'.repeat(32)],
      ['network', 'SEP'],
      ['txHash', `0x${'1'.padStart(64, '0')}`],
      ['toAddress', `0x${'0'.repeat(40)}`],
      ['amount', '25000000'],
      ['currency', 'Tether'],
      ['receivedAt', START_MS],
      ['test', true],
    ])
    await tests.send('alice')
    assert.notDeepEqual(sent[1]?.body, sent[0]?.body)
  })

  test('has the payload that is set', async () => {
    const { tests, sent, outcome } = setup((owner) => ({ ...configured(owner), payload: 'with-invoice' }))
    outcome.resolve(DELIVERED)
    await tests.send('alice')
    const body = JSON.parse(Buffer.from(sent[0]?.body ?? '').toString())
    assert.deepEqual(Object.keys(body).slice(-2), ['invoice', 'test'])
    assert.equal(body.invoice.status, 'unpaid')
  })

  test('tells what the receiver did', async () => {
    const { tests, outcome } = setup()
    outcome.resolve(TIMED_OUT)
    assert.deepEqual(unwrap(await tests.send('alice')).result, TIMED_OUT)
  })

  test('needs a default callback URL', async () => {
    const { tests, sent } = setup(unconfigured)
    const refused = await tests.send('alice')
    assert.equal(refused.ok ? null : refused.failure.code, 'no_callback_url')
    assert.equal(sent.length, 0)
  })

  test('is one at a time for an owner, and 16 for all', async () => {
    const { tests, sent, outcome } = setup()
    const refusalOf = async (owner: string) => {
      const refused = await tests.send(owner)
      return refused.ok ? null : refused.failure.code
    }
    const underWay = Array.from({ length: 16 }, (_, n) => tests.send(`owner ${n}`))
    assert.equal(await refusalOf('owner 3'), 'too_many_tests')
    assert.equal(await refusalOf('one more'), 'overloaded')
    outcome.resolve(DELIVERED)
    for (const one of await Promise.all(underWay)) unwrap(one)
    assert.equal(sent.length, 16)
    assert.equal(await refusalOf('owner 3'), null)
  })
})
