import { LINE_BYTES_MAX } from '../../src/cli/record-lines.js'
import { validAddress } from '../support/valid-address.js'
import { describeHostileImport, type Line } from './hostile-lines.js'

const CREATED_MS = 1_700_000_000_000
const LIFE_MS = 900_000
const FUTURE_MS = 4_000_000_000_000

let made = 0

/** An id of a moment. */
function idAt(ms: number): string {
  made += 1
  return `${ms.toString(16).padStart(12, '0')}${made.toString(16).padStart(20, '0')}`
}

function wallet(id: string, owner: string): object {
  return { id, network: 'SEP', address: validAddress('SEP', id), owner }
}

interface Invoice {
  readonly id: string
  readonly reference: string | null
}

/** The invoice of an option: the order imported behind it says which. */
function invoice(reference: string | null, change: object = {}): Invoice & object {
  const id = idAt(CREATED_MS)
  return {
    ...{ id, owner: 'alice', wallet_id: 'w1', wallet_ids: 'w1', name: 'Tea', description: null, reference },
    ...{ amount: `1.${made}`, currency: 'USDT', callback_url: null, created_at: CREATED_MS, voided_at: null },
    ...{ expires_at: CREATED_MS + LIFE_MS, accepted_at: null },
    ...change,
  }
}

function option({ id }: Pick<Invoice, 'id'>, change: object = {}): object {
  return {
    ...{ invoice: { id }, rate: '0.92', rateAt: CREATED_MS, spread: '0', decimals: 2, isVoidedByOrder: false },
    ...change,
  }
}

function order(reference: string | null, options: unknown, change: object = {}): object {
  return {
    ...{ id: idAt(CREATED_MS), owner: 'alice', price: { amount: '25.00', currency: 'EUR' }, name: 'Tea', reference },
    ...{ created_at: CREATED_MS, expires_at: CREATED_MS + LIFE_MS, voided_at: null, accepted_at: null, options },
    ...change,
  }
}

/** An order that would be right, but for what is changed of it or of its invoices, behind its invoices. */
function wrong(told: RegExp | 'added', change: object, ofInvoice: object = {}, ofOption: object = {}): readonly Line[] {
  const reference = `o${made}`
  const own = invoice(`${reference}/1`, ofInvoice)
  return [
    ['added', own],
    [told, order(reference, [option(own, ofOption)], change)],
  ]
}

const whole = invoice('whole/1')
const again = order('whole', [option(whole)])
const one = invoice('two/1', { wallet_id: 'w1', wallet_ids: 'w1,w2' })
const other = invoice('two/2', { wallet_id: 'w2', wallet_ids: 'w2' })
const void1 = invoice('ended/1', { voided_at: CREATED_MS + 1 })
const strange = invoice('strange/1', { owner: 'bob', wallet_id: 'w3', wallet_ids: 'w3' })
const NOTED = { invoiceId: whole.id, at: CREATED_MS, who: 'console', text: 'Asked for a receipt.' }
const note = (change: object = {}) => ({ id: idAt(CREATED_MS), ...NOTED, ...change })

