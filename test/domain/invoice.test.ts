import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type InvoiceRequest, parseInvoiceRequest, SPECIFIED_TERMS, walletsOf } from '../../src/domain/invoice.js'

const body = { walletIds: ['w1'], name: 'Coffee', amount: '1.50' }

function accepted(fields: Readonly<Record<string, unknown>>, owner: unknown = 'alice'): InvoiceRequest {
  const outcome = parseInvoiceRequest({ ...body, ...fields }, owner)
  assert.ok(outcome.ok, 'the request was refused')
  return outcome.value
}

function refusal(fields: Readonly<Record<string, unknown>>, owner: unknown = 'alice'): string {
  const outcome = parseInvoiceRequest({ ...body, ...fields }, owner)
  assert.ok(!outcome.ok, 'the request was accepted')
  return outcome.failure.code
}

describe('an invoice request', () => {
  test('needs owner, walletIds, name and amount only', () => {
    assert.deepEqual(accepted({}), {
      owner: 'alice',
      walletIds: ['w1'],
      name: 'Coffee',
      description: null,
      reference: null,
      amountText: '1.50',
      amount: 15n * 10n ** 17n,
      currency: 'native',
      callbackUrl: null,
      isCallbackUrlValid: true,
      order: { returnUrl: null, orderNumber: null, metadata: null },
      expiresInSeconds: null,
    })
  })

  test('expires after 60 seconds to a year, by default when the service says so', () => {
    for (const seconds of [60, 86_400, 31_536_000]) {
      assert.equal(accepted({ expiresInSeconds: seconds }).expiresInSeconds, seconds)
    }
    for (const wrong of [59, 31_536_001, 60.5, -60, '60', true, [], {}, Number.NaN]) {
      assert.equal(refusal({ expiresInSeconds: wrong }), 'invalid_expiry')
    }
    assert.equal(refusal({ expiresInSeconds: 1, currency: 'EUR' }), 'invalid_expiry')
    assert.equal(refusal({ expiresInSeconds: 1, amount: '0' }), 'invalid_invoice')
    const parse = (fields: object) =>
      parseInvoiceRequest({ ...body, ...fields }, 'alice', { ...SPECIFIED_TERMS, defaultExpirySeconds: 600 })
    const secondsOf = (fields: object) => {
      const outcome = parse(fields)
      return outcome.ok ? outcome.value.expiresInSeconds : assert.fail()
    }
    assert.deepEqual([secondsOf({}), secondsOf({ expiresInSeconds: null })], [600, 600])
    assert.equal(secondsOf({ expiresInSeconds: 61 }), 61)
  })

  test("takes the owner it is given and ignores the body's", () => {
    assert.equal(accepted({ owner: 'mallory' }).owner, 'alice')
  })

  test('trims name and description, and truncates them to 80 and 500 characters', () => {
    const request = accepted({ name: `  ${'n'.repeat(90)} `, description: `\n${'😀'.repeat(501)}` })
    assert.equal(request.name, 'n'.repeat(80))
    assert.equal(request.description, '😀'.repeat(500))
  })

  test('does not trim the reference, and truncates it to 80 characters', () => {
    assert.equal(accepted({ reference: ' r ' }).reference, ' r ')
    assert.equal(accepted({ reference: ' ' }).reference, ' ')
    assert.equal(accepted({ reference: '😀'.repeat(81) }).reference, '😀'.repeat(80))
  })

  test('reads null and empty optional fields as absent', () => {
    for (const nothing of [null, '', undefined]) {
      const request = accepted({ description: nothing, reference: nothing, callbackUrl: nothing, currency: nothing })
      assert.equal(request.description, null)
      assert.equal(request.reference, null)
      assert.equal(request.callbackUrl, null)
      assert.equal(request.currency, 'native')
      assert.equal(request.isCallbackUrlValid, true)
    }
  })

  test('makes a description of spaces null', () => {
    assert.equal(accepted({ description: ' \t ' }).description, null)
  })

  test('replaces lone surrogates in every text', () => {
    const request = accepted({
      name: 'a\ud800',
      description: '\udc00',
      reference: '\ud800r',
      callbackUrl: 'https://example.com/\ud800',
      walletIds: ['w\ud800', 'w\udbff'],
    })
    assert.equal(request.name, 'a\ufffd')
    assert.equal(request.description, '\ufffd')
    assert.equal(request.reference, '\ufffdr')
    assert.equal(request.callbackUrl, 'https://example.com/\ufffd')
    // Both spell the same wallet id once stored: asked for twice, its deposits would count twice.
    assert.deepEqual(request.walletIds, ['w\ufffd'])
  })

  test('removes duplicate wallets and keeps the order', () => {
    assert.deepEqual(accepted({ walletIds: ['b', 'a', 'b', 'c', 'a'] }).walletIds, ['b', 'a', 'c'])
  })

  test('takes 50 wallets', () => {
    const walletIds = Array.from({ length: 50 }, (_, i) => `w${i}`)
    assert.deepEqual(accepted({ walletIds }).walletIds, walletIds)
    assert.equal(refusal({ walletIds: [...walletIds, 'w50'] }), 'invalid_invoice')
  })

  test('keeps the amount as sent and compares it by value', () => {
    const request = accepted({ amount: '0100.00' })
    assert.equal(request.amountText, '0100.00')
    assert.equal(request.amount, 100n * 10n ** 18n)
  })

  test('ignores unknown fields and inert keys', () => {
    const hostile = JSON.parse('{"__proto__": {"currency": "DOGE"}, "constructor": 1, "extra": [1]}')
    assert.equal(accepted(hostile).currency, 'native')
  })

  const invalid: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['no walletIds', { walletIds: undefined }],
    ['null walletIds', { walletIds: null }],
    ['no wallet', { walletIds: [] }],
    ['a wallet that is no list', { walletIds: 'w1' }],
    ['a list-like object of wallets', { walletIds: { 0: 'w1', length: 1 } }],
    ['an empty wallet id', { walletIds: ['w1', ''] }],
    ['a wallet id that is a number', { walletIds: ['w1', 2] }],
    ['a nested list of wallets', { walletIds: [['w1']] }],
    ['no name', { name: undefined }],
    ['an empty name', { name: '' }],
    ['a name of spaces', { name: ' \u3000\n' }],
    ['a name that is a number', { name: 7 }],
    ['no amount', { amount: undefined }],
    ['an amount that is a number', { amount: 1.5 }],
    ['an amount that is null', { amount: null }],
    ['an amount in a list', { amount: ['1'] }],
    ['zero', { amount: '0' }],
    ['a negative amount', { amount: '-1' }],
    ['an amount with an exponent', { amount: '1e3' }],
    ['a description of another type', { description: 7 }],
    ['a description that is false', { description: false }],
    ['a reference of another type', { reference: 7 }],
    ['a reference that is a list', { reference: ['r'] }],
  ]
  for (const [what, fields] of invalid) {
    test(`with ${what} is refused as a whole`, () => {
      assert.equal(refusal(fields), 'invalid_invoice')
    })
  }

  for (const owner of [undefined, null, '', '  ', 7, ['alice'], 'x'.repeat(129)]) {
    test(`of the owner ${JSON.stringify(owner)?.slice(0, 20)} is refused`, () => {
      const outcome = parseInvoiceRequest(body, owner)
      assert.equal(outcome.ok ? 'accepted' : outcome.failure.code, 'invalid_invoice')
    })
  }

  for (const currency of ['usdt', 'USDC', 'Tether', '#native', ' native', 0, false, ['USDT'], {}]) {
    test(`in ${JSON.stringify(currency)} is refused for its currency`, () => {
      assert.equal(refusal({ currency }), 'unsupported_currency')
    })
  }

  test('is judged by its shape before its currency', () => {
    assert.equal(refusal({ currency: 'DOGE', amount: '0' }), 'invalid_invoice')
  })

  for (const callbackUrl of [
    'javascript:alert(1)',
    '/hook',
    'ftp://example.com',
    7,
    false,
    {},
    ['https://example.com'],
  ]) {
    test(`with the callback ${JSON.stringify(callbackUrl)} is carried on to be refused after ownership`, () => {
      assert.equal(accepted({ callbackUrl }).isCallbackUrlValid, false)
    })
  }
})

describe('the wallets of an invoice', () => {
  test('are wallet_ids when it is not empty, otherwise wallet_id', () => {
    assert.deepEqual(walletsOf({ wallet_id: 'a', wallet_ids: 'a,b' }), ['a', 'b'])
    assert.deepEqual(walletsOf({ wallet_id: 'a', wallet_ids: 'b' }), ['b'])
    assert.deepEqual(walletsOf({ wallet_id: 'a', wallet_ids: '' }), ['a'])
    assert.deepEqual(walletsOf({ wallet_id: 'a', wallet_ids: null }), ['a'])
  })
})
