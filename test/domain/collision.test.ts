import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type InvoiceFacts,
  isSetTooMany,
  parseInvoiceRequest,
  reasonAgainst,
  refuseInvoice,
} from '../../src/domain/invoice.js'

type FactName = keyof InvoiceFacts

const UNUSABLE = { wallet: 'w', reason: 'no_address' } as const

/** The facts of a request that nothing speaks against, but for `against`; notes which are asked. */
function factsBut(against: readonly FactName[], asked: FactName[] = []): InvoiceFacts {
  const isAgainst = (name: FactName) => () => {
    asked.push(name)
    return against.includes(name)
  }
  const wallet = (name: FactName) => () => (isAgainst(name)() ? 'w' : null)
  const unusable = wallet('unusableWallet')
  return {
    unusableWallet: () => (unusable() === null ? null : UNUSABLE),
    currenciesInstead: () => (isAgainst('currenciesInstead')() ? ['native', 'USDC'] : null),
    areCoinsMixed: isAgainst('areCoinsMixed'),
    isReferenceTaken: isAgainst('isReferenceTaken'),
    walletOfAmount: wallet('walletOfAmount'),
    takenWallet: wallet('takenWallet'),
    crowdedWallet: wallet('crowdedWallet'),
    isRepeated: isAgainst('isRepeated'),
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
    'unusableWallet',
    'currenciesInstead',
    'areCoinsMixed',
    'isReferenceTaken',
    'walletOfAmount',
    'takenWallet',
    'crowdedWallet',
    'isRepeated',
  ]
  const order: readonly (readonly [string, readonly FactName[], Readonly<Record<string, unknown>>, string, number])[] =
    [
      ['ownership first', all, { callbackUrl: 'x:' }, 'wallet_not_owned', 1],
      ['then whether every network has the currency', all.slice(1), { callbackUrl: 'x:' }, 'unsupported_currency', 2],
      ['then whether coins are mixed', all.slice(2), { callbackUrl: 'x:' }, 'mixed_native_coins', 3],
      ['then callbackUrl', all.slice(3), { callbackUrl: 'x:' }, 'invalid_callback_url', 3],
      ['then the reference', all.slice(3), {}, 'reference_in_use', 4],
      ['then the amount', all.slice(4), {}, 'amount_in_use', 5],
      ['then whether the wallet is taken', all.slice(5), {}, 'wallet_in_use', 6],
      ['then how many sets of wallets share it', all.slice(6), {}, 'too_many_wallet_sets', 7],
      ['last whether this very request has created one before', all.slice(7), {}, 'request_repeated', 8],
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
      message('walletOfAmount'),
      'An unpaid invoice for this exact amount (100.00 USDT) already exists on this wallet - use a different amount, or wait for it to be paid.',
    )
    assert.equal(message('isReferenceTaken'), 'This reference id is already in use by another invoice.')
    assert.equal(message('unusableWallet'), 'Every wallet must belong to this identity.')
    assert.equal(message('takenWallet'), 'This wallet already has an unpaid invoice.')
    assert.equal(message('crowdedWallet'), 'This wallet is already part of too many different sets of wallets.')
    assert.equal(message('isRepeated'), 'This signed request has already created an invoice.')
    assert.equal(refusal(factsBut([]), { callbackUrl: 'x:' })?.message, 'callbackUrl must be a valid http(s) URL.')
  })

  test('the wallet to blame is named beside the text', () => {
    const details = (against: FactName) => refusal(factsBut([against]))?.details
    assert.deepEqual(details('unusableWallet'), UNUSABLE)
    for (const fact of ['walletOfAmount', 'takenWallet', 'crowdedWallet'] as const) {
      assert.deepEqual(details(fact), { wallet: 'w' })
    }
    assert.deepEqual(details('currenciesInstead'), { supported: ['native', 'USDC'] })
    for (const fact of ['areCoinsMixed', 'isReferenceTaken', 'isRepeated'] as const) {
      assert.equal(details(fact), undefined)
    }
  })

  test('a wallet has room for 64 sets of wallets, of which each counts once', () => {
    const sets = (count: number) => new Set(Array.from({ length: count }, (_, n) => `set ${n}`))
    const cases: readonly [string, number, readonly string[], boolean][] = [
      ['new', 63, [], false],
      ['new', 64, [], true],
      ['set 0', 64, [], false],
      ['new', 62, ['other'], false],
      ['new', 63, ['other'], true],
      ['new', 63, ['set 0', 'new'], false],
      ['new', 62, ['other', 'other'], false],
      ['set 0', 64, ['other'], false],
    ]
    for (const [own, count, beside, isTooMany] of cases) {
      assert.equal(isSetTooMany(own, sets(count), beside), isTooMany, `${own} beside ${count} and ${beside}`)
    }
  })

  test('a wallet of another identity is refused like one that nobody knows, whatever it has', () => {
    const cases: readonly [Parameters<typeof reasonAgainst>[0], string | null][] = [
      [undefined, 'not_assigned'],
      [{ isOwned: false, hasAddress: true }, 'not_assigned'],
      [{ isOwned: false, hasAddress: false }, 'not_assigned'],
      [{ isOwned: true, hasAddress: false }, 'no_address'],
      [{ isOwned: true, hasAddress: true }, null],
    ]
    for (const [known, reason] of cases) assert.equal(reasonAgainst(known), reason)
  })
})
