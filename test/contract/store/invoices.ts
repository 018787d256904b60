import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { UnpaidSearch } from '../../../src/store/invoices.js'
import { addressOf, type InvoiceFields, refusalOf, walletAssigned } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

/** More open invoices than are examined with a deposit that may have paid them. */
const OPEN_UNEXAMINED = 40

/** Creation, refusals and lists of invoices (decisions 4). */
export function describeInvoices(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  describe('an invoice', () => {
    scenario('is kept as it was asked for and found again', async (t) => {
      await t.own('alice', 'b', 'a')
      const invoice = await t.invoice({
        walletIds: ['b', 'a'],
        name: 'Ünïcode 😀',
        amount: '0100.00',
        currency: 'USDT',
        description: 'two lines\nof text',
        reference: ' order 7 ',
        callbackUrl: 'https://example.com/hook',
      })
      assert.deepEqual(invoice, {
        id: invoice.id,
        owner: 'alice',
        wallet_id: 'b',
        wallet_ids: 'b,a',
        name: 'Ünïcode 😀',
        description: 'two lines\nof text',
        reference: ' order 7 ',
        amount: '0100.00',
        currency: 'USDT',
        callback_url: 'https://example.com/hook',
        created_at: START_MS,
      })
      assert.match(invoice.id, /^[0-9a-f]{32}$/)
      assert.deepEqual(await t.store.invoices.find(invoice.id), invoice)
      assert.deepEqual(await t.store.invoices.findByReference(' order 7 '), invoice)
      assert.deepEqual(await t.store.invoices.findWithPayment(invoice.id), {
        invoice,
        order: { returnUrl: null, orderNumber: null, metadata: null },
        payment: { status: 'unpaid', received: '0', pending: '0', remaining: '100', overpaid: '0', own: '0' },
        own: { status: 'unpaid', received: '0', pending: '0', remaining: '100', overpaid: '0', own: '0' },
        voidedAt: null,
        acceptedAt: null,
        expiresAt: null,
      })
    })

    scenario('keeps its wallets in the order it named them, whatever others did before', async (t) => {
      await t.own('alice', 'a', 'b', 'c')
      const orders = [['a', 'b'], ['b', 'a'], ['c', 'a', 'b'], ['b', 'a', 'c'], ['b'], ['a', 'b']]
      for (const [i, walletIds] of orders.entries()) {
        const created = await t.invoice({ walletIds, amount: `${i + 1}` })
        assert.deepEqual([created.wallet_id, created.wallet_ids], [walletIds[0], walletIds.join(',')])
        assert.deepEqual(await t.store.invoices.find(created.id), created)
      }
      await t.harness.reopen()
      const { items } = await t.store.invoices.page('alice', { after: null, limit: 9 })
      assert.deepEqual(
        items.map(({ wallet_ids }) => wallet_ids).toReversed(),
        orders.map((walletIds) => walletIds.join(',')),
      )
    })

    scenario('that does not exist is not found, whatever the text', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice()
      for (const text of ['', '0', id.toUpperCase(), `${id}0`, id.slice(1), 'z'.repeat(32), `${id.slice(0, 31)}g`]) {
        assert.equal(await t.store.invoices.find(text), undefined)
        assert.equal(await t.store.invoices.findWithPayment(text), undefined)
      }
      for (const text of ['', 'order', 'x'.repeat(600), 'x'.repeat(3000), 'x'.repeat(100_000), '\0']) {
        assert.equal(await t.store.invoices.findByReference(text), undefined)
      }
    })

    describe('that is the oldest unpaid one of a time', () => {
      const address = addressOf('wallet-1')
      const search = {
        network: 'SEP',
        address,
        currency: 'native',
        from: START_MS + 10,
        before: START_MS + 20,
      } as const
      const created = async (t: Scenario, offsetMs: number, amount: string, fields: InvoiceFields = {}) => {
        t.clock.set(START_MS + offsetMs)
        return (await t.invoice({ amount, ...fields })).id
      }
      const found = async (t: Scenario, changed: Partial<UnpaidSearch> = {}) =>
        (await t.store.invoices.oldestUnpaid({ ...search, ...changed }))?.id

      scenario('was created from its beginning on, and before its end', async (t) => {
        await t.own('alice', 'wallet-1')
        await created(t, 9, '1')
        assert.equal(await found(t), undefined)
        await created(t, 20, '2')
        assert.equal(await found(t), undefined)
        const last = await created(t, 19, '3')
        assert.equal(await found(t), last)
        const first = await created(t, 10, '4')
        assert.equal(await found(t), first)
      })

      scenario('is one of the wallet, of its owner and of the currency, however it is notified', async (t) => {
        await t.own('alice', 'wallet-1', 'wallet-2')
        await created(t, 10, '1', { currency: 'USDT' })
        await created(t, 11, '2', { walletIds: ['wallet-2'] })
        assert.equal(await found(t), undefined)
        assert.equal(await found(t, { network: 'TRX-NILE' }), undefined)
        assert.equal(await found(t, { address: addressOf('stranger') }), undefined)
        const both = await created(t, 14, '3', { walletIds: ['wallet-2', 'wallet-1'], reference: 'r' })
        assert.equal(await found(t), both)
        const own = await created(t, 13, '4', { reference: 's', callbackUrl: 'https://example.com/' })
        assert.equal(await found(t), own)
        const silent = await created(t, 12, '5')
        assert.deepEqual([await found(t), await found(t, { address: address.toUpperCase() })], [silent, silent])
        await t.tell(walletAssigned('wallet-1', 'bob'))
        assert.equal(await found(t), undefined)
      })

      scenario('is neither paid nor void', async (t) => {
        await t.own('alice', 'wallet-1')
        const paid = await created(t, 10, '1')
        const voided = await created(t, 11, '2')
        await t.deposit('confirmed', { currency: '#native', amount: '1', receivedAt: START_MS + 11 })
        assert.equal(await found(t), voided)
        await t.void(voided)
        assert.equal(await found(t), undefined)
        const open = await created(t, 12, '3', { expiresInSeconds: 60 })
        assert.deepEqual([await found(t), (await t.told({ id: paid })).payment.status], [open, 'paid'])
        t.clock.advance(60_000)
        assert.equal(await found(t), undefined, 'expired')
      })

      scenario('is none that a deposit has paid, though nobody has looked', async (t) => {
        await t.own('alice', 'wallet-1')
        for (let n = 1; n <= OPEN_UNEXAMINED; n += 1) await created(t, 10, `${n}`)
        assert.notEqual(await found(t), undefined)
        await t.deposit('confirmed', { currency: '#native', amount: '1000', receivedAt: START_MS + 11 })
        assert.equal(await found(t), undefined)
      })
    })

    scenario('may have the longest of everything', async (t) => {
      const owner = '😀'.repeat(128)
      const walletIds = Array.from({ length: 50 }, (_, i) => `${i}-`.padEnd(128, 'w'))
      for (const id of walletIds) {
        await t.tell({ type: 'wallet.assigned', id, address: `0x${id}`.slice(0, 128), network: 'SEP', owner })
      }
      const invoice = await t.invoice({
        owner,
        walletIds,
        name: '😀'.repeat(80),
        description: '😀'.repeat(500),
        reference: '😀'.repeat(80),
        amount: `${'9'.repeat(60)}.${'9'.repeat(18)}`,
        callbackUrl: 'https://example.com/'.padEnd(2048, 'é'),
      })
      assert.deepEqual(await t.store.invoices.find(invoice.id), invoice)
      assert.deepEqual(await t.store.invoices.findByReference('😀'.repeat(80)), invoice)
      assert.deepEqual((await t.store.invoices.page(owner, { after: null, limit: 5 })).items, [invoice])
    })
  })

  describe('creation is refused, and nothing changes,', () => {
    const refusals: readonly (readonly [string, string, Parameters<Scenario['request']>[0]])[] = [
      ['for a wallet that is not known', 'wallet_not_owned', { walletIds: ['unknown'] }],
      ["for somebody else's wallet", 'wallet_not_owned', { walletIds: ['bobs'] }],
      ['when one wallet of several is not owned', 'wallet_not_owned', { walletIds: ['wallet-1', 'bobs'] }],
      ['for a wallet nobody owns', 'wallet_not_owned', { walletIds: ['free'] }],
      ['for a wallet whose address is not known', 'wallet_not_owned', { walletIds: ['wallet-1', 'unplaced'] }],
      ['for an owner nobody has heard of', 'wallet_not_owned', { owner: 'carol' }],
      ['for a callback that is no URL', 'invalid_callback_url', { callbackUrl: 'javascript:alert(1)' }],
      ['for a reference in use', 'reference_in_use', { reference: 'taken', amount: '7' }],
      ['for a reference that somebody else uses', 'reference_in_use', { reference: 'bobs-order', amount: '7' }],
      ['for an equal amount', 'amount_in_use', { amount: '100' }],
      ['for an equal amount written otherwise', 'amount_in_use', { amount: '0100.000' }],
      [
        'for an equal amount on one of several wallets',
        'amount_in_use',
        { walletIds: ['wallet-2', 'wallet-1'], amount: '100' },
      ],
      ['by ownership first', 'wallet_not_owned', { walletIds: ['bobs'], callbackUrl: 'x', reference: 'taken' }],
      ['by callbackUrl before the reference', 'invalid_callback_url', { callbackUrl: 'x', reference: 'taken' }],
      ['by the reference before the amount', 'reference_in_use', { reference: 'taken', amount: '100' }],
    ]
    for (const [what, code, fields] of refusals) {
      scenario(what, async (t) => {
        await t.own('alice', 'wallet-1', 'wallet-2')
        await t.own('bob', 'bobs')
        await t.tell(walletAssigned('unplaced', 'alice'))
        await t.tell({ type: 'wallet.created', id: 'free', address: '0xfree', network: 'SEP' })
        await t.invoice({ amount: '100', reference: 'taken' })
        await t.invoice({ owner: 'bob', walletIds: ['bobs'], reference: 'bobs-order' })
        const before = await t.snapshot()
        assert.equal(refusalOf(await t.request(fields)), code)
        assert.deepEqual(await t.snapshot(), before)
        assert.equal(await t.store.identities.isKnown('carol'), false)
      })
    }

    scenario('with the wallet to blame, and not a word about others', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2', 'wallet-3')
      await t.own('bob', 'bobs')
      await t.tell(walletAssigned('unplaced', 'alice'))
      await t.tell({ type: 'wallet.created', id: 'free', address: '0xfree', network: 'SEP' })
      await t.invoice({ amount: '100', walletIds: ['wallet-2'] })
      const cases: readonly (readonly [readonly string[], object])[] = [
        [['wallet-1', 'unknown', 'bobs'], { wallet: 'unknown', reason: 'not_assigned' }],
        [['wallet-1', 'bobs', 'unknown'], { wallet: 'bobs', reason: 'not_assigned' }],
        [['free'], { wallet: 'free', reason: 'not_assigned' }],
        [['wallet-1', 'unplaced', 'bobs'], { wallet: 'unplaced', reason: 'no_address' }],
        [['wallet-1', 'wallet-2', 'wallet-3'], { wallet: 'wallet-2' }],
      ]
      for (const [walletIds, details] of cases) {
        const outcome = await t.request({ amount: '100', walletIds })
        assert.ok(!outcome.ok)
        assert.deepEqual(outcome.failure.details, details)
      }
      const stranger = await t.request({ owner: 'carol', walletIds: ['wallet-1'] })
      assert.ok(!stranger.ok)
      assert.deepEqual(stranger.failure.details, { wallet: 'wallet-1', reason: 'not_assigned' })
    })

    scenario('with the amount and the currency as sent', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '100', currency: 'USDT' })
      const outcome = await t.request({ amount: '100.00', currency: 'USDT' })
      assert.ok(!outcome.ok)
      assert.match(outcome.failure.message, /exact amount \(100\.00 USDT\)/)
    })
  })

  describe('the invoices of an owner', () => {
    scenario('are listed newest first, in pages of any size', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.own('bob', 'bobs')
      await t.invoice({ owner: 'bob', walletIds: ['bobs'] })
      const ids: string[] = []
      for (let i = 1; i <= 7; i += 1) {
        ids.unshift((await t.invoice({ amount: `${i}` })).id)
        if (i % 2 === 0) t.clock.advance(1)
      }
      for (const limit of [1, 2, 3, 6, 7, 8, 1000]) {
        const pages = await t.walk((after) => t.store.invoices.page('alice', { after, limit }))
        assert.deepEqual(
          pages.flat().map(({ id }) => id),
          ids,
        )
        assert.equal(pages.length, Math.ceil(7 / limit))
        const cursors = [null, ...ids]
        for (const [at, after] of cursors.entries()) {
          const { next } = await t.store.invoices.page('alice', { after, limit })
          assert.equal(await t.store.invoices.nextOf('alice', { after, limit }), next, `${limit} behind ${at}`)
        }
        const paid = await t.walk((after) => t.store.invoices.pageWithPayment('alice', { after, limit }))
        assert.deepEqual(
          paid.flat().map(({ invoice }) => invoice.id),
          ids,
        )
        assert.ok(paid.flat().every(({ payment }) => payment.status === 'unpaid'))
      }
    })

    scenario('are none for somebody unknown, and none behind a cursor of another form', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice()
      assert.deepEqual(await t.store.invoices.page('nobody', { after: null, limit: 5 }), { items: [], next: null })
      for (const after of ['', 'zz', '00', 'g'.repeat(32)]) {
        assert.deepEqual(await t.store.invoices.page('alice', { after, limit: 5 }), { items: [], next: null })
        assert.equal(await t.store.invoices.nextOf('alice', { after, limit: 5 }), null)
      }
    })

    scenario('are read piece by piece, each once, where others are to have their turn', async (t) => {
      await t.own('alice', 'wallet-1')
      const ids: string[] = []
      for (let i = 1; i <= 7; i += 1) ids.unshift((await t.invoice({ amount: `${i}` })).id)
      const slice = { touch: () => {}, isOver: true }
      const pages = await t.walk((after) => t.store.invoices.page('alice', { after, limit: 3, slice }))
      assert.deepEqual(
        pages.flat().map(({ id }) => id),
        ids,
      )
      const paid = await t.walk((after) => t.store.invoices.pageWithPayment('alice', { after, limit: 3, slice }))
      assert.deepEqual(
        paid.flat().map(({ invoice }) => invoice.id),
        ids,
      )
      const ofAll = await t.walk((after) => t.store.overview.invoices({ after, limit: 3, slice }))
      assert.deepEqual(
        ofAll.flat().map(({ invoice }) => invoice.id),
        ids,
      )
    })

    scenario('are each listed once while others are created', async (t) => {
      await t.own('alice', 'wallet-1')
      const before = new Set<string>()
      for (let i = 1; i <= 9; i += 1) before.add((await t.invoice({ amount: `${i}` })).id)
      let made = 100
      const pages = await t.walk(async (after) => {
        const page = await t.store.invoices.page('alice', { after, limit: 2 })
        t.clock.advance(1)
        made += 1
        await t.invoice({ amount: `${made}` })
        return page
      })
      const listed = pages.flat().map(({ id }) => id)
      assert.equal(new Set(listed).size, listed.length)
      assert.deepEqual(new Set(listed), before)
    })

    scenario('survive a restart, with the order of creation', async (t) => {
      await t.own('alice', 'wallet-1')
      const first = await t.invoice({ amount: '1', reference: 'kept' })
      await t.harness.reopen()
      t.clock.advance(1)
      const second = await t.invoice({ amount: '2' })
      assert.deepEqual((await t.store.invoices.page('alice', { after: null, limit: 9 })).items, [second, first])
      assert.equal(refusalOf(await t.request({ amount: '1.0' })), 'amount_in_use')
      assert.equal(refusalOf(await t.request({ amount: '3', reference: 'kept' })), 'reference_in_use')
    })
  })
}
