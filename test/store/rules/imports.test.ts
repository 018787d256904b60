import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Deposit, DepositOutcome } from '../../../src/domain/deposit.js'
import type { ImportedInvoice } from '../../../src/domain/imported-record.js'
import type { Invoice } from '../../../src/domain/invoice.js'
import { NO_ORDER_FIELDS, type OrderFields } from '../../../src/domain/order-fields.js'
import { answeredNow } from '../../../src/store/rules/asking.js'
import type { KnownDeposit } from '../../../src/store/rules/chain-work.js'
import { type LogWork, NO_IMPORT_TERMS, type SilentWork } from '../../../src/store/rules/import-outcomes.js'
import {
  type DepositImportWork,
  type EnteredInvoice,
  type InvoiceImportWork,
  importDeposit,
  importInvoice,
  type KnownInvoice,
  type NamedWallet,
} from '../../../src/store/rules/imports.js'
import { storeIdOf } from '../../../src/store/rules/store-id.js'

const NOW = 1_700_000_000_000
const CREATED = NOW - 1000

const INVOICE: Invoice = {
  id: 'a'.repeat(32),
  owner: 'alice',
  wallet_id: 'w1',
  wallet_ids: 'w1,w2',
  name: 'Tea set',
  description: null,
  reference: 'order-1',
  amount: '10',
  currency: 'USDT',
  callback_url: null,
  created_at: CREATED,
}

function record(change: Partial<Invoice> = {}, end: Partial<ImportedInvoice> = {}): ImportedInvoice {
  return {
    type: 'invoice',
    invoice: { ...INVOICE, ...change },
    expiresAt: null,
    voidedAt: null,
    acceptedAt: null,
    ...end,
  }
}

const known = (change: Partial<Invoice> = {}): KnownInvoice => ({
  invoice: { ...INVOICE, ...change },
  order: NO_ORDER_FIELDS,
})

/** Invoices of an engine, which notes what is done. */
class Invoices implements InvoiceImportWork<EnteredInvoice>, LogWork {
  readonly done: string[] = []
  known: KnownInvoice | undefined
  takenBy: string | null = null
  received = 0
  named: readonly NamedWallet[] = [
    { id: 'w1', owner: 'alice', hasAddress: true },
    { id: 'w2', owner: 'alice', hasAddress: true },
  ]

  readClock(): number {
    return NOW
  }

  logFrom(timeMs: number): void {
    this.done.push(`log from ${timeMs - NOW}`)
  }

  wallets(): readonly NamedWallet[] {
    return this.named
  }

  find(): KnownInvoice | undefined {
    return this.known
  }

  rival(): string | null {
    return this.takenBy
  }

  add({ walletIds, voidedAt, hasOutlivedExpiry }: EnteredInvoice): void {
    this.done.push(`add on ${walletIds}${voidedAt === null ? '' : ', void'}${hasOutlivedExpiry ? ', outlived' : ''}`)
  }

  added(invoice: EnteredInvoice): EnteredInvoice {
    return invoice
  }

  isPaid({ atoms }: EnteredInvoice): boolean {
    return BigInt(this.received) >= atoms
  }

  enterPaid(): void {
    this.done.push('paid')
  }

  enterOpen(): void {
    this.done.push('open')
  }
}

