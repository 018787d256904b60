import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KnownWallet } from '../../packages/app/src/wallets/known-wallets.js'
import { chooseWallet, freeWallets, type OpenInvoice, shortBy } from '../../packages/app/src/wallets/pool.js'

function wallet(id: string, since: number, more: Partial<KnownWallet> = {}): KnownWallet {
  return { id, network: 'SEP', first: `0x${id}`, address: `0x${id}`, since, ...more }
}

function invoice(created_at: number, ...ids: readonly string[]): OpenInvoice {
  return { wallet_id: ids[0] ?? '', wallet_ids: ids.join(','), created_at }
}

describe('the wallet of a new invoice', () => {
  const a = wallet('a', 1)
  const b = wallet('b', 2)
  const other = wallet('t', 0, { network: 'TRX' })

  for (const { name, wallets, open, chosen } of [
    { name: 'there is none', wallets: [], open: [], chosen: null },
    { name: 'all are on another network', wallets: [other], open: [], chosen: null },
    { name: 'the free one that was assigned first', wallets: [b, a, other], open: [], chosen: ['a', false] },
    { name: 'a free one before one in use', wallets: [a, b], open: [invoice(5, 'a')], chosen: ['b', false] },
    {
      name: 'one that is a second wallet of an invoice is in use',
      wallets: [a, b],
      open: [invoice(5, 't', 'a')],
      chosen: ['b', false],
    },
    {
      name: 'with none free, the one with fewer',
      wallets: [a, b],
      open: [invoice(5, 'a'), invoice(6, 'a'), invoice(7, 'b')],
      chosen: ['b', true],
    },
    {
      name: 'with as many, the one whose last is older',
      wallets: [a, b],
      open: [invoice(7, 'a'), invoice(6, 'b')],
      chosen: ['b', true],
    },
    {
      name: 'never one without an address',
      wallets: [wallet('n', 0, { first: null, address: null })],
      open: [],
      chosen: null,
    },
    {
      name: 'never one whose address has changed',
      wallets: [wallet('c', 0, { address: '0xother' })],
      open: [],
      chosen: null,
    },
  ] as const) {
    test(name, () => {
      const choice = chooseWallet(wallets, 'SEP', open)
      assert.deepEqual(choice === null ? null : [choice.wallet.id, choice.isShared], chosen)
    })
  }

  test('a pool lacks what is not free', () => {
    const wallets = [a, b, other, wallet('c', 0, { address: '0xother' })]
    assert.deepEqual(
      freeWallets(wallets, 'SEP', [invoice(1, 'a')]).map(({ id }) => id),
      ['b'],
    )
    assert.deepEqual(
      [0, 1, 3].map((wanted) => shortBy(wallets, 'SEP', [invoice(1, 'a')], wanted)),
      [0, 0, 2],
    )
  })

  test('counts the single wallet of an old record', () => {
    assert.equal(shortBy([a], 'SEP', [{ wallet_id: 'a', wallet_ids: null, created_at: 1 }], 1), 1)
  })
})
