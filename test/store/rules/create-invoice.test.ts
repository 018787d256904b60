import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiKey } from '../../../src/domain/api-key.js'
import type { InvoiceRequest, UnusableWallet } from '../../../src/domain/invoice.js'
import { NO_ORDER_FIELDS } from '../../../src/domain/order-fields.js'
import type { CreationTerms } from '../../../src/store/commands.js'
import {
  answerUnowned,
  type Beginning,
  type CreationWork,
  createInvoice,
  type EarlierRequest,
} from '../../../src/store/rules/create-invoice.js'

const NOW = 1_700_000_000_000
const ID = '018bcfe568000123456789abcdef0123'

const request: InvoiceRequest = {
  owner: 'shop',
  walletIds: ['w1', 'w2'],
  name: 'Tea',
  description: null,
  reference: 'order-1',
  amountText: '1.50',
  amount: 150n,
  currency: 'USDT',
  callbackUrl: null,
  isCallbackUrlValid: true,
  order: NO_ORDER_FIELDS,
  expiresInSeconds: null,
}

const invoice = {
  id: ID,
  owner: 'shop',
  wallet_id: 'w1',
  wallet_ids: 'w1,w2',
  name: 'Tea',
  description: null,
  reference: 'order-1',
  amount: '1.50',
  currency: 'USDT',
  callback_url: null,
  created_at: NOW,
} as const

const key: ApiKey = {
  id: 'key',
  owner: 'shop',
  label: '',
  public_key: '',
  permissions: 'invoices:create',
  expires_at: null,
  revoked_at: null,
  created_at: 0,
}

const idempotency = { scope: Buffer.alloc(32, 1), bodyHash: Buffer.alloc(32, 2) }
const signed = { timestampMs: NOW, digest: Buffer.alloc(32, 3) }
const authority = { keyId: 'key', permission: 'invoices:create' } as const

const UNUSABLE: UnusableWallet = { wallet: 'w2', reason: 'not_assigned' }

const FACTS = {
  key: undefined as ApiKey | undefined,
  earlier: undefined as EarlierRequest | undefined,
  unusableWallet: null as UnusableWallet | null,
  areCoinsMixed: false,
  isReferenceTaken: false,
  currenciesInstead: null as readonly string[] | null,
  walletOfAmount: null as string | null,
  takenWallet: null as string | null,
  crowdedWallet: null as string | null,
  isRepeated: false,
  receivedAhead: 0n,
}
type Facts = typeof FACTS

/** Answers each fact, and writes down what is asked and what is ordered. */
class Work implements CreationWork {
  readonly nowMs = NOW
  readonly asked: string[] = []
  readonly done: unknown[] = []
  private readonly facts: Facts

  constructor(facts: Partial<Facts>) {
    this.facts = { ...FACTS, ...facts }
  }

  private answer<K extends keyof Facts>(name: K): Facts[K] {
    this.asked.push(name)
    return this.facts[name]
  }
  key = (id: string) => (id === key.id ? this.answer('key') : undefined)
  earlier = () => this.answer('earlier')
  unusableWallet = () => this.answer('unusableWallet')
  currenciesInstead = () => this.answer('currenciesInstead')
  areCoinsMixed = () => this.answer('areCoinsMixed')
  isReferenceTaken = () => this.answer('isReferenceTaken')
  walletOfAmount = () => this.answer('walletOfAmount')
  walletOfRaised = () => assert.fail('an invoice of its own is not raised')
  takenWallet = () => this.answer('takenWallet')
  crowdedWallet = () => this.answer('crowdedWallet')
  isRepeated = () => this.answer('isRepeated')
  receivedAhead = () => this.answer('receivedAhead')
  newId = () => ID
  enter = (...entered: [object, Beginning]) => void this.done.push(...entered)
  log = (type: string) => void this.done.push(type)
  rememberCreation = (creation: object) => void this.done.push(creation)
  rememberRequest = (remembered: object) => void this.done.push(remembered)
}

function created(facts: Partial<Facts>, terms?: CreationTerms, asked = request) {
  const work = new Work(facts)
  const { outcome, expiresAt, isReplay } = createInvoice(work, {
    type: 'invoice',
    request: asked,
    ...(terms && { terms }),
  })
  return { work, answer: outcome.ok ? outcome.value : outcome.failure.code, expiresAt, isReplay }
}