describe('an imported invoice', () => {
  const first = { id: 'w1', owner: 'alice', hasAddress: true }
  const rows: readonly {
    readonly of: string
    readonly record?: ImportedInvoice
    readonly there?: Partial<Invoices>
    readonly error: RegExp
  }[] = [
    { of: 'another invoice has its id', there: { known: known({ name: 'Cup' }) }, error: /its id/ },
    { of: 'its id is none', record: record({ id: 'none' }), error: /malformed/ },
    {
      of: 'its own id in the engine is taken',
      there: { takenBy: storeIdOf(INVOICE) ?? null },
      error: /another invoice has its id/,
    },
    { of: 'its reference is taken', there: { takenBy: 'b'.repeat(32) }, error: /another invoice has its reference/ },
    { of: 'a wallet is not known', there: { named: [first] }, error: /w2 is not known/ },
    {
      of: 'a wallet has no address',
      there: { named: [{ ...first, hasAddress: false }] },
      error: /w1 .* no address/,
    },
    {
      of: 'a wallet is of nobody',
      there: { named: [{ ...first, owner: null }] },
      error: /w1 belongs to nobody/,
    },
    {
      of: 'a wallet is of another',
      there: { named: [{ ...first, owner: 'bob' }] },
      error: /w1 belongs to another/,
    },
    { of: 'its amount is none', record: record({ amount: '-1' }), error: /its amount/ },
  ]
  for (const { of, record: given = record(), there = {}, error } of rows) {
    test(`is refused where ${of}`, () => {
      const invoices = Object.assign(new Invoices(), there)
      const outcome = answeredNow(importInvoice(invoices, invoices, given, NO_IMPORT_TERMS))
      assert.match(outcome.status === 'refused' ? outcome.error : '', error)
      assert.deepEqual(invoices.done, [])
    })
  }

  test('is known where the same one is there, however its fields are ordered', () => {
    const invoices = new Invoices()
    const invoice = Object.fromEntries(Object.entries(INVOICE).reverse()) as unknown as Invoice
    invoices.known = { invoice, order: NO_ORDER_FIELDS }
    assert.deepEqual(answeredNow(importInvoice(invoices, invoices, record(), NO_IMPORT_TERMS)), { status: 'known' })
  })

  const order: OrderFields = { returnUrl: null, orderNumber: '7', metadata: { a: 'b' } }
  for (const { of, there, given, status } of [
    { of: 'says nothing of an order, as one of before', there: order, given: {}, status: 'known' },
    { of: 'says the same of its order', there: order, given: { order: { ...order } }, status: 'known' },
    {
      of: 'has other metadata',
      there: order,
      given: { order: { ...order, metadata: { a: 'c' } } },
      status: 'refused',
    },
    { of: 'has an order number that is not there', there: NO_ORDER_FIELDS, given: { order }, status: 'refused' },
  ]) {
    test(`is ${status} where it ${of}`, () => {
      const invoices = new Invoices()
      invoices.known = { invoice: INVOICE, order: there }
      assert.equal(answeredNow(importInvoice(invoices, invoices, record({}, given), NO_IMPORT_TERMS)).status, status)
    })
  }

  test('may be on wallets that have another owner now, if that is asked for', () => {
    const invoices = new Invoices()
    invoices.named = invoices.named.map((wallet) => ({ ...wallet, owner: 'bob' }))
    assert.equal(answeredNow(importInvoice(invoices, invoices, record(), { ofFormerOwners: true })).status, 'added')
  })

  const entered = [
    { of: 'open', given: record(), received: 0, done: ['add on w1,w2', 'open', 'log from 1'] },
    { of: 'paid', given: record(), received: 1e20, done: ['add on w1,w2', 'paid', 'log from 1'] },
    {
      of: 'void',
      given: record({}, { voidedAt: NOW + 5 }),
      received: 1e20,
      done: ['add on w1,w2, void', 'log from 6'],
    },
    {
      of: 'open beyond its expiry',
      given: record({}, { expiresAt: NOW }),
      received: 0,
      done: ['add on w1,w2, outlived', 'open', 'log from 1'],
    },
    {
      of: 'open until its expiry',
      given: record({}, { expiresAt: NOW + 1 }),
      received: 0,
      done: ['add on w1,w2', 'open', 'log from 1'],
    },
    {
      of: 'void since its expiry',
      given: record({}, { expiresAt: NOW - 9, voidedAt: NOW - 9 }),
      received: 0,
      done: ['add on w1,w2, void', 'log from 1'],
    },
  ]
  for (const { of, given, received, done } of entered) {
    test(`is entered as ${of}`, () => {
      const invoices = Object.assign(new Invoices(), { received })
      assert.deepEqual(answeredNow(importInvoice(invoices, invoices, given, NO_IMPORT_TERMS)), { status: 'added' })
      assert.deepEqual(invoices.done, done)
    })
  }
})

describe('an imported deposit', () => {
  const DEPOSIT: Deposit = {
    network: 'SEP',
    txHash: '0xabc',
    index: 0,
    toAddress: '0xdef',
    currency: 'Tether',
    amount: '10',
    receivedAt: CREATED,
    kind: 'confirmed',
    confirmedAt: NOW + 7,
  }

  function run(deposit: Deposit, known?: Deposit, outcome: DepositOutcome = { status: 'duplicate', deposit: DEPOSIT }) {
    const done: string[] = []
    let there = known === undefined ? undefined : { deposit: known }
    const work: DepositImportWork<KnownDeposit> & SilentWork = {
      readClock: () => NOW,
      logFrom: (timeMs) => void done.push(`log from ${timeMs - NOW}`),
      prepare: () => void done.push('prepare'),
      silence: () => void done.push('silence'),
      find: () => there,
      judge: { conflictWith: (before, { amount }) => (before?.deposit.amount === amount ? null : 'amount') },
      record: (report) => {
        done.push(report)
        there = { deposit: { ...deposit, confirmedAt: NOW } }
        return outcome
      },
      finish: () => void done.push('finish'),
      put: (row, before) => {
        assert.equal(before, there)
        done.push(`confirmed at ${Number(row.deposit.confirmedAt) - NOW}`)
      },
    }
    return { outcome: answeredNow(importDeposit(work, work, deposit)), done }
  }

  const dropped: Deposit = { ...DEPOSIT, kind: 'dropped', confirmedAt: null }
  const rows = [
    {
      of: 'that is new',
      given: DEPOSIT,
      known: undefined,
      status: 'added',
      done: ['confirmed', 'finish', 'confirmed at 7', 'log from 8'],
    },
    {
      of: 'that was seen before',
      given: DEPOSIT,
      known: { ...DEPOSIT, kind: 'pending' },
      status: 'added',
      done: ['confirmed', 'finish', 'confirmed at 7', 'log from 8'],
    },
    {
      of: 'that was dropped is seen first, and',
      given: dropped,
      known: undefined,
      status: 'added',
      done: ['pending', 'dropped', 'finish', 'log from 1'],
    },
    { of: 'that is there', given: DEPOSIT, known: DEPOSIT, status: 'known', done: [] },
    { of: 'that is there otherwise', given: DEPOSIT, known: { ...DEPOSIT, amount: '11' }, status: 'refused', done: [] },
  ] as const
  for (const { of, given, known, status, done } of rows) {
    test(`${of} is ${status}`, () => {
      const result = run(given, known)
      assert.equal(result.outcome.status, status)
      // What was due before the import is an event, and what it brings is none.
      assert.deepEqual(result.done, ['prepare', 'silence', ...done])
    })
  }

  test('that cannot be recorded is refused with the reason', () => {
    const { outcome, done } = run(dropped, undefined, { status: 'rejected', error: 'no such coin' })
    assert.deepEqual(outcome, { status: 'refused', error: 'no such coin' })
    assert.deepEqual(done, ['prepare', 'silence', 'pending'])
  })
})
