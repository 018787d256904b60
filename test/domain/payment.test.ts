import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseInvoiceAmount } from '../../src/domain/amount.js'
import { depositValue } from '../../src/domain/deposit.js'
import { paymentOf, type Received } from '../../src/domain/payment.js'
import { type CountedDeposit, receivedSince } from '../support/received-since.js'

const CREATED = 1000
const decimals = { SEP: 6, 'TRX-NILE': 6 } as const

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
      const received: Received = receivedSince(CREATED, deposits.flat())
      const [status, confirmed, pending, remaining, overpaid] = payment
      assert.deepEqual(paymentOf(atoms(amount), received), {
        status,
        received: confirmed,
        pending,
        remaining,
        overpaid,
      })
    })
  }
})
