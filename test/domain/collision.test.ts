import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type InvoiceFacts, refuseInvoice, supersedes } from '../../src/domain/collision.js'
import { parseInvoiceRequest } from '../../src/domain/invoice.js'
import { isPaid, receivedSince } from '../../src/domain/payment.js'

const ONE = 10n ** 18n
const free: InvoiceFacts = { areWalletsOwned: true, isReferenceTaken: false, rivals: [] }

function refusal(facts: Partial<InvoiceFacts>, fields: Readonly<Record<string, unknown>> = {}) {
  const outcome = parseInvoiceRequest(
    { walletIds: ['w'], name: 'n', amount: '100.00', currency: 'USDT', ...fields },
    'alice',
  )
  assert.ok(outcome.ok)
  return refuseInvoice(outcome.value, { ...free, ...facts })
}

describe('whether an invoice may be created (specification, Invoice creation; decisions 4)', () => {
  test('nothing speaks against it', () => {
    assert.equal(refusal({}), null)
  })

  const order: readonly (readonly [string, Partial<InvoiceFacts>, Readonly<Record<string, unknown>>, string])[] = [
    [
      'ownership first',
      { areWalletsOwned: false, isReferenceTaken: true, rivals: [{ received: 0n }] },
      { callbackUrl: 'x:' },
      'wallet_not_owned',
    ],
    [
      'then callbackUrl',
      { isReferenceTaken: true, rivals: [{ received: 0n }] },
      { callbackUrl: 'x:' },
      'invalid_callback_url',
    ],
    ['then the reference', { isReferenceTaken: true, rivals: [{ received: 0n }] }, {}, 'reference_in_use'],
    ['then the amount', { rivals: [{ received: 0n }] }, {}, 'amount_in_use'],
  ]
  for (const [what, facts, fields, expected] of order) {
    test(`checks ${what}`, () => {
      assert.equal(refusal(facts, fields)?.code, expected)
    })
  }

  test('a paid rival leaves the amount free, an unpaid one does not', () => {
    assert.equal(refusal({ rivals: [{ received: 100n * ONE }] }), null)
    assert.equal(refusal({ rivals: [{ received: 101n * ONE }] }), null)
    assert.equal(refusal({ rivals: [{ received: 100n * ONE - 1n }] })?.code, 'amount_in_use')
    assert.equal(refusal({ rivals: [{ received: 100n * ONE }, { received: 0n }] })?.code, 'amount_in_use')
  })

  test('the messages are the literal ones, with amount and currency as sent', () => {
    assert.equal(
      refusal({ rivals: [{ received: 0n }] })?.message,
      'An unpaid invoice for this exact amount (100.00 USDT) already exists on this wallet - use a different amount, or wait for it to be paid.',
    )
    assert.equal(
      refusal({ isReferenceTaken: true })?.message,
      'This reference id is already in use by another invoice.',
    )
    assert.equal(refusal({ areWalletsOwned: false })?.message, 'Every wallet must belong to this identity.')
    assert.equal(refusal({}, { callbackUrl: 'x:' })?.message, 'callbackUrl must be a valid http(s) URL.')
  })
})

describe('an invoice that supersedes another of its amount', () => {
  const contender = (createdAt: number, ...wallets: string[]) => ({ createdAt, wallets: new Set(wallets) })
  const rows: readonly (readonly [string, ReturnType<typeof contender>, ReturnType<typeof contender>, boolean])[] = [
    ['the same wallet, later', contender(2, 'a'), contender(1, 'a'), true],
    ['the same wallet, the same millisecond', contender(1, 'a'), contender(1, 'a'), true],
    ['the same wallet, earlier by the clock', contender(1, 'a'), contender(2, 'a'), false],
    ['some of its wallets', contender(2, 'a'), contender(1, 'a', 'b'), true],
    ['more wallets', contender(2, 'a', 'b'), contender(1, 'a'), false],
    ['overlapping wallets', contender(2, 'a', 'b'), contender(1, 'b', 'c'), false],
    ['other wallets', contender(2, 'a'), contender(1, 'b'), false],
  ]
  for (const [what, later, earlier, expected] of rows) {
    test(`${what}: ${expected}`, () => {
      assert.equal(supersedes(later, earlier), expected)
    })
  }

  test('is never paid while the other is not', () => {
    const wallets = fc.subarray(['a', 'b', 'c'], { minLength: 1 })
    const invoice = fc.record({ createdAt: fc.nat({ max: 6 }), wallets })
    const deposit = fc.record({
      wallet: fc.constantFrom('a', 'b', 'c'),
      kind: fc.constantFrom('confirmed' as const, 'dropped' as const),
      receivedAt: fc.nat({ max: 8 }),
      amount: fc.bigInt({ min: 1n, max: 4n }),
    })
    fc.assert(
      fc.property(invoice, invoice, fc.array(deposit, { maxLength: 8 }), (later, earlier, deposits) => {
        const toSet = (one: typeof later) => ({ createdAt: one.createdAt, wallets: new Set(one.wallets) })
        if (!supersedes(toSet(later), toSet(earlier))) return
        const isOnePaid = (one: typeof later) =>
          isPaid(
            4n,
            receivedSince(
              one.createdAt,
              deposits.filter(({ wallet }) => one.wallets.includes(wallet)),
            ).confirmed,
          )
        assert.ok(!isOnePaid(later) || isOnePaid(earlier))
      }),
    )
  })
})
