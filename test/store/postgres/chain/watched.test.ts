import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import type { Network } from '../../../../src/domain/network.js'
import { openPostgresStore } from '../../../../src/store/postgres/postgres-store.js'
import type { Store } from '../../../../src/store/store.js'
import { addressOf, walletAssigned, walletCreated } from '../../../support/fixtures.js'
import { administer } from '../../../support/postgres-database.js'
import { createDatabase, postgresStoreOptions } from '../../../support/postgres-harness.js'
import type { PostgresServer } from '../../../support/postgres-server.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

function present(): PostgresServer {
  if (server === null) throw new Error('a skipped test asks for its server')
  return server
}

async function withStores(count: number, run: (stores: readonly Store[], url: string) => Promise<void>): Promise<void> {
  const url = await createDatabase(present())
  const stores: Store[] = []
  for (let i = 0; i < count; i += 1) stores.push(await openPostgresStore(postgresStoreOptions(url)))
  try {
    await run(stores, url)
  } finally {
    for (const store of stores) await store.close()
  }
}

async function bind(store: Store | undefined, walletId: string, network: Network = 'SEP'): Promise<void> {
  const [fate] = (await store?.ledger.applyFacts([{ eventId: null, fact: walletCreated(walletId, network) }])) ?? []
  assert.ok(fate?.status === 'fulfilled' && fate.value.status === 'applied', walletId)
}

test('an address that another store has bound is watched from the next call on, on its network alone', async () => {
  await withStores(2, async ([binding, watching]) => {
    assert.ok(watching !== undefined)
    const before = await watching.chain.watched('SEP')
    assert.deepEqual(before.few(10), [])
    for (const walletId of ['wallet-1', 'wallet-2', 'wallet-3']) {
      await bind(binding, walletId)
      const watched = await watching.chain.watched('SEP')
      assert.ok(watched.has(addressOf(walletId)))
      assert.ok(watched.has(addressOf(walletId).toUpperCase()), 'in whatever case')
      assert.equal(watched.has(addressOf('wallet-9')), false)
      assert.equal((await watching.chain.watched('TRX-NILE')).has(addressOf(walletId)), false)
    }
    assert.equal((await watching.chain.watched('SEP')).few(3)?.length, 3)
    assert.equal((await watching.chain.watched('SEP')).few(2), null)
  })
})

test('a wallet whose address becomes known later, with its assignment, is watched from then on', async () => {
  await withStores(2, async ([binding, watching]) => {
    assert.ok(binding !== undefined && watching !== undefined)
    await binding.ledger.applyFacts([{ eventId: null, fact: walletAssigned('wallet-1', 'alice') }])
    assert.deepEqual((await watching.chain.watched('SEP')).few(10), [])
    const fact = { ...walletAssigned('wallet-1', 'alice'), address: addressOf('wallet-1'), network: 'SEP' } as const
    await binding.ledger.applyFacts([{ eventId: null, fact }])
    assert.ok((await watching.chain.watched('SEP')).has(addressOf('wallet-1')))
  })
})

const BINDING = 3
const WALLETS = 60

test('while several stores bind addresses, a number is never seen before a smaller one, and none is missed', async () => {
  await withStores(BINDING + 1, async (stores, url) => {
    const [watching, ...binding] = stores
    assert.ok(watching !== undefined)
    const bound: string[] = []
    let isOver = false
    const all = binding.flatMap((store, i) =>
      Array.from({ length: WALLETS }, async (_, n) => {
        const walletId = `wallet-${i}-${n}`
        await bind(store, walletId, n % 4 === 3 ? 'TRX-NILE' : 'SEP')
        if (n % 4 !== 3) bound.push(walletId)
      }),
    )
    const numbers = async () => {
      while (!isOver) {
        const [seen] = await administer(
          url,
          "SELECT count(*)::integer, coalesce(max(bound_no), 0)::integer AS newest FROM wallets WHERE network = 'SEP'",
        )
        const { count, newest } = seen as { count: number; newest: number }
        assert.equal(newest, count, 'the numbers up to the newest are all there')
      }
    }
    const addresses = async () => {
      while (!isOver) {
        const known = [...bound]
        const watched = await watching.chain.watched('SEP')
        assert.deepEqual(
          known.filter((walletId) => !watched.has(addressOf(walletId))),
          [],
        )
      }
    }
    const done = Promise.all(all).finally(() => {
      isOver = true
    })
    await Promise.all([done, numbers(), addresses(), addresses()])
    assert.equal((await watching.chain.watched('SEP')).few(10_000)?.length, bound.length)
    assert.equal(bound.length, BINDING * (WALLETS - WALLETS / 4))
  })
})

test('a network with more addresses than are read at a time is read to its end', async () => {
  await withStores(1, async ([store], url) => {
    await administer(
      url,
      `INSERT INTO wallets (id, network, address, bound_no, leased_until)
       SELECT 'w' || n, 'SEP', '0xa' || n, n, 0 FROM generate_series(1, 20001) AS n`,
    )
    const watched = await store?.chain.watched('SEP')
    assert.equal(watched?.few(100_000)?.length, 20_001)
    for (const n of [1, 10_000, 10_001, 20_000, 20_001]) assert.ok(watched?.has(`0xa${n}`))
  })
})
