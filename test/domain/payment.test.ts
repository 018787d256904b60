import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseInvoiceAmount } from '../../src/domain/amount.js'
import { depositValue } from '../../src/domain/deposit.js'
import { acceptedPayment, confirmationsOf, paymentOf, paymentsOf } from '../../src/domain/payment.js'
import { qualifies } from '../../src/domain/qualification.js'
import { type CountedDeposit, ownSums, receivedSince } from '../support/received-since.js'

const CREATED = 1000
const decimals = { SEP: { native: 18, USDT: 6 } } as const

/** A deposit to one of the invoice's wallets as an observer writes it, valued as the invoice's currency sees it. */
function deposit(
  kind: CountedDeposit['kind'],
  amount: string,
  options: { readonly at?: number; readonly label?: string | null; readonly invoice?: 'native' | 'USDT' } = {},
): readonly CountedDeposit[] {
  const label = options.label === undefined ? '#native' : options.label
  const value = depositValue({ network: 'SEP', currency: label, amount }, decimals)
  assert.ok(value !== null)
  if (value.currency !== (options.invoice ?? 'native')) return []
  return [{ kind, receivedAt: options.at ?? CREATED + 1, amount: value.atoms }]
}

function atoms(text: string): bigint {
  const parsed = parseInvoiceAmount(text)
  assert.ok(parsed !== null)
  return parsed
}

describe('the paid status of an invoice (specification)', () => {
  const usdt = { label: 'Tether', invoice: 'USDT' } as const
  const rows: readonly {
    readonly what: string
    readonly amount: string
    readonly deposits: readonly (readonly CountedDeposit[])[]
    readonly payment: readonly ['paid' | 'unpaid', string, string, string, string]
  }[] = [
    { what: 'nothing came in', amount: '100', deposits: [], payment: ['unpaid', '0', '0', '100', '0'] },
    {
      what: 'a pending sighting does not count',
      amount: '100',
      deposits: [deposit('pending', '100')],
      payment: ['unpaid', '0', '100', '100', '0'],
    },
    {
      what: 'a confirmed deposit of the amount pays',
      amount: '100',
      deposits: [deposit('confirmed', '100')],
      payment: ['paid', '100', '0', '0', '0'],
    },
    {
      what: '100 pays 100.00',
      amount: '100.00',
      deposits: [deposit('confirmed', '100')],
      payment: ['paid', '100', '0', '0', '0'],
    },
    {
      what: 'a deposit at the moment of creation does not count',
      amount: '100',
      deposits: [deposit('confirmed', '100', { at: CREATED })],
      payment: ['unpaid', '0', '0', '100', '0'],
    },
    {
      what: 'an earlier deposit never counts',
      amount: '100',
      deposits: [deposit('confirmed', '100', { at: CREATED - 1 }), deposit('pending', '5', { at: CREATED - 1 })],
      payment: ['unpaid', '0', '0', '100', '0'],
    },
    {
      what: 'a deposit a millisecond later counts',
      amount: '100',
      deposits: [deposit('confirmed', '100', { at: CREATED + 1 })],
      payment: ['paid', '100', '0', '0', '0'],
    },
    {
      what: 'deposits to two wallets add up',
      amount: '100',
      deposits: [deposit('confirmed', '40'), deposit('confirmed', '60')],
      payment: ['paid', '100', '0', '0', '0'],
    },
    {
      what: 'an atom less is unpaid',
      amount: '1',
      deposits: [deposit('confirmed', '0.999999999999999999')],
      payment: ['unpaid', '0.999999999999999999', '0', '0.000000000000000001', '0'],
    },
    {
      what: 'an atom more is overpaid',
      amount: '1',
      deposits: [deposit('confirmed', '1.000000000000000001')],
      payment: ['paid', '1.000000000000000001', '0', '0', '0.000000000000000001'],
    },
    {
      what: 'ten times 0.1 is 1, as it is not in floating point',
      amount: '1',
      deposits: Array.from({ length: 10 }, () => deposit('confirmed', '0.1')),
      payment: ['paid', '1', '0', '0', '0'],
    },
    {
      what: 'raw units of USDT get their decimal point',
      amount: '1.5',
      deposits: [deposit('confirmed', '1500000', usdt)],
      payment: ['paid', '1.5', '0', '0', '0'],
    },
    {
      what: 'a raw unit less is unpaid',
      amount: '1.5',
      deposits: [deposit('confirmed', '1499999', usdt)],
      payment: ['unpaid', '1.499999', '0', '0.000001', '0'],
    },
    {
      what: 'native amounts are used as given',
      amount: '0.05',
      deposits: [deposit('confirmed', '0.050')],
      payment: ['paid', '0.05', '0', '0', '0'],
    },
    {
      what: 'a null label is native',
      amount: '2',
      deposits: [deposit('confirmed', '1', { label: null }), deposit('confirmed', '1', { label: '' })],
      payment: ['paid', '2', '0', '0', '0'],
    },
    {
      what: 'another currency does not count',
      amount: '1',
      deposits: [deposit('confirmed', '1000000', { label: 'Tether' }), deposit('confirmed', '1', { label: 'USDC' })],
      payment: ['unpaid', '0', '0', '1', '0'],
    },
    {
      what: 'a reorganisation takes the payment away',
      amount: '100',
      deposits: [deposit('dropped', '100'), deposit('confirmed', '30')],
      payment: ['unpaid', '30', '0', '70', '0'],
    },
    {
      what: 'pending beside paid',
      amount: '1',
      deposits: [deposit('confirmed', '1'), deposit('pending', '2')],
      payment: ['paid', '1', '2', '0', '0'],
    },
  ]
  for (const { what, amount, deposits, payment } of rows) {
    test(what, () => {
      const received = receivedSince(CREATED, deposits.flat())
      const [status, confirmed, pending, remaining, overpaid] = payment
      assert.deepEqual(paymentOf(atoms(amount), ownSums(received)), {
        status,
        received: confirmed,
        pending,
        remaining,
        overpaid,
        own: confirmed,
      })
    })
  }
})

