import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Awaitable, Page, PageOf } from '../../../src/store/store.js'
import { walletAssigned, walletCreated } from '../../support/fixtures.js'
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
          { owner: 'configured', isKnown: false },
          { owner: 'onboarded', isKnown: true },
          { owner: 'owner', isKnown: true },
        ],
      )
      const wallets = await all((page) => overview.wallets(page), 3)
      assert.deepEqual(wallets.map(({ id }) => id).sort(), ids)
      for (const wallet of wallets) assert.deepEqual(wallet, await t.store.wallets.find(wallet.id))
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
