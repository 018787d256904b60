import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyBeside } from '../../src/console/beside.js'
import { timeline } from '../../src/console/timeline.js'
import type { Deposit } from '../../src/domain/deposit.js'
import { NO_ORDER_FIELDS } from '../../src/domain/order-fields.js'
import type { Delivery } from '../../src/domain/webhook.js'
import type { InvoiceRecord } from '../../src/listing/invoices.js'
import { TEST_NETWORKS } from '../support/networks.js'

const ID = 'a'.repeat(32)

function invoice(fields: Partial<InvoiceRecord> = {}): InvoiceRecord {
  return {
    ...{ id: ID, owner: 'alice', wallet_id: 'w', wallet_ids: 'w', name: 'Tea', description: null, reference: 'r' },
    ...{
      amount: '25',
      currency: 'USDT',
      callback_url: null,
      created_at: 100,
      voided_at: null,
      accepted_at: null,
      expires_at: null,
    },
    ...NO_ORDER_FIELDS,
    payment: { status: 'unpaid', received: '0', pending: '0', remaining: '25', overpaid: '0', own: '0' },
    ...fields,
  } as InvoiceRecord
}

function deposit(fields: Partial<Deposit> = {}): Deposit {
  return {
    ...{ network: 'SEP', txHash: '0x1', index: 0, toAddress: '0xw', currency: 'Tether', amount: '20000000' },
    ...{ kind: 'confirmed', receivedAt: 200, confirmedAt: 300, ...fields },
  } as Deposit
}

const PAID = { status: 'paid', received: '25', pending: '0', remaining: '0', overpaid: '0', own: '25' } as const
const DELIVERY = {
  id: 'd',
  status: 'pending',
  createdAt: 210,
  attemptedAt: 220,
  attempts: 2,
  state: 'settled',
} as const
const delivery = {
  ...DELIVERY,
  result: { kind: 'answered', httpStatus: 204, durationMs: 1 },
} as unknown as Delivery

function told(parts: Partial<Parameters<typeof timeline>[0]>): readonly string[] {
  const whole = {
    invoice: invoice(),
    deposits: [],
    areAllDeposits: true,
    deliveries: [],
    notes: [],
    decimals: TEST_NETWORKS.decimals,
  }
  return timeline({ ...whole, ...parts }).map(({ at, what }) => `${at} ${what}`)
}

test('a timeline tells what happened in order, and when the amount was complete', () => {
  const second = deposit({ txHash: '0x2', amount: '5000000', receivedAt: 250, confirmedAt: 400 })
  const third = deposit({ txHash: '0x3', amount: '1000000', receivedAt: 260, confirmedAt: 500 })
  const parts = { invoice: invoice({ payment: PAID }), deposits: [third, second, deposit()], deliveries: [delivery] }
  assert.deepEqual(told(parts), [
    '100 Created',
    '200 20 USDT received on SEP',
    '220 Webhook “pending” delivered after 2 attempts',
    '250 5 USDT received on SEP',
    '260 1 USDT received on SEP',
    '300 20 USDT confirmed',
    '400 5 USDT confirmed',
    '400 Paid',
    '500 1 USDT confirmed',
  ])
  // The completing deposit may be among those that are not listed.
  assert.ok(!told({ ...parts, areAllDeposits: false }).some((line) => line.endsWith('Paid')))
})

test('a timeline names the event that a webhook told', () => {
  const event = { id: 'e', type: 'invoice.expired' }
  const ofEvent = { ...delivery, status: null, event, attempts: 1 } as unknown as Delivery
  assert.deepEqual(told({ deliveries: [ofEvent] }), ['100 Created', '220 Webhook “invoice.expired” delivered'])
})

test('a timeline tells an expiry from a voiding, and no confirmation before its deposit', () => {
  assert.deepEqual(told({ invoice: invoice({ voided_at: 900, expires_at: 900 }) }), ['100 Created', '900 Expired'])
  assert.deepEqual(told({ invoice: invoice({ voided_at: 500, expires_at: 900 }) }), ['100 Created', '500 Voided'])
  const ahead = deposit({ receivedAt: 700, confirmedAt: 300 })
  assert.deepEqual(told({ deposits: [ahead] }), ['100 Created', '700 20 USDT received on SEP', '700 20 USDT confirmed'])
  const pending = deposit({ kind: 'pending', confirmedAt: null })
  assert.deepEqual(told({ deposits: [pending] }), ['100 Created', '200 20 USDT received on SEP'])
})

test('a timeline tells who accepted an invoice, and what had come by then', () => {
  const later = deposit({ txHash: '0x2', amount: '4500000', receivedAt: 400, confirmedAt: 500 })
  const lastOf = (acceptedAt: number, parts: Partial<Parameters<typeof timeline>[0]> = {}) =>
    told({ invoice: invoice({ accepted_at: acceptedAt }), deposits: [later, deposit()], ...parts }).filter((line) =>
      line.includes('Accepted'),
    )
  assert.deepEqual(lastOf(500), ['500 Accepted by the service with 24.5 of 25 USDT'])
  assert.deepEqual(lastOf(499), ['499 Accepted with 20 of 25 USDT'])
  assert.deepEqual(lastOf(500, { deposits: [] }), ['500 Accepted with 0 of 25 USDT'])
  assert.deepEqual(lastOf(500, { areAllDeposits: false }), ['500 Accepted by the service'])
})

for (const [why, of] of [
  ['90 ETH, which this invoice does not ask for', deposit({ currency: '#native', amount: '90' })],
  ['7 Pebble, which this invoice does not ask for', deposit({ currency: 'Pebble', amount: '7' })],
  ['20 USDT, received before this invoice was created', deposit({ receivedAt: 100 })],
  ['20 USDT, which does not count for this invoice', deposit({ receivedAt: 101 })],
] as const) {
  test(`beside an invoice is ${why}`, () => assert.equal(whyBeside(TEST_NETWORKS, invoice(), of), why))
}
