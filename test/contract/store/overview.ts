import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Awaitable, Page, PageOf } from '../../../src/store/reading.js'
import { registration, unwrap, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

/** Records of all owners, for the operator. */
export function describeOverview(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  describe('the overview', () => {
    scenario('of a new store is empty', async (t) => {
      const none = { identities: 0, wallets: 0, keys: 0, invoices: 0, deposits: 0, deliveries: 0 }
      assert.deepEqual(await t.store.overview.counts(), none)
      assert.deepEqual(await t.store.overview.owners({ after: null, limit: 10 }), { items: [], next: null })
    })

    scenario('has every owner whom a record names, and every wallet, each once, in pages', async (t) => {
      await t.tell({ type: 'identity.onboarded', identity: 'onboarded' })
      await t.store.webhooks.put('configured', 'https://example.com/')
      const ids = Array.from({ length: 7 }, (_, i) => `w${i}`)
      for (const id of ids.slice(0, 5)) await t.tell(walletCreated(id))
      for (const id of ids.slice(5)) await t.tell(walletAssigned(id, 'owner'))
      const { overview } = t.store
      assert.deepEqual(await overview.counts(), {
        identities: 3,
        wallets: 7,
        keys: 0,
        invoices: 0,
        deposits: 0,
        deliveries: 0,
      })
      const owners = await all((page) => overview.owners(page), 2)
      assert.deepEqual(
        owners.toSorted((a, b) => (a.owner < b.owner ? -1 : 1)),
        [
          { owner: 'configured', isKnown: false, keys: null },
          { owner: 'onboarded', isKnown: true, keys: null },
          { owner: 'owner', isKnown: true, keys: null },
        ],
      )
      const wallets = await all((page) => overview.wallets(page), 3)
      assert.deepEqual(wallets.map(({ id }) => id).sort(), ids)
      for (const wallet of wallets) assert.deepEqual(wallet, await t.store.wallets.find(wallet.id))
    })

    scenario('has the invoices, deliveries and keys of all owners, newest first where it says so', async (t) => {
      const { overview, invoices, outbox } = t.store
      const made: string[] = []
      for (const [at, owner] of ['alice', 'bob', 'alice', 'bob', 'alice'].entries()) {
        const walletIds = [`wallet of ${owner}`]
        if (at < 2) await t.own(owner, ...walletIds)
        t.clock.set(t.clock.now() + 1)
        const more = { reference: `r${at}`, callbackUrl: 'https://example.com/' }
        made.unshift((await t.invoice({ owner, walletIds, amount: `${at + 1}`, ...more })).id)
        const toAddress = `0xAddress-of-${walletIds[0]}`
        await t.deposit('pending', { txHash: `0x${at}`, toAddress, amount: `${at + 1}`, receivedAt: t.clock.now() + 1 })
      }
      for (const limit of [1, 2, 5, 9]) {
        const found = await all((page) => overview.invoices(page), limit)
        assert.deepEqual(
          found.map(({ invoice }) => invoice.id),
          made,
        )
        assert.deepEqual(found[0], await invoices.findWithPayment(made[0] ?? ''))
        const deliveries = await all((page) => overview.deliveries(page), limit)
        const deposits = await all((page) => overview.deposits(page), limit)
        assert.deepEqual(
          deposits.map(({ txHash }) => txHash),
          ['0x4', '0x3', '0x2', '0x1', '0x0'],
        )
        const ids = deliveries.map(({ id }) => id)
        assert.equal(ids.length, made.length)
        assert.deepEqual(ids, ids.toSorted().reverse())
        assert.deepEqual(deliveries[0], await outbox.find(ids[0] ?? ''))
      }
      const ofBob = await all((page) => overview.deliveriesSince('bob', 0, page), 1)
      assert.deepEqual(ofBob, (await outbox.page('bob', { after: null, limit: 9 })).items.toReversed())
      for (const limit of [1, 2, 3, 9]) {
        const { next } = await outbox.page('bob', { after: null, limit })
        assert.equal(await outbox.nextOf('bob', { after: null, limit }), next)
      }
      const last = ofBob.at(-1)
      const since = await overview.deliveriesSince('bob', last?.createdAt ?? 0, { after: null, limit: 9 })
      assert.deepEqual(since, { items: [last], next: null })
      assert.deepEqual(await overview.deliveriesSince('nobody', 0, { after: null, limit: 9 }), {
        items: [],
        next: null,
      })
      for (const name of ['invoices', 'deliveries', 'deposits'] as const) {
        assert.deepEqual(await overview[name]({ after: 'no cursor', limit: 1 }), { items: [], next: null })
      }
      for (const [at, owner] of ['alice', 'bob', 'alice'].entries()) {
        unwrap(await t.store.keys.register(registration(at + 1, { owner, label: `${at}` })))
      }
      const keys = await all((page) => overview.keys(page), 2)
      assert.deepEqual(keys.map(({ label }) => label).sort(), ['0', '1', '2'])
    })
  })
}

async function all<T>(read: (page: Page) => Awaitable<PageOf<T>>, limit: number): Promise<readonly T[]> {
  const found: T[] = []
  let after: string | null = null
  do {
    const page: PageOf<T> = await read({ after, limit })
    found.push(...page.items)
    after = page.next
  } while (after !== null)
  return found
}
