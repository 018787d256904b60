import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiKey } from '../../../src/domain/api-key.js'
import type { Invoice } from '../../../src/domain/invoice.js'
import { NO_ORDER_FIELDS } from '../../../src/domain/order-fields.js'
import { paymentOf } from '../../../src/domain/payment.js'
import type { Ending } from '../../../src/domain/voiding.js'
import type { VoidCommand } from '../../../src/store/commands.js'
import { acceptInvoice } from '../../../src/store/rules/accept-invoice.js'
import { answeredLater, answeredNow } from '../../../src/store/rules/asking.js'
import type { OptionRow, OrderWork } from '../../../src/store/rules/order-work.js'
import { type EndWork, voidInvoice } from '../../../src/store/rules/void-invoice.js'
import { ownSums } from '../../support/received-since.js'

const NOW = 1000

const invoice: Invoice = {
  id: 'a',
  owner: 'shop',
  wallet_id: 'w1',
  wallet_ids: 'w1,w2',
  name: 'Tea',
  description: null,
  reference: null,
  amount: '10',
  currency: 'native',
  callback_url: null,
  created_at: 1,
}

interface Row extends OptionRow {
  readonly received: bigint
}

function row(fields: Partial<Row> = {}): Row {
  return {
    invoice,
    orderId: null,
    received: 0n,
    expiresAt: null,
    voidedAt: null,
    acceptedAt: null,
    hasOutlivedExpiry: false,
    ...fields,
  }
}

class Work implements EndWork<Row> {
  readonly nowMs = NOW
  readonly done: string[] = []
  /** An invoice of no order asks for none. */
  readonly orders = {
    changed: (walletId: string) => void this.done.push(`changed ${walletId}`),
  } as Partial<OrderWork<Row>> as OrderWork<Row>

  constructor(
    private readonly known: Row | undefined,
    private readonly signer?: Partial<ApiKey>,
  ) {}

  key(): ApiKey | undefined {
    const unlimited = { permissions: 'invoices:create', expires_at: null, revoked_at: null, created_at: 0 }
    const named = { id: 'key', owner: 'shop', label: '', public_key: '' }
    return this.signer === undefined ? undefined : { ...named, ...unlimited, ...this.signer }
  }
  find(): Row | undefined {
    return this.known
  }
  isCovered({ received }: Row): boolean {
    return received >= 10n
  }
  outlivesExpiry(one: Row): boolean {
    return this.isCovered(one)
  }
  revive(): Row {
    throw new Error('a voiding had one live again')
  }
  isPaid(): boolean {
    throw new Error('a voiding asked whether it is paid')
  }
  end(one: Row, ending: Ending): Row {
    const { voidedAt, acceptedAt, hasOutlivedExpiry } = ending
    if (acceptedAt !== null) this.done.push(`accepted at ${acceptedAt}${hasOutlivedExpiry ? ', outlives' : ''}`)
    else this.done.push(voidedAt === null ? 'outlives' : `void at ${voidedAt}`)
    return { ...one, ...ending }
  }
  enterPaid(): void {
    throw new Error('a voiding settled it')
  }
  enterOpen(): void {
    throw new Error('a voiding opened it')
  }
  log(type: string): void {
    this.done.push(type)
  }
  answerOf({ invoice: shown, received, voidedAt, acceptedAt, expiresAt }: Row) {
    const payment = paymentOf(10n, ownSums({ confirmed: 0n, pending: received }))
    return { invoice: shown, order: NO_ORDER_FIELDS, payment, own: payment, voidedAt, acceptedAt, expiresAt }
  }
}

function voided(work: Work, fields: Partial<VoidCommand> = {}) {
  const outcome = answeredNow(voidInvoice(work, { type: 'void', invoiceId: 'a', owner: 'shop', ...fields }))
  return outcome.ok ? outcome.value.voidedAt : outcome.failure.code
}

const wallets = ['changed w1', 'changed w2']
const authority = { keyId: 'key', permission: null }

