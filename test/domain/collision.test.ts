import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type InvoiceFacts, parseInvoiceRequest, refuseInvoice } from '../../src/domain/invoice.js'

type FactName = keyof InvoiceFacts

/** The facts of a request that nothing speaks against, but for `against`; notes which are asked. */
function factsBut(against: readonly FactName[], asked: FactName[] = []): InvoiceFacts {
  const answer = (name: FactName, ordinary: boolean) => () => {
    asked.push(name)
    return against.includes(name) ? !ordinary : ordinary
  }
  return {
    areWalletsOwned: answer('areWalletsOwned', true),
    areCoinsMixed: answer('areCoinsMixed', false),
    isReferenceTaken: answer('isReferenceTaken', false),
    isAmountTaken: answer('isAmountTaken', false),
    isWalletTaken: answer('isWalletTaken', false),
    areSetsExhausted: answer('areSetsExhausted', false),
    isRepeated: answer('isRepeated', false),
  }
}

function refusal(facts: InvoiceFacts, fields: Readonly<Record<string, unknown>> = {}) {
  const outcome = parseInvoiceRequest(
    { walletIds: ['w'], name: 'n', amount: '100.00', currency: 'USDT', ...fields },
    'alice',
  )
  assert.ok(outcome.ok)
  return refuseInvoice(outcome.value, facts)
}

describe('whether an invoice may be created (specification, Invoice creation; decisions 4)', () => {
  test('nothing speaks against it', () => {
    assert.equal(refusal(factsBut([])), null)
  })

  const all: readonly FactName[] = [
    'areWalletsOwned',
    'areCoinsMixed',
    'isReferenceTaken',
    'isAmountTaken',
    'isWalletTaken',
    'areSetsExhausted',
    'isRepeated',
  ]
  const order: readonly (readonly [string, readonly FactName[], Readonly<Record<string, unknown>>, string, number])[] =
    [
      ['ownership first', all, { callbackUrl: 'x:' }, 'wallet_not_owned', 1],
      ['then whether coins are mixed', all.slice(1), { callbackUrl: 'x:' }, 'mixed_native_coins', 2],
      ['then callbackUrl', all.slice(2), { callbackUrl: 'x:' }, 'invalid_callback_url', 2],
      ['then the reference', all.slice(2), {}, 'reference_in_use', 3],
      ['then the amount', all.slice(3), {}, 'amount_in_use', 4],
      ['then whether the wallet is taken', all.slice(4), {}, 'wallet_in_use', 5],
      ['then how many sets of wallets share it', all.slice(5), {}, 'too_many_wallet_sets', 6],
      ['last whether this very request has created one before', all.slice(6), {}, 'request_repeated', 7],
    ]
  for (const [what, against, fields, expected, count] of order) {
    test(`checks ${what}, and asks for no fact that does not matter any more`, () => {
      const asked: FactName[] = []
      assert.equal(refusal(factsBut(against, asked), fields)?.code, expected)
      assert.deepEqual(asked, all.slice(0, count))
    })
  }

  test('the messages are the literal ones, with amount and currency as sent', () => {
    const message = (against: FactName, fields?: Readonly<Record<string, unknown>>) =>
      refusal(factsBut([against]), fields)?.message
    assert.equal(
      message('isAmountTaken'),
      'An unpaid invoice for this exact amount (100.00 USDT) already exists on this wallet - use a different amount, or wait for it to be paid.',
    )
    assert.equal(message('isReferenceTaken'), 'This reference id is already in use by another invoice.')
    assert.equal(message('areWalletsOwned'), 'Every wallet must belong to this identity.')
    assert.equal(message('isWalletTaken'), 'This wallet already has an unpaid invoice.')
    assert.equal(message('areSetsExhausted'), 'This wallet is already part of too many different sets of wallets.')
    assert.equal(message('isRepeated'), 'This signed request has already created an invoice.')
    assert.equal(refusal(factsBut([]), { callbackUrl: 'x:' })?.message, 'callbackUrl must be a valid http(s) URL.')
  })
})
