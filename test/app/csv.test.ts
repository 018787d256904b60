import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { InvoiceWithPayment } from '@billhook/client'
import { csvOf } from '../../packages/app/src/csv/csv-text.js'
import { invoicesAsCsv } from '../../packages/app/src/invoices/invoice-csv.js'

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
