import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AskedBook, type AskedById } from '../../packages/app/src/invoices/asked-book.js'
import { askedOf, differences, recordedOf, suspicionsOf } from '../../packages/app/src/invoices/suspicion.js'
import { orderAsked, orderRecorded } from '../../packages/app/src/orders/order-suspicion.js'
import { hasChanged, knownWallets, remembered } from '../../packages/app/src/wallets/known-wallets.js'

const LIST = [
  { id: 'a', address: '0xa', network: 'SEP', assigned_at: 1 },
  { id: 'n', address: null, network: null, assigned_at: 2 },
]
const RECORD = { owner: 'shop', wallet_id: 'a', wallet_ids: 'a', amount: '25.00', currency: 'USDT' }

/** The wallets as the app knows them, with what it remembers of their addresses. */
function known(addresses: Readonly<Record<string, string>>) {
  return new Map(knownWallets(LIST, addresses).map((wallet) => [wallet.id, wallet]))
}

describe('an invoice that the service shows', () => {
  test('is not suspicious with the address that was seen first, or where none is known yet', () => {
    assert.deepEqual(suspicionsOf({ ...RECORD, wallet_ids: 'a,n' }, known({ a: '0xa' })), [])
    assert.deepEqual(suspicionsOf({ ...RECORD, wallet_ids: null }, known({})), [])
  })

  test('is suspicious where the address of its wallet is another one', () => {
    assert.deepEqual(suspicionsOf(RECORD, known({ a: '0xfirst' })), [
      { kind: 'address', wallet: 'a', first: '0xfirst', now: '0xa' },
    ])
  })

  test('is suspicious where a wallet is not of the owner, also beside those that are', () => {
    assert.deepEqual(suspicionsOf({ ...RECORD, wallet_ids: 'a,x' }, known({ a: '0xa' })), [
      { kind: 'foreign', wallet: 'x' },
    ])
  })

  test('is suspicious where its record differs from what was asked for', () => {
    const draft = { walletIds: ['a'], name: 'Tea', amount: '25.00', currency: 'USDT' }
    assert.deepEqual(differences(askedOf(draft, 'shop'), recordedOf(RECORD)), [])
    const recorded = { ...RECORD, amount: '2.500', wallet_ids: 'x', currency: 'native', owner: 'thief' }
    assert.deepEqual(
      differences(askedOf(draft, 'shop'), recordedOf(recorded)).map((one) => (one.kind === 'draft' ? one.field : '')),
      ['owner', 'amount', 'currency', 'walletIds'],
    )
    const native = askedOf({ ...draft, currency: undefined }, 'shop')
    assert.deepEqual(differences(native, recordedOf({ ...RECORD, currency: 'native' })), [])
    assert.equal(differences({ owner: 'thief' }, recordedOf(RECORD)).length, 1)
  })
})

describe('what was asked for', () => {
  test('is kept as it was first, also for the next visit, and the oldest goes when there are too many', async () => {
    let kept: AskedById = []
    const place = {
      read: async () => kept,
      change: async (change: (before: AskedById) => AskedById) => {
        kept = change(kept)
        return kept
      },
    }
    const book = new AskedBook(place)
    await book.keep('a', { amount: '1' })
    await book.keep('a', { amount: '2' })
    assert.deepEqual(book.find('a'), { amount: '1' })
    const again = new AskedBook(place)
    await again.load()
    assert.deepEqual(again.find('a'), { amount: '1' })
    for (let number = 0; number < 500; number++) await book.keep(`other ${number}`, { amount: '3' })
    assert.deepEqual([book.find('a'), book.find('other 0'), kept.length], [undefined, { amount: '3' }, 500])
  })
})

describe('an order that the service shows', () => {
  const price = { amount: '30', currency: 'EUR' }
  const draft = { price, name: 'Tea', options: [{ walletIds: ['a'], currency: 'USDT' }, { walletIds: ['a'] }] }
  const option = (wallet: string, currency: string) => ({
    invoice: { wallet_id: wallet, wallet_ids: wallet, currency },
  })
  const order = { owner: 'shop', price, options: [option('a', 'USDT'), option('a', 'native')] }
  const fields = (recorded: typeof order) =>
    differences(orderAsked(draft, 'shop'), orderRecorded(recorded)).map((one) =>
      one.kind === 'draft' ? one.field : '',
    )

  test('is suspicious where its record differs from what was asked for', () => {
    assert.deepEqual(fields(order), [])
    assert.deepEqual(fields({ ...order, price: { amount: '3', currency: 'USD' } }), ['amount', 'currency'])
    assert.deepEqual(fields({ ...order, options: [option('x', 'USDT'), option('a', 'native')] }), ['options'])
    assert.deepEqual(fields({ ...order, options: [option('a', 'USDT')] }), ['options'])
    assert.deepEqual(fields({ ...order, owner: 'thief' }), ['owner'])
  })
})

describe('the address of a wallet', () => {
  test('is remembered once and never replaced', () => {
    const first = remembered({}, LIST)
    assert.deepEqual(first, { a: '0xa' })
    assert.equal(remembered(first, [{ id: 'a', address: '0xother' }]), first)
    assert.deepEqual(remembered(first, [{ id: 'n', address: '0xn' }]), { a: '0xa', n: '0xn' })
  })

  test('has changed only where two are known', () => {
    const [a, n] = knownWallets(LIST, { a: '0xfirst', n: '0xn' })
    assert.deepEqual([a && hasChanged(a), n && hasChanged(n)], [true, false])
  })

  test('of a wallet with a strange id is one like any other', () => {
    const [wallet] = knownWallets([{ id: '__proto__', address: '0xa', network: 'SEP', assigned_at: 1 }], {})
    assert.equal(wallet?.first, '0xa')
    assert.equal(Object.hasOwn(remembered({}, [{ id: 'toString', address: '0xa' }]), 'toString'), true)
  })
})