describe('voiding an invoice', () => {
  const cases: readonly [string, Row | undefined, Partial<VoidCommand>, number | string, readonly string[]][] = [
    ['ends it and tells its wallets', row(), {}, NOW, [`void at ${NOW}`, 'invoice.voided', ...wallets]],
    ['ends one that nothing covers', row({ received: 9n }), {}, NOW, [`void at ${NOW}`, 'invoice.voided', ...wallets]],
    ['is done once', row({ voidedAt: 7 }), {}, 7, []],
    ['is done once, also for one that was covered since', row({ voidedAt: 7, received: 10n }), {}, 7, []],
    ['leaves an expiry as it is', row({ expiresAt: 9 }), {}, 9, ['void at 9', 'invoice.expired']],
    ['needs an invoice', undefined, {}, 'invoice_not_found', []],
    ['is for its owner', row(), { owner: 'other' }, 'not_invoice_owner', []],
    ['is for its owner, also of a void one', row({ voidedAt: 7 }), { owner: 'other' }, 'not_invoice_owner', []],
    ['is for its owner, whatever was paid', row({ received: 10n }), { owner: 'other' }, 'not_invoice_owner', []],
    ['leaves what is covered', row({ received: 10n }), {}, 'invoice_paid', []],
    ['leaves what has outlived its expiry', row({ received: 10n, expiresAt: 9 }), {}, 'invoice_paid', ['outlives']],
    ['leaves what is accepted', row({ acceptedAt: 7 }), {}, 'invoice_paid', []],
    ['asks for a key that is known', undefined, { authority }, 'unknown_api_key', []],
  ]
  for (const [what, known, fields, answer, done] of cases) {
    test(what, () => {
      const work = new Work(known)
      assert.equal(voided(work, fields), answer)
      assert.deepEqual(work.done, done)
    })
  }

  test('asks for a key that is valid now, also where there is no such invoice', () => {
    const revoked = new Work(undefined, { revoked_at: 1 })
    assert.equal(voided(revoked, { authority, owner: 'other' }), 'api_key_revoked')
    assert.equal(voided(new Work(row(), {}), { authority }), NOW)
  })

  test('does the same on an engine that answers later', async () => {
    const work = new Work(row())
    const later = Object.assign(Object.create(work) as Work, { find: async () => row(), key: async () => undefined })
    await answeredLater(voidInvoice(later, { type: 'void', invoiceId: 'a', owner: 'shop' }))
    assert.deepEqual(work.done, [`void at ${NOW}`, 'invoice.voided', ...wallets])
  })
})

function accepted(work: Work, fields: Partial<VoidCommand> = {}) {
  const command = { invoiceId: 'a', owner: 'shop', ...fields, type: 'accept' } as const
  const outcome = answeredNow(acceptInvoice(work, command))
  return outcome.ok ? outcome.value.acceptedAt : outcome.failure.code
}

describe('accepting an invoice', () => {
  const done = [`accepted at ${NOW}`, 'invoice.accepted', ...wallets]
  const cases: readonly [string, Row | undefined, Partial<VoidCommand>, number | string, readonly string[]][] = [
    ['takes what has come as enough and tells its wallets', row({ received: 9n }), {}, NOW, done],
    ['is done whatever has come', row(), {}, NOW, done],
    ['is done for a paid one, too', row({ received: 10n }), {}, NOW, done],
    [
      'ends an expiry that is not due',
      row({ expiresAt: NOW + 1 }),
      {},
      NOW,
      [`accepted at ${NOW}, outlives`, 'invoice.accepted', ...wallets],
    ],
    ['is done once', row({ acceptedAt: 7 }), {}, 7, []],
    [
      'is done once, also behind its time to expire',
      row({ acceptedAt: 7, expiresAt: 9, hasOutlivedExpiry: true }),
      {},
      7,
      [],
    ],
    ['leaves what is void', row({ voidedAt: 7 }), {}, 'invoice_void', []],
    ['leaves what is void, though it is covered', row({ voidedAt: 7, received: 10n }), {}, 'invoice_void', []],
    ['is too late at the expiry', row({ expiresAt: NOW }), {}, 'invoice_void', [`void at ${NOW}`, 'invoice.expired']],
    ['needs an invoice', undefined, {}, 'invoice_not_found', []],
    ['is for its owner', row(), { owner: 'other' }, 'not_invoice_owner', []],
    ['is for its owner, also of a void one', row({ voidedAt: 7 }), { owner: 'other' }, 'not_invoice_owner', []],
    ['is for its owner, also of an accepted one', row({ acceptedAt: 7 }), { owner: 'other' }, 'not_invoice_owner', []],
    ['asks for a key that is known', undefined, { authority }, 'unknown_api_key', []],
  ]
  for (const [what, known, fields, answer, effects] of cases) {
    test(what, () => {
      const work = new Work(known)
      assert.equal(accepted(work, fields), answer)
      assert.deepEqual(work.done, effects)
    })
  }

  test('asks for a key that is valid now, also where there is no such invoice', () => {
    assert.equal(accepted(new Work(undefined, { revoked_at: 1 }), { authority }), 'api_key_revoked')
    assert.equal(accepted(new Work(row(), {}), { authority }), NOW)
  })
})