const COIN = 10n ** 18n

describe('the own money of an invoice over 25 (decisions 4)', () => {
  const sums = (confirmed: number, pending: number, own: readonly [number, number]) => ({
    confirmed: BigInt(confirmed) * COIN,
    pending: BigInt(pending) * COIN,
    own: { confirmed: BigInt(own[0]) * COIN, pending: BigInt(own[1]) * COIN },
  })

  test('leaves received, pending and remaining as they are, and is all that can be too much', () => {
    assert.deepEqual(paymentOf(atoms('25'), sums(90, 4, [30, 1])), {
      status: 'paid',
      received: '90',
      pending: '4',
      remaining: '0',
      overpaid: '5',
      own: '30',
    })
    assert.equal(paymentOf(atoms('25'), sums(90, 0, [25, 0])).overpaid, '0')
    assert.equal(paymentOf(atoms('25'), sums(90, 0, [0, 0])).overpaid, '0')
  })

  test('is all that people are told of', () => {
    const { payment, own } = paymentsOf(atoms('25'), sums(90, 4, [10, 1]))
    assert.equal(payment.received, '90')
    assert.deepEqual(own, {
      status: 'unpaid',
      received: '10',
      pending: '1',
      remaining: '15',
      overpaid: '0',
      own: '10',
    })
    // A pending deposit of others is no part of it either.
    assert.equal(paymentsOf(atoms('25'), sums(10, 4, [10, 1])).own.pending, '1')
  })

  test('is the payment itself where nothing was paid for others', () => {
    const { payment, own } = paymentsOf(atoms('25'), sums(30, 4, [30, 4]))
    assert.equal(own, payment)
  })
})

describe('a deposit qualifies for an invoice', () => {
  const invoice = {
    id: '1'.repeat(32),
    owner: 'shop',
    wallet_id: 'w1',
    wallet_ids: 'w1,w2',
    name: 'n',
    description: null,
    reference: null,
    amount: '1',
    currency: 'native',
    callback_url: null,
    created_at: CREATED,
  } as const
  const deposit = { walletId: 'w2', currency: 'native', receivedAt: CREATED + 1 } as const
  const rows = [
    ['on one of its wallets, in its currency, after its creation', deposit, true],
    ['not on another wallet', { ...deposit, walletId: 'w3' }, false],
    ['not to an address of no wallet', { ...deposit, walletId: null }, false],
    ['not in another currency', { ...deposit, currency: 'USDT' }, false],
    ['not in none', { ...deposit, currency: null }, false],
    ['not at the moment of its creation', { ...deposit, receivedAt: CREATED }, false],
  ] as const
  for (const [what, one, expected] of rows) test(what, () => assert.equal(qualifies(invoice, one), expected))
})

describe('an accepted payment, as the payer reads it', () => {
  const cases: readonly [string, confirmed: bigint, pending: bigint, shown: object][] = [
    ['nothing came', 0n, 0n, { status: 'paid', received: '0', pending: '0', remaining: '0', overpaid: '0', own: '0' }],
    ['less came', 9n, 0n, { status: 'paid', received: '9', pending: '0', remaining: '0', overpaid: '0', own: '9' }],
    [
      'the rest is pending',
      9n,
      1n,
      { status: 'paid', received: '9', pending: '0', remaining: '0', overpaid: '0', own: '9' },
    ],
    [
      'more is pending',
      9n,
      3n,
      { status: 'paid', received: '9', pending: '2', remaining: '0', overpaid: '0', own: '9' },
    ],
    ['more came', 12n, 1n, { status: 'paid', received: '12', pending: '1', remaining: '0', overpaid: '2', own: '12' }],
  ]
  const one = atoms('1')
  for (const [when, confirmed, pending, shown] of cases) {
    test(`says paid when ${when}`, () => {
      const own = paymentOf(10n * one, ownSums({ confirmed: confirmed * one, pending: pending * one }))
      assert.deepEqual(acceptedPayment(own), shown)
    })
  }
})

test('a deposit shows the blocks that confirm it until they are enough', () => {
  const cases: readonly [...Parameters<typeof confirmationsOf>, number | null][] = [
    [false, 7, 7, 1],
    [false, 7, 9, 3],
    // The newest block was replaced meanwhile.
    [false, 7, 5, 0],
    [false, null, 9, null],
    [false, 7, null, null],
    [true, 7, 9, null],
  ]
  for (const [isConfirmed, height, tip, shown] of cases) {
    assert.equal(confirmationsOf(isConfirmed, height, tip), shown)
  }
})