describe('creating an invoice', () => {
  test('enters it, logs it, and remembers what prevents a second one', () => {
    const { work, answer, isReplay } = created({ key }, { authority, idempotency, signed })
    assert.deepEqual(answer, invoice)
    assert.equal(isReplay, false)
    assert.deepEqual(work.done, [
      invoice,
      { amount: 150n, expiresAt: null, isPaid: false, orderId: null },
      'invoice.created',
      signed,
      idempotency,
    ])
  })

  test('remembers nothing that was not sent', () => {
    const { work } = created({})
    assert.deepEqual(work.done, [
      invoice,
      { amount: 150n, expiresAt: null, isPaid: false, orderId: null },
      'invoice.created',
    ])
  })

  test('lets it expire', () => {
    const { work, expiresAt } = created({}, undefined, { ...request, expiresInSeconds: 60 })
    assert.equal(expiresAt, NOW + 60_000)
    assert.deepEqual(work.done[1], { amount: 150n, expiresAt: NOW + 60_000, isPaid: false, orderId: null })
  })

  test('finds it paid by deposits that are dated ahead', () => {
    for (const receivedAhead of [150n, 151n]) {
      const { work } = created({ receivedAhead })
      assert.deepEqual(work.done, [
        invoice,
        { amount: 150n, expiresAt: null, isPaid: true, orderId: null },
        'invoice.created',
        'invoice.paid',
      ])
    }
    assert.deepEqual(created({ receivedAhead: 149n }).work.done[1], {
      amount: 150n,
      expiresAt: null,
      isPaid: false,
      orderId: null,
    })
  })

  const terms = { authority, idempotency, signed }
  const another: EarlierRequest = { isSameBody: false }
  /** In the order of the checks: each refusal comes before those below it. */
  const refusals: readonly [string, string, Partial<Facts>, InvoiceRequest?][] = [
    ['an unknown key', 'unknown_api_key', { key: undefined }],
    ['an idempotency key of another request', 'idempotency_key_reused', { earlier: another }],
    ['wallets of others', 'wallet_not_owned', { unusableWallet: UNUSABLE }],
    ['a currency that a network lacks', 'unsupported_currency', { currenciesInstead: ['native'] }],
    ['coins that may not be mixed', 'mixed_native_coins', { areCoinsMixed: true }],
    ['a malformed callback URL', 'invalid_callback_url', {}, { ...request, isCallbackUrlValid: false }],
    ['a reference that is taken', 'reference_in_use', { isReferenceTaken: true }],
    ['an amount that is taken', 'amount_in_use', { walletOfAmount: 'w2' }],
    ['a wallet that is taken', 'wallet_in_use', { takenWallet: 'w2' }],
    ['a set of wallets too many', 'too_many_wallet_sets', { crowdedWallet: 'w2' }],
    ['a repetition', 'request_repeated', { isRepeated: true }],
  ]
  for (const [i, [what, code]] of refusals.entries()) {
    test(`refuses ${what}, whatever else is wrong behind it, and writes nothing`, () => {
      const behind = refusals.slice(i)
      const facts = Object.assign({ key }, ...behind.map(([, , wrong]) => wrong)) as Partial<Facts>
      const asked = behind.find(([, , , wrong]) => wrong !== undefined)?.[3] ?? request
      const { work, answer, isReplay } = created(facts, terms, asked)
      assert.equal(answer, code)
      assert.equal(isReplay, false)
      assert.deepEqual(work.done, [])
    })
  }

  test('answers a repetition under an idempotency key with the invoice, and asks no further', () => {
    const earlier: EarlierRequest = { isSameBody: true, invoice, expiresAt: 5 }
    const { work, answer, expiresAt, isReplay } = created({ key, earlier, unusableWallet: UNUSABLE }, terms)
    assert.equal(answer, invoice)
    assert.deepEqual([expiresAt, isReplay], [5, true])
    assert.deepEqual(work.asked, ['key', 'earlier'])
    assert.deepEqual(work.done, [])
  })

  test('refuses a revoked key also to answer a repetition', () => {
    const earlier: EarlierRequest = { isSameBody: true, invoice, expiresAt: 5 }
    assert.equal(created({ key: { ...key, revoked_at: 1 }, earlier }, terms).answer, 'api_key_revoked')
  })

  test('needs no turn for wallets of others: it is refused, or answered as before', () => {
    const unknown = answerUnowned(UNUSABLE, undefined)
    assert.ok(!unknown.outcome.ok)
    assert.deepEqual([unknown.outcome.failure.details, unknown.isReplay], [UNUSABLE, false])
    assert.deepEqual(answerUnowned(UNUSABLE, { isSameBody: true, invoice, expiresAt: 5 }), {
      type: 'invoice',
      outcome: { ok: true, value: invoice },
      expiresAt: 5,
      isReplay: true,
    })
    const { outcome } = answerUnowned(UNUSABLE, another)
    assert.equal(outcome.ok ? null : outcome.failure.code, 'idempotency_key_reused')
  })
})
