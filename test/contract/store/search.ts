import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { InvoiceWithPayment, Page, PageOf } from '../../../src/store/reading.js'
import { addressOf, walletCreated } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

const HASH = `0x${'ab'.repeat(32)}`
const MANY = 20

/** What people find by how it begins. */
export function describeSearch(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))
  const numbers = (found: readonly InvoiceWithPayment[]) => found.map(({ order }) => order.orderNumber)
  const references = (found: readonly InvoiceWithPayment[]) => found.map(({ invoice }) => invoice.reference)
  const byTransaction = async (t: Scenario, beginnings: readonly string[], limit = MANY, network = 'SEP') => {
    const found: string[] = []
    let after: string | null = null
    do {
      const page: Page = { after, limit }
      const { items, next }: PageOf<{ txHash: string; index: number }> = await t.store.search.byTransaction(
        network,
        beginnings,
        page,
      )
      found.push(...items.map(({ txHash, index }) => `${txHash} ${index}`))
      after = next
    } while (after !== null)
    return found
  }

  describe('a search', () => {
    scenario(
      'finds invoices of all owners by the beginning of an order number, exactly as it is written',
      async (t) => {
        await t.own('alice', 'wallet-1')
        await t.own('bob', 'wallet-2')
        const given = ['A-1', 'A-10', 'A-1\0', 'A-1\u{1f600}', 'A-2', 'a-1', 'Ä-1', '%', '_']
        for (const [n, orderNumber] of given.entries()) {
          await t.invoice({ amount: `${n + 1}`, orderNumber, reference: `of ${n}` })
        }
        await t.invoice({ owner: 'bob', walletIds: ['wallet-2'], orderNumber: 'A-1' })
        const find = async (beginning: string, limit = MANY) =>
          numbers(await t.store.search.byOrderNumber(beginning, limit))
        assert.deepEqual((await find('A-1')).slice(0, 2), ['A-1', 'A-1'])
        assert.deepEqual((await find('A-1')).toSorted(), ['A-1', 'A-1', 'A-1\0', 'A-10', 'A-1\u{1f600}'])
        assert.deepEqual(await find('A-1', 2), ['A-1', 'A-1'])
        assert.deepEqual(await find('A-1\u{1f600}'), ['A-1\u{1f600}'])
        assert.deepEqual([await find('Ä'), await find('A-2'), await find('a')], [['Ä-1'], ['A-2'], ['a-1']])
        for (const none of ['', 'A%', 'A_1', 'A-1\u{1f601}', '\ufffd', 'x'.repeat(3000)]) {
          assert.deepEqual(await find(none), [], none.slice(0, 9))
        }
        assert.deepEqual([await find('%'), await find('_')], [['%'], ['_']])
      },
    )

    scenario('finds invoices by the beginning of a reference, with their payment', async (t) => {
      await t.own('alice', 'wallet-1')
      const given = ['order-1-aa', 'order-1-bb', 'order-10', 'order-2', 'ORDER-1', '%order', 'ö']
      for (const [n, reference] of given.entries()) await t.invoice({ amount: `${n + 1}`, reference })
      const find = async (beginning: string, limit = MANY) =>
        references(await t.store.search.byReference(beginning, limit))
      assert.deepEqual(await find('order-1-'), ['order-1-aa', 'order-1-bb'])
      assert.deepEqual((await find('order-1')).toSorted(), ['order-1-aa', 'order-1-bb', 'order-10'])
      assert.deepEqual((await find('order-', 1)).length, 1)
      assert.deepEqual([await find('ORDER'), await find('%'), await find('ö')], [['ORDER-1'], ['%order'], ['ö']])
      for (const none of ['', 'rder', 'order_1', 'o%', 'x'.repeat(3000)]) assert.deepEqual(await find(none), [])
      const [first] = await t.store.search.byReference('order-1-aa', 1)
      assert.deepEqual(first, await t.told(first?.invoice ?? { id: '' }))
    })

    scenario('finds invoices by the beginning of their ids, imported ones too', async (t) => {
      await t.own('alice', 'wallet-1')
      const own = await t.invoice({ amount: '1' })
      t.clock.advance(1_000_000_000_000)
      const later = await t.invoice({ amount: '2' })
      const imported = { ...own, id: `Fe${'d'.repeat(30)}`, amount: '3' }
      await t.store.imports.add([
        { type: 'invoice', invoice: imported, expiresAt: null, voidedAt: null, acceptedAt: null },
      ])
      const find = async (beginning: string, limit = MANY) =>
        (await t.store.search.byInvoiceId(beginning, limit)).map(({ invoice }) => invoice.id)
      for (const { id } of [own, later]) {
        for (const length of [9, 13, 31, 32]) assert.deepEqual(await find(id.slice(0, length)), [id], `${length}`)
      }
      assert.deepEqual([await find('Fed'), await find(imported.id)], [[imported.id], [imported.id]])
      assert.equal((await find('0', 1)).length, 1)
      for (const none of ['', 'fed', `${own.id}0`, own.id.toUpperCase().replace(/^\d*/, 'F'), '%', 'zz']) {
        assert.deepEqual(await find(none), [], none)
      }
    })

    scenario('finds deposits by the beginning of their transaction, whatever their index', async (t) => {
      await t.own('alice', 'wallet-1')
      for (const index of [0, 7, 1000, 4_294_967_295]) await t.deposit('pending', { txHash: HASH, index })
      await t.deposit('confirmed', { txHash: `0x${'ac'.repeat(32)}`, index: 7 })
      await t.deposit('pending', { txHash: 'no hash', index: 7 })
      const all = [0, 7, 1000, 4_294_967_295].map((index) => `${HASH} ${index}`)
      for (const beginning of ['0xab', HASH.slice(0, 40), HASH]) {
        assert.deepEqual((await byTransaction(t, [beginning])).toSorted(), all.toSorted(), beginning)
      }
      assert.equal((await byTransaction(t, ['0xa'])).length, 5)
      assert.equal((await byTransaction(t, ['zz', '0xac'])).length, 1)
      assert.deepEqual(await byTransaction(t, ['no h']), ['no hash 7'])
      for (const none of ['', 'ab', '0xAB', `${HASH}0`, '%']) assert.deepEqual(await byTransaction(t, [none]), [], none)
      assert.deepEqual(await byTransaction(t, ['0x'], MANY, 'TRX-NILE'), [])
    })

    scenario(
      'finds wallets by the beginning of their addresses, without regard to case only where it means nothing',
      async (t) => {
        await t.own('alice', 'wallet-1', 'wallet-2')
        await t.tell({ ...walletCreated('nile', 'TRX-NILE'), address: 'TAbc1' } as ReturnType<typeof walletCreated>)
        // An address that has received a deposit, and is no wallet's.
        await t.deposit('pending', { toAddress: '0xAddress-of-nobody' })
        const find = async (network: string, beginning: string, limit = MANY) =>
          (await t.store.search.byAddress(network, beginning, limit)).map(({ id }) => id)
        assert.deepEqual(await find('SEP', '0xADDRESS-OF-w'), ['wallet-1', 'wallet-2'])
        assert.deepEqual(await find('SEP', addressOf('wallet-2')), ['wallet-2'])
        assert.deepEqual(await find('SEP', '0xaddress-of-', 1), ['wallet-1'].slice(0, 1))
        assert.deepEqual([await find('TRX-NILE', 'TAb'), await find('TRX-NILE', 'tab')], [['nile'], []])
        for (const none of ['', '0xaddress-of-x', '%']) assert.deepEqual(await find('SEP', none), [], none)
      },
    )

    scenario('tells what was received at an address and is no invoice’s, last received first', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      const receive = (txHash: string, offset: number, fields: object = {}) =>
        t.deposit('confirmed', { txHash, receivedAt: START_MS + offset, ...fields })
      await receive('b', 2)
      await receive('a', 3, { currency: 'Tether', amount: '5000000' })
      await receive('c', 1)
      await receive('elsewhere', 9, { toAddress: addressOf('wallet-2') })
      await receive('gone', 8)
      await t.deposit('dropped', { txHash: 'gone', receivedAt: START_MS + 8 })
      await t.invoice({ amount: '5' })
      t.clock.advance(60_000)
      await receive('matched', 60_000, { amount: '5' })
      const find = async (limit: number, address = addressOf('wallet-1')) =>
        (await t.store.search.unmatchedTo('SEP', address, limit)).map(({ txHash }) => txHash)
      assert.deepEqual(
        [await find(MANY), await find(2)],
        [
          ['a', 'b', 'c'],
          ['a', 'b'],
        ],
      )
      assert.deepEqual(await find(MANY, addressOf('wallet-1').toUpperCase().replace('0X', '0x')), ['a', 'b', 'c'])
      assert.deepEqual([await find(MANY, '0xnobody'), await t.store.search.unmatchedTo('BNB', 'x', 1)], [[], []])
    })

    scenario('tells which invoices of an owner are on a wallet, open, paid or void, newest first', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      const made: string[] = []
      for (const [n, fields] of [
        {},
        { reference: 'r', currency: 'USDT' as const },
        { walletIds: ['wallet-1', 'wallet-2'], callbackUrl: 'https://shop.example/', reference: 's' },
      ].entries()) {
        t.clock.advance(1)
        made.unshift((await t.invoice({ amount: `${n + 1}`, ...fields })).id)
      }
      t.clock.advance(1)
      const gone = await t.invoice({ amount: '9' })
      await t.void(gone.id)
      made.unshift(gone.id)
      await t.invoice({ amount: '8', walletIds: ['wallet-2'] })
      t.clock.advance(60_000)
      await t.deposit('confirmed', { amount: '1', receivedAt: t.clock.now() })
      const find = async (walletId: string, owner: string, limit = MANY) =>
        (await t.store.search.invoicesOn(walletId, owner, limit)).map(({ invoice }) => invoice.id)
      assert.deepEqual(await find('wallet-1', 'alice'), made)
      assert.deepEqual(await find('wallet-1', 'alice', 2), made.slice(0, 2))
      assert.equal((await find('wallet-2', 'alice')).length, 2)
      assert.deepEqual([await find('wallet-1', 'bob'), await find('nothing', 'alice')], [[], []])
    })
  })
}
