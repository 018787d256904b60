import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Sighting } from '../../src/domain/deposit.js'
import {
  type DeliveryResult,
  isDelivered,
  resolveCallback,
  unconfigured,
  webhookBody,
} from '../../src/domain/webhook.js'

const sighting: Sighting = {
  network: 'TRX-NILE',
  txHash: 'ab12',
  index: 3,
  toAddress: 'TXYZ',
  currency: 'Tether',
  amount: '1500000',
  receivedAt: 1_700_000_000_123,
}

describe('the body of a webhook (specification, Webhook delivery)', () => {
  test("has the fields of the specification's table, in that order, and no other", () => {
    assert.equal(
      webhookBody({ id: '0'.repeat(32), reference: 'order-7' }, 'pending', sighting),
      `{"reference":"order-7","status":"pending","invoiceId":"${'0'.repeat(32)}","network":"TRX-NILE","txHash":"ab12",` +
        '"toAddress":"TXYZ","amount":"1500000","currency":"Tether","receivedAt":1700000000123}',
    )
  })

  test('reports amount and label as observed, null included', () => {
    const native = { ...sighting, currency: null, amount: '0.50' }
    const body = JSON.parse(webhookBody({ id: '1'.repeat(32), reference: 'r' }, 'confirmed', native))
    assert.equal(body.status, 'confirmed')
    assert.equal(body.currency, null)
    assert.equal(body.amount, '0.50')
  })

  test('escapes what the reference may contain', () => {
    const reference = '"\\\n<script>\u2028é😀'
    assert.equal(JSON.parse(webhookBody({ id: 'a', reference }, 'pending', sighting)).reference, reference)
  })
})

describe('the callback of an invoice', () => {
  test('is its own, else the default, else none', () => {
    assert.equal(resolveCallback('https://own', 'https://default'), 'https://own')
    assert.equal(resolveCallback(null, 'https://default'), 'https://default')
    assert.equal(resolveCallback('https://own', null), 'https://own')
    assert.equal(resolveCallback(null, null), null)
  })
})

test('an owner who configured nothing has a record of nulls (decisions 7)', () => {
  assert.deepEqual(unconfigured('alice'), {
    owner: 'alice',
    callback_url: null,
    secret: null,
    created_at: null,
    updated_at: null,
  })
})

test('only a 2xx answer delivers', () => {
  const answered = (httpStatus: number): DeliveryResult => ({ kind: 'answered', httpStatus, durationMs: 5 })
  assert.deepEqual(
    [100, 199, 200, 204, 299, 300, 302, 404, 500].filter((status) => isDelivered(answered(status))),
    [200, 204, 299],
  )
  assert.equal(isDelivered({ kind: 'failed', reason: 'timeout', detail: '', durationMs: 8000 }), false)
})
