import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Invoice } from '../../../src/domain/invoice.js'
import { NO_ORDER_FIELDS, type OrderFields } from '../../../src/domain/order-fields.js'
import { unwrap } from '../../support/fixtures.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'

const EVERYTHING = { after: null, limit: 100 }
/** Keys that mean something to objects, in a text so that they are keys. */
const INERT = JSON.parse('{"__proto__": "p", "constructor": "c", "": "e", "b": "2", "1": "", "\\u0000": "\\u0001"}')
const ORDER: OrderFields = {
  returnUrl: 'https://shop.example/orders/7?a=1#b',
  orderNumber: ' A-7/ü\u{1f600}\0\u0001%_ ',
  metadata: INERT,
}
/** The same as a request says it. */
const given = { ...ORDER } as { returnUrl: string; orderNumber: string; metadata: Record<string, string> }

/** What invoices say of the orders that they are for (decisions 4). */
export function describeOrderFields(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))
  const listed = async (t: Scenario, orderNumber: string, owner = 'alice') => {
    const { invoices } = t.store
    const [plain, paid] = [
      await invoices.page(owner, EVERYTHING, orderNumber),
      await invoices.pageWithPayment(owner, EVERYTHING, orderNumber),
    ]
    assert.deepEqual(
      plain.items,
      paid.items.map(({ invoice }) => invoice),
    )
    return plain.items.map(({ id }) => id)
  }
  const numbered = async (t: Scenario, orderNumber: string, amount: string, owner = 'alice') => {
    const walletIds = [owner === 'alice' ? 'wallet-1' : 'wallet-2']
    return (await t.invoice({ owner, walletIds, amount, orderNumber })).id
  }

  describe('what an invoice says of its order', () => {
    scenario('is kept as it was given, wherever the invoice is read', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice(given)
      const other = await t.invoice({ amount: '7' })
      const check = async () => {
        assert.deepEqual((await t.told(invoice)).order, ORDER)
        assert.deepEqual((await t.told(other)).order, NO_ORDER_FIELDS)
        assert.deepEqual(Object.keys((await t.told(invoice)).order.metadata ?? {}), Object.keys(INERT))
        const { items } = await t.store.invoices.pageWithPayment('alice', EVERYTHING)
        assert.deepEqual(
          items.map(({ order }) => order),
          [NO_ORDER_FIELDS, ORDER],
        )
        const events = unwrap(await t.store.events.page('alice', EVERYTHING)).items
        const told = events.map(({ returnUrl, orderNumber, metadata }) => ({ returnUrl, orderNumber, metadata }))
        assert.deepEqual(told, [ORDER, NO_ORDER_FIELDS])
        const seen = present(await t.store.invoices.findWithDeposits(invoice.id, 1))
        assert.deepEqual(seen.order, ORDER)
      }
      await check()
      await t.harness.reopen()
      await check()
      assert.deepEqual(unwrap(await t.void(invoice.id)).order, ORDER)
    })

    for (const [name, part] of [
      ['a URL to return to', { returnUrl: 'http://shop.example/' }],
      ['an order number', { orderNumber: '7' }],
      ['metadata', { metadata: { a: 'b' } }],
    ] as const) {
      scenario(`may be ${name} alone`, async (t) => {
        await t.own('alice', 'wallet-1')
        assert.deepEqual((await t.told(await t.invoice(part))).order, { ...NO_ORDER_FIELDS, ...part })
      })
    }

    scenario('is in the webhooks of an owner who wants the invoice in them', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.store.webhooks.put('alice', 'https://example.com/hook', 'with-invoice')
      await t.invoice({ ...given, reference: 'r' })
      const { deliveries } = await t.deposit('pending')
      const { returnUrl, orderNumber, metadata } = JSON.parse(deliveries[0]?.body ?? '').invoice
      assert.deepEqual({ returnUrl, orderNumber, metadata }, ORDER)
    })

    scenario('is imported with the invoice, and not taken for another by a record without it', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice({ amount: '3' })
      const imported: Invoice = { ...invoice, id: 'B'.repeat(32), amount: '4' }
      const record = { type: 'invoice', invoice: imported, expiresAt: null, voidedAt: null, acceptedAt: null } as const
      const add = async (order?: OrderFields) => {
        const [fate] = await t.store.imports.add([order === undefined ? record : { ...record, order }])
        return fate?.status === 'fulfilled' ? fate.value.status : fate?.reason
      }
      assert.equal(await add(ORDER), 'added')
      assert.deepEqual((await t.told(imported)).order, ORDER)
      assert.deepEqual(await listed(t, ORDER.orderNumber ?? ''), [imported.id])
      assert.deepEqual([await add(ORDER), await add()], ['known', 'known'])
      assert.equal(await add({ ...ORDER, metadata: { other: 'text' } }), 'refused')
    })
  })

  describe('an order number', () => {
    scenario('finds exactly the invoices of its owner that have it, newest first', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.own('bob', 'wallet-2')
      const first = await numbered(t, 'A-1', '1')
      await numbered(t, 'A-10', '2')
      await numbered(t, 'A-1', '3', 'bob')
      await numbered(t, 'a-1', '4')
      t.clock.advance(5)
      const second = await numbered(t, 'A-1', '5')
      assert.deepEqual(await listed(t, 'A-1'), [second, first])
      for (const none of ['', 'A-', 'A-1 ', 'A-_', '%', 'A-1\0', 'Ä-1']) assert.deepEqual(await listed(t, none), [])
      assert.deepEqual(await listed(t, 'A-1', 'carol'), [])
    })

    scenario('is told from one that goes on with what ends it in an index', async (t) => {
      await t.own('alice', 'wallet-1')
      const names = ['x', 'x\0', 'x\u0001', 'x\u00010', 'x\u00011', 'x\u{10ffff}', 'x\uffff']
      const ids: string[] = []
      for (const [n, name] of names.entries()) ids.push(await numbered(t, name, `${n + 1}`))
      for (const [n, name] of names.entries()) assert.deepEqual(await listed(t, name), [ids[n]], JSON.stringify(name))
    })

    scenario('is read in pages, whose cursors are known ahead', async (t) => {
      await t.own('alice', 'wallet-1')
      const ids: string[] = []
      for (let n = 1; n <= 5; n += 1) {
        ids.unshift(await numbered(t, 'A', `${n}`))
        await numbered(t, 'B', `${10 * n}`)
      }
      const found: string[] = []
      let after: string | null = null
      do {
        const page: { readonly after: string | null; readonly limit: number } = { after, limit: 2 }
        const { items, next } = await t.store.invoices.page('alice', page, 'A')
        assert.equal(await t.store.invoices.nextOf('alice', page, 'A'), next)
        found.push(...items.map(({ id }) => id))
        after = next
      } while (after !== null)
      assert.deepEqual(found, ids)
      const { items } = await t.store.invoices.page('alice', { after: 'zz', limit: 2 }, 'A')
      assert.deepEqual(items, [])
      assert.equal(await t.store.invoices.nextOf('carol', { after: null, limit: 2 }, 'A'), null)
    })
  })
}
