import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Invoice } from '../../src/domain/invoice.js'
import { NO_ORDER_FIELDS } from '../../src/domain/order-fields.js'
import type { QualifyingDeposit } from '../../src/domain/payment.js'
import { LANGUAGES } from '../../src/page/language.js'
import { invoiceReceipt, type PaidInvoice, paidAtOf } from '../../src/page/receipt.js'
import { pageNetworks } from '../support/networks.js'
import { frameOf, SHOP, textOf } from './frame.js'

const ID = '018f2a4c5b6d7e8f9012345678abcdef'
const START_MS = Date.UTC(2026, 10, 22, 19, 5, 59)
const MINUTE_MS = 60_000
const HASH = `0x${'ab'.repeat(32)}`

const INVOICE: Invoice = {
  id: ID,
  owner: 'identity-of-the-merchant',
  wallet_id: 'w1',
  wallet_ids: 'w1',
  name: 'Tea set',
  description: null,
  reference: 'order-4711',
  amount: '1250.00',
  currency: 'USDT',
  callback_url: 'https://shop.example/hook',
  created_at: START_MS,
}

/** A deposit, `minute` after the start. */
function deposit(amount: string, minute: number, more: Partial<QualifyingDeposit> = {}): QualifyingDeposit {
  const receivedAt = START_MS + minute * MINUTE_MS
  return { network: 'SEP', txHash: HASH, index: 0, receivedAt, amount, isConfirmed: true, confirmations: null, ...more }
}

function paid(received: string, ...deposits: readonly QualifyingDeposit[]): PaidInvoice {
  const payment = { status: 'paid', received, pending: '0', remaining: '0', overpaid: '0', own: received } as const
  return {
    invoice: INVOICE,
    order: NO_ORDER_FIELDS,
    payment,
    acceptedAt: null,
    deposits,
    hasMoreDeposits: false,
    networks: pageNetworks(),
  }
}

function printed(invoice = paid('1250', deposit('1250', 0)), lang = 'en', brand = SHOP): string {
  return String(invoiceReceipt(frameOf({ lang, brand }), 'USDT', invoice))
}

describe('the time of a payment', () => {
  const pending = { isConfirmed: false, confirmations: 3 }
  const rows: readonly [what: string, invoice: PaidInvoice, minute: number | null][] = [
    ['is that of its only deposit', paid('1250', deposit('1250', 1)), 1],
    ['is that of the deposit that completed it', paid('1250', deposit('250', 5), deposit('1000', 1)), 5],
    ['stays when more comes later', paid('1300', deposit('50', 9), deposit('250', 5), deposit('1000', 1)), 5],
    ['does not depend on what is pending', paid('1250', deposit('7', 9, pending), deposit('1250', 2)), 2],
    ['is that of one deposit of too much', paid('9999', deposit('9999', 3)), 3],
    [
      'is exact to the last digit',
      paid('1250', deposit('0.000000000000000001', 4), deposit('1249.999999999999999999', 1)),
      4,
    ],
    ['is known while the deposit is listed, though others are not', paid('1250', deposit('1', 9), deposit('1', 8)), 9],
    ['is not guessed when the deposit is not listed', paid('5000', deposit('1', 9), deposit('1', 8)), null],
    ['is not guessed without deposits', paid('1250'), null],
  ]
  for (const [what, invoice, minute] of rows) {
    test(what, () => assert.equal(paidAtOf(invoice), minute === null ? null : START_MS + minute * MINUTE_MS))
  }
})

describe('the receipt', () => {
  test('says who was paid, when, how much, by which transaction on which network', () => {
    const rows = [...printed().matchAll(/<dt>(.*?)<\/dt><dd>([\s\S]*?)<\/dd>/g)]
    assert.deepEqual(
      rows.map(([, label, value = '']) => [label, textOf(value)]),
      [
        ['Paid to', 'Tea House'],
        ['Contact', 'help@shop.example'],
        ['Invoice number', ID],
        ['Paid on', 'November 22, 2026 at 7:05 PM UTC'],
        ['Amount received', '1250 USDT'],
        ['Transactions seen', `1250 USDT · Ethereum Sepolia Test network November 22, 2026 at 7:05 PM UTC ${HASH}`],
      ],
    )
  })

  test('has nothing that concerns the merchant only', () => {
    for (const text of ['identity-of-the-merchant', 'order-4711', 'hook']) assert.equal(printed().includes(text), false)
  })

  test('lists confirmed transactions only, and says when there are more', () => {
    const all = paid('1250', deposit('3', 9, { txHash: 'unconfirmed', isConfirmed: false }), deposit('1250', 1))
    assert.equal(printed(all).includes('unconfirmed'), false)
    assert.ok(printed({ ...all, hasMoreDeposits: true }).includes('there are more'))
  })

  test('leaves out what is not known', () => {
    const text = textOf(printed(paid('1250'), 'en', { ...SHOP, name: null, support: null }))
    for (const label of ['Paid to', 'Contact', 'Paid on', 'Transactions'])
      assert.equal(text.includes(label), false, text)
  })

  test('dates an invoice that was accepted before enough had come by the acceptance', () => {
    const acceptedAt = START_MS + 60 * MINUTE_MS
    const dated = (invoice: PaidInvoice) =>
      textOf(/<dt>Paid on<\/dt><dd>(.*?)<\/dd>/.exec(printed({ ...invoice, acceptedAt }))?.[1] ?? '')
    assert.equal(dated(paid('0')), 'November 22, 2026 at 8:05 PM UTC')
    assert.equal(dated(paid('1250', deposit('1250', 0))), 'November 22, 2026 at 7:05 PM UTC')
  })

  test('is written as the language does', () => {
    assert.ok(textOf(printed(undefined, 'de')).includes('22. November 2026 um 19:05 UTC'))
    assert.ok(textOf(printed(undefined, 'de')).includes('1250 USDT'))
    const arabic = printed(undefined, 'ar')
    assert.ok(arabic.includes(`<code dir="ltr">${ID}</code>`))
    assert.ok(arabic.includes('<bdi>1250 USDT</bdi>'))
    for (const { code, texts } of LANGUAGES) assert.ok(printed(undefined, code).includes(texts.printReceipt), code)
  })

  test('is text, whatever a hash or a name holds', () => {
    const hostile = '"><script>alert(1)</script>\ud800'
    const html = printed(paid('1250', deposit('1250', 0, { txHash: hostile })), 'en', { ...SHOP, name: hostile })
    assert.equal(html.includes('<script'), false)
  })
})

test('a receipt has the order number, escaped, and nothing of the metadata', () => {
  const order = { returnUrl: null, orderNumber: 'A<7>', metadata: { secret: 'margin' } }
  const html = printed({ ...paid('1250', deposit('1250', 0)), order })
  assert.match(html, /<dt>Order number<\/dt><dd><bdi>A&lt;7&gt;<\/bdi><\/dd>/)
  assert.doesNotMatch(html, /secret|margin/)
  assert.doesNotMatch(printed(), /Order number/)
})