const LINES: readonly Line[] = [
  ...['w1', 'w2'].map((id): Line => ['added', wallet(id, 'alice')]),
  ['added', wallet('w3', 'bob')],
  ['added', whole],
  ['added', again],
  ['known', again],
  [/another order has its id/, { ...again, price: { amount: '1.00', currency: 'EUR' } }],
  [/is of another order/, order('whole', [option(whole)])],
  // What its invoices say against it.
  [
    /the invoice of its option 1 is not known: import invoices first/,
    order('none', [option({ id: idAt(CREATED_MS) })]),
  ],
  ['added', one],
  [/the invoice of its option 2 is not known/, order('two', [option(one), option({ id: idAt(CREATED_MS) })])],
  [
    /two of its options have the same invoice|the invoice of its option 2 has another/,
    order('two', [option(one), option(one)]),
  ],
  ['added', other],
  [/two of its options of one currency have the wallet w2/, order('two', [option(one), option(other)])],
  ['added', strange],
  [/the invoice of its option 1 is of another owner/, order('strange', [option(strange)])],
  ...wrong(/the invoice of its option 1 has another reference/, { reference: 'another' }),
  ...wrong(/the invoice of its option 1 has another reference/, { reference: null }),
  ...wrong(/the invoice of its option 1 expires at another time/, { expires_at: CREATED_MS + LIFE_MS + 1 }),
  ...wrong(/the invoice of its option 1 expires at another time/, {}, { expires_at: null }),
  ...wrong(/it is void, and one of its invoices is not/, { voided_at: CREATED_MS + 1 }),
  ['added', void1],
  ['added', order('ended', [option(void1, { isVoidedByOrder: true })], { voided_at: CREATED_MS + 1 })],
  // What it says of itself.
  ...wrong(/an order is void or accepted, not both/, { voided_at: CREATED_MS, accepted_at: CREATED_MS }),
  ...wrong(/price must be an amount/, { price: { amount: '0', currency: 'EUR' } }),
  ...wrong(/price must be an amount/, { price: { amount: 25, currency: 'EUR' } }),
  ...wrong(/price must be an amount/, { price: { amount: '25', currency: 'x'.repeat(100_000) } }),
  ...wrong(/price must be an amount/, { price: '25 EUR' }),
  ...wrong(/created_at is not the time of its id/, { created_at: CREATED_MS + 1 }),
  ...wrong(/created_at is in the future/, { id: idAt(FUTURE_MS), created_at: FUTURE_MS }),
  ...wrong(/voided_at is in the future/, { voided_at: FUTURE_MS }),
  ...wrong(/accepted_at is in the future/, { accepted_at: FUTURE_MS }),
  ...wrong(/expires_at must be 60 to/, { expires_at: FUTURE_MS }),
  ...wrong(/expires_at must be Unix milliseconds/, { expires_at: 'tomorrow' }),
  ...wrong(/owner must be an identity/, { owner: ' ' }),
  ...wrong(/the invoice of its option 1 is of another owner/, { owner: 'bob' }),
  ...wrong(/name is longer than 80 characters/, { name: 'x'.repeat(200_000) }),
  ...wrong(/it is longer than/, { description: 'x'.repeat(LINE_BYTES_MAX) }),
  ...wrong(/reference is longer than/, { reference: 'x'.repeat(2000) }),
  ...wrong(/callbackUrl must be/, { callbackUrl: 'shop.example/hook' }),
  ...wrong(/callbackUrl must be/, { callbackUrl: 'http://user:secret@shop.example/' }),
  ...wrong(/returnUrl must be/, { returnUrl: 'javascript:alert(1)' }),
  ...wrong(/orderNumber is longer than/, { orderNumber: '7'.repeat(81) }),
  ...wrong(/metadata is none/, {
    metadata: Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, 'v'])),
  }),
  ...wrong('added', { name: 'a\u0000b', description: '\u0001 \u0000', metadata: { a: '\u0000' } }),
  ...wrong(/options must be 1 to 10/, { options: [] }),
  ...wrong(/options must be 1 to 10/, { options: 'w1' }),
  ...wrong(/options must be 1 to 10/, { options: Array.from({ length: 100_000 }, () => 1) }),
  ...wrong(/option 1: invoice is missing/, { options: [[['w1']]] }),
  ...wrong(/option 1: id must be 32 lower-case hex/, { options: [option({ id: '../../etc' })] }),
  ...wrong(/option 1: rate must be a decimal greater than zero/, {}, {}, { rate: '0' }),
  ...wrong(/option 1: rate must be a decimal greater than zero/, {}, {}, { rate: `0.${'0'.repeat(30)}1` }),
  ...wrong(/option 1: rate must be a decimal greater than zero/, {}, {}, { rate: '1e5' }),
  ...wrong(/option 1: rateAt is in the future/, {}, {}, { rateAt: FUTURE_MS }),
  ...wrong(/option 1: spread must be a decimal of percent/, {}, {}, { spread: '-5' }),
  ...wrong(/option 1: decimals must be an integer from 0 to 18/, {}, {}, { decimals: 1e6 }),
  ...wrong(/option 1: isVoidedByOrder must be true or false/, {}, {}, { isVoidedByOrder: 'yes' }),
  // What is in a currency that no network here has.
  [/currency must be native or that of a token/, invoice('coin/1', { currency: 'WBTC' })],
  // Rates are no records: a source gives them.
  [/no invoice, order, deposit/, { currency: 'EUR', coin: 'USDT', rate: '0.92', at: CREATED_MS }],
  [/no invoice, order, deposit/, { at: CREATED_MS, rates: { EUR: { USDT: '0.92' } } }],
  // Notes.
  ['added', note()],
  [/its invoice is not known: import invoices first/, note({ invoiceId: 'f'.repeat(32) })],
  [/at is not the time of its id/, note({ at: CREATED_MS + 1 })],
  [/at is in the future/, note({ id: idAt(FUTURE_MS), at: FUTURE_MS })],
  [/who has a NUL in it/, note({ who: 'a\u0000' })],
  [/text is no text of a note/, note({ text: 'x'.repeat(100_000) })],
]

const orders = 3
const invoices = LINES.filter(([told, line]) => told === 'added' && 'wallet_ids' in (line as object)).length
describeHostileImport('a hostile file of orders and notes', LINES, { orders, invoices, notes: 1 })
