import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiKey, BillhookEvent, InvoiceWithPayment, Order, WebhookDelivery } from '@billhook/client'
import { csvOf } from '../../packages/app/src/csv/csv-text.js'
import {
  deliveriesAsCsv,
  eventsAsCsv,
  invoicesAsCsv,
  keysAsCsv,
  ordersAsCsv,
  walletsAsCsv,
} from '../../packages/app/src/csv/tables.js'

describe('a field of CSV', () => {
  for (const [text, field] of [
    ['Tea', 'Tea'],
    ['12.50', '12.50'],
    ['a "b"', '"a ""b"""'],
    ['a,b', '"a,b"'],
    ['a\nb', '"a\nb"'],
    [' a', '" a"'],
    ['=1+1', "'=1+1"],
    ['-1', "'-1"],
    ['@sum', "'@sum"],
    ['\t=1', '"\t\'=1"'],
    ['a;=1', '"a;\'=1"'],
    ['\u200b=1', "\u200b'=1"],
    ['＝1', "'＝1"],
    ['a=1', 'a=1'],
    [null, ''],
  ] as const) {
    test(`${JSON.stringify(text)} is ${JSON.stringify(field)}`, () => assert.equal(csvOf([[text]]), `${field}\r\n`))
  }
})

test('invoices are rows with a head', () => {
  const payment = { status: 'paid', received: '25', pending: '0', remaining: '0', overpaid: '0', own: '25' }
  const texts = { name: '=cmd()', orderNumber: null, reference: 'r' }
  const times = { created_at: 0, expires_at: null, voided_at: null, accepted_at: null }
  const invoice = {
    id: 'i',
    amount: '25.00',
    currency: 'USDT',
    payment,
    ...texts,
    ...times,
  } as unknown as InvoiceWithPayment
  assert.equal(
    invoicesAsCsv([invoice]),
    'id,name,orderNumber,reference,amount,currency,received,state,created,expires\r\n' +
      "i,'=cmd(),,r,25.00,USDT,25,paid,1970-01-01T00:00:00.000Z,\r\n",
  )
})

test('orders are rows with a head', () => {
  const texts = { name: 'Tea', orderNumber: '@7', reference: null, status: 'partly', paid_fraction: '0.5' }
  const order = { id: 'o', price: { amount: '12.50', currency: 'EUR' }, ...texts, created_at: 0, expires_at: 1000 }
  assert.equal(
    ordersAsCsv([order as unknown as Order]),
    'id,name,orderNumber,reference,price,currency,paidFraction,status,created,expires\r\n' +
      "o,Tea,'@7,,12.50,EUR,0.5,partly,1970-01-01T00:00:00.000Z,1970-01-01T00:00:01.000Z\r\n",
  )
})

test('wallets are rows with a head, and say whether they are free', () => {
  const wallet = { network: 'SEP', first: '0xA', address: '0xB', since: 0 }
  assert.equal(
    walletsAsCsv(
      [
        { id: 'a', ...wallet },
        { id: 'b', ...wallet, address: null },
      ],
      new Set(['a']),
    ),
    'id,network,address,firstAddress,state,assigned\r\n' +
      'a,SEP,0xB,0xA,free,1970-01-01T00:00:00.000Z\r\n' +
      'b,SEP,,0xA,in use,1970-01-01T00:00:00.000Z\r\n',
  )
})

test('deliveries are rows with a head', () => {
  const about = { event: null, status: 'confirmed', reference: '=r', invoiceId: 'i', txHash: 't', url: 'https://a/' }
  const outcome = { state: 'failed', attempt: 3, httpStatus: 500, failure: null, createdAt: 0, attemptedAt: null }
  assert.equal(
    deliveriesAsCsv([{ id: 'd', ...about, ...outcome } as WebhookDelivery]),
    'id,about,reference,invoice,txHash,url,state,attempts,httpStatus,failure,created,attempted\r\n' +
      "d,confirmed,'=r,i,t,https://a/,failed,3,500,,1970-01-01T00:00:00.000Z,\r\n",
  )
})

test('API keys are rows with a head, without anything secret', () => {
  const times = { created_at: 0, expires_at: 1000, revoked_at: null }
  const key = { id: 'k', label: '-Till', public_key: '02ab', permissions: 'invoices:create', ...times } as ApiKey
  assert.equal(
    keysAsCsv([key], 2000),
    'id,label,publicKey,permissions,state,created,expires,revoked\r\n' +
      "k,'-Till,02ab,invoices:create,expired,1970-01-01T00:00:00.000Z,1970-01-01T00:00:01.000Z,\r\n",
  )
})

test('events are rows with a head, and the amounts of deposits as people write them', () => {
  const networks = [
    { id: 'SEP', symbol: 'ETH', tokens: [{ symbol: 'USDT', contract: null, decimals: 6 }] },
  ] as unknown as Parameters<typeof eventsAsCsv>[1]['networks']
  const deposit = { network: 'SEP', txHash: 't', index: 0, toAddress: '0xA', currency: 'Tether', amount: '25000000' }
  const event = {
    id: '1',
    at: 0,
    type: 'deposit.confirmed',
    invoiceId: 'i',
    reference: '+r',
    orderNumber: null,
    deposit,
  }
  const other = { ...event, id: '2', type: 'order.paid', orderId: 'o', deposit: null }
  const unknown = { ...event, id: '3', deposit: { ...deposit, network: 'GONE' } }
  assert.equal(
    eventsAsCsv([event, other, unknown] as unknown as BillhookEvent[], { networks }),
    'id,at,type,invoice,order,reference,orderNumber,amount,coin,network,address,txHash\r\n' +
      "1,1970-01-01T00:00:00.000Z,deposit.confirmed,i,,'+r,,25,USDT,SEP,0xA,t\r\n" +
      "2,1970-01-01T00:00:00.000Z,order.paid,i,o,'+r,,,,,,\r\n" +
      "3,1970-01-01T00:00:00.000Z,deposit.confirmed,i,,'+r,,,,GONE,0xA,t\r\n",
  )
})
