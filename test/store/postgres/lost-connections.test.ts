import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test as always } from 'node:test'
import type { Delivery } from '../../../src/domain/webhook.js'
import type { Settled, WalletResult } from '../../../src/store/commands.js'
import { BEHIND_ALL } from '../../../src/store/outbox.js'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.js'
import { StorageUnavailable } from '../../../src/store/refusals.js'
import type { Store } from '../../../src/store/store.js'
import { CuttingProxy } from '../../support/cutting-proxy.js'
import { depositFact, invoiceRequest, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { createDatabase, postgresStoreOptions } from '../../support/postgres-harness.js'
import { PostgresServer } from '../../support/postgres-server.js'
import { postgresForTests } from '../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

function present(): PostgresServer {
  if (server === null) throw new Error('a skipped test asks for its server')
  return server
}

/** More messages than any of the commands takes, with the connections that it opens. */
const MESSAGES_MAX = 1000

/** A deposit takes several hundred messages; this many are passed over between two cuts. */
const DEPOSIT_STEP = 7

/** Runs with a store behind a proxy, and one beside it that sees what was committed. */
async function withProxy(run: (parts: { store: Store; proxy: CuttingProxy; beside: Store }) => Promise<void>) {
  const url = await createDatabase(present())
  const proxy = await CuttingProxy.start(present().port)
  const through = new URL(url)
  through.port = String(proxy.port)
  const beside = await openPostgresStore(postgresStoreOptions(url))
  const store = await openPostgresStore(postgresStoreOptions(through.href))
  try {
    for (const fact of [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')]) {
      await store.ledger.applyFacts([{ eventId: null, fact }])
    }
    await run({ store, proxy, beside })
  } finally {
    await store.close()
    await beside.close()
    await proxy.stop()
  }
}

/** Cuts at the first message of `attempt`, then `step` messages later, and so on until it is over before the cut. */
async function cutEverywhere(
  proxy: CuttingProxy,
  step: number,
  attempt: (at: number) => Promise<void>,
): Promise<number> {
  for (let at = 0; at < MESSAGES_MAX; at += step) {
    proxy.cutAfter(at)
    await attempt(at)
    if (proxy.isArmed) {
      proxy.disarm()
      return at
    }
  }
  return assert.fail('the attempts have no end')
}

function isRefusedOrDone(fate: Settled<WalletResult> | undefined): boolean {
  if (fate?.status === 'rejected') assert.ok(fate.reason instanceof StorageUnavailable, String(fate.reason))
  return fate?.status === 'fulfilled'
}

/** Asserts that a deposit answers the deliveries that it owes, newest first, by their ids or as new ones. */
function assertOwed(value: WalletResult, deliveries: readonly Delivery[]): void {
  assert.ok(value.type === 'deposit')
  const ids = value.owed.map(({ id }) => id)
  const known = deliveries.map(({ id }) => id).reverse()
  const expected = ids[0] === BEHIND_ALL ? known.map(() => BEHIND_ALL) : known
  assert.deepEqual(ids, expected)
}

test('a creation whose connection is cut at any message is done once, or refused and repeated without a second one', async () => {
  await withProxy(async ({ store, proxy, beside }) => {
    const cuts = await cutEverywhere(proxy, 1, async (at) => {
      const idempotency = { scope: createHash('sha256').update(String(at)).digest(), bodyHash: Buffer.alloc(32, 1) }
      const create = () =>
        store.commands.perform([
          {
            type: 'invoice',
            request: invoiceRequest({ amount: String(at + 1), reference: `r${at}` }),
            terms: { idempotency },
          },
        ])
      let [fate] = await create()
      if (!isRefusedOrDone(fate)) [fate] = await create()
      assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice' && fate.value.outcome.ok)
      const { items } = await beside.invoices.page('alice', { after: null, limit: 2000 })
      assert.equal(items.length, at + 1, `one invoice for each of the creations up to ${at}`)
      assert.equal(items[0]?.id, fate.value.outcome.value.id)
    })
    assert.ok(cuts > 50, `${cuts} cuts`)
  })
})

test('a creation that nothing identifies is told as created when it was, though the answer to its commit was lost', async () => {
  await withProxy(async ({ store, proxy, beside }) => {
    let known = 0
    await cutEverywhere(proxy, 1, async (at) => {
      const request = invoiceRequest({ amount: String(at + 1) })
      const [fate] = await store.commands.perform([{ type: 'invoice', request }])
      const { items } = await beside.invoices.page('alice', { after: null, limit: 2000 })
      if (isRefusedOrDone(fate)) {
        assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice' && fate.value.outcome.ok)
        assert.equal(items.length, known + 1)
      }
      known = items.length
    })
  })
})

test('a deposit whose connection is cut at any message is counted once, and owes one delivery', async () => {
  await withProxy(async ({ store, proxy, beside }) => {
    const callbackUrl = 'https://example.com/hook'
    const [made] = await store.commands.perform([
      { type: 'invoice', request: invoiceRequest({ amount: '1000', reference: 'r', callbackUrl }) },
    ])
    assert.ok(made?.status === 'fulfilled' && made.value.type === 'invoice' && made.value.outcome.ok)
    const { id, created_at } = made.value.outcome.value
    let counted = 0
    const cuts = await cutEverywhere(proxy, DEPOSIT_STEP, async (at) => {
      const fact = depositFact('confirmed', { txHash: `tx${at}`, amount: '1', receivedAt: created_at + 1 + at })
      const report = () => store.commands.perform([{ type: 'deposit', eventId: `event-${at}`, fact }])
      const [fate] = await report()
      if (!isRefusedOrDone(fate)) assert.ok(isRefusedOrDone((await report())[0]))
      const found = await beside.invoices.findWithPayment(id)
      assert.equal(found?.payment.received, String(++counted))
      const { items } = await beside.outbox.page('alice', { after: null, limit: 3000 })
      assert.equal(items.length, 2 * counted)
      // Where to look is known also when the answer to the commit was lost.
      if (fate?.status === 'fulfilled') assertOwed(fate.value, items.slice(0, 2))
    })
    assert.ok(cuts > 200, `${cuts} cuts`)
  })
})

test('a read whose connection was cut is asked once more', async () => {
  await withProxy(async ({ store, proxy }) => {
    assert.equal((await store.wallets.find('wallet-1'))?.owner, 'alice')
    for (let round = 0; round < 3; round += 1) {
      proxy.cutAll()
      assert.equal((await store.wallets.find('wallet-1'))?.owner, 'alice')
    }
  })
})

test('a store goes on when its server is back, without what it refused meanwhile, and with all that it acknowledged', async () => {
  const own = await PostgresServer.start({ isDurable: true })
  const store = await openPostgresStore(postgresStoreOptions(own.url()))
  try {
    for (const fact of [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')]) {
      await store.ledger.applyFacts([{ eventId: null, fact }])
    }
    const acknowledged: string[] = []
    let made = 0
    const create = async () => {
      made += 1
      const [fate] = await store.commands.perform([
        { type: 'invoice', request: invoiceRequest({ amount: String(made) }) },
      ])
      if (!isRefusedOrDone(fate)) return false
      if (fate?.status !== 'fulfilled' || fate.value.type !== 'invoice' || !fate.value.outcome.ok) return assert.fail()
      acknowledged.push(fate.value.outcome.value.id)
      return true
    }
    for (let round = 0; round < 3; round += 1) {
      const underWay = Array.from({ length: 20 }, create)
      await own.kill()
      assert.equal(await create(), false)
      await assert.rejects(async () => store.invoices.find(acknowledged[0] ?? 'f'.repeat(32)), StorageUnavailable)
      await own.launch()
      await Promise.all(underWay)
      assert.equal(await create(), true)
    }
    const { items } = await store.invoices.page('alice', { after: null, limit: 1000 })
    const kept = new Set(items.map(({ id }) => id))
    assert.deepEqual(
      acknowledged.filter((id) => !kept.has(id)),
      [],
    )
    assert.equal(new Set(items.map(({ amount }) => amount)).size, items.length)
  } finally {
    await store.close()
    await own.stop()
  }
})
