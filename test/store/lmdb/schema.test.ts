import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { open as openForeign } from 'lmdb'
import { pack, unpack } from 'msgpackr'
import { DAY_MS } from '../../../src/domain/api-key.js'
import type { LedgerFact } from '../../../src/domain/ledger-fact.js'
import type { Network } from '../../../src/domain/network.js'
import { OperatorError } from '../../../src/operator-error.js'
import type { Commit } from '../../../src/store/lmdb/commit/commit.js'
import type { Migration } from '../../../src/store/lmdb/file/migration.js'
import { prepareSchema, SCHEMA_VERSION } from '../../../src/store/lmdb/file/schema.js'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { integer, orNull, recordCodec, text } from '../../../src/store/lmdb/tables/record-codec.js'
import { type Environment, openEnvironment, openTables } from '../../../src/store/lmdb/tables/tables.js'
import { assertSound } from '../../support/check-data.js'
import {
  addressOf,
  depositFact,
  invoiceRequest,
  refusalOf,
  registration,
  unwrap,
  walletAssigned,
  walletCreated,
} from '../../support/fixtures.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock, START_MS } from '../../support/manual-clock.js'
import { quiet } from '../../support/migration.js'
import { TEST_NETWORKS } from '../../support/networks.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

function withDirectory(run: (directory: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const directory = temporaryDirectory()
    try {
      await run(directory.path)
    } finally {
      directory.remove()
    }
  }
}

async function withEnvironment<T>(directory: string, run: (root: Environment) => Promise<T>): Promise<T> {
  const root = openEnvironment(directory)
  try {
    return await run(root)
  } finally {
    await root.close()
  }
}

function open(directory: string, clock = new ManualClock()) {
  return openLmdbStore({ ...lmdbStoreOptions(directory, clock), migration: quiet() })
}

function tablesIn(directory: string): Promise<readonly string[]> {
  return withEnvironment(directory, async (root) => [...root.getKeys()].map(String))
}

function refusedWith(pattern: RegExp, directory: string) {
  return (error: unknown) => {
    assert.ok(error instanceof OperatorError, String(error))
    assert.match(error.message, pattern)
    assert.ok(error.message.includes(directory))
    return true
  }
}

const KEY = Buffer.from('key')

describe('a directory that is not the store of this program', () => {
  const damaged: readonly (readonly [string, (valid: Buffer) => Buffer])[] = [
    ['garbage', () => Buffer.alloc(16_384, 'not a database ')],
    ['a few bytes', () => Buffer.from('hello')],
    ['zeros', () => Buffer.alloc(16_384)],
    ['all ones', () => Buffer.alloc(16_384, 255)],
    ['half a page of a store', (valid) => valid.subarray(0, 2048)],
    ['one page of a store', (valid) => valid.subarray(0, 4096)],
    ['a store without its first page', (valid) => Buffer.concat([Buffer.alloc(4096), valid.subarray(4096)])],
    [
      'a store without its second page',
      (valid) => Buffer.concat([valid.subarray(0, 4096), Buffer.alloc(4096), valid.subarray(8192)]),
    ],
  ]
  for (const [what, make] of damaged) {
    test(
      `is refused when its data.mdb is ${what}, and left as it is`,
      withDirectory(async (directory) => {
        const file = join(directory, 'data.mdb')
        await (await open(directory)).close()
        const bytes = make(readFileSync(file))
        writeFileSync(file, bytes)
        await assert.rejects(open(directory), refusedWith(/damaged or foreign/, directory))
        assert.ok(readFileSync(file).equals(bytes))
      }),
    )
  }

  test(
    'does not become one where none may be created, when its first start was cut short',
    withDirectory(async (directory) => {
      await openForeign({ path: directory }).close()
      const options = { ...lmdbStoreOptions(directory, new ManualClock()), mayBegin: false, advice: ': mount it' }
      await assert.rejects(openLmdbStore(options), refusedWith(/holds no data: mount it$/, directory))
      await (await open(directory)).close()
    }),
  )

  test(
    'is refused when its data.mdb is empty, and left as it is: it may have had contents',
    withDirectory(async (directory) => {
      writeFileSync(join(directory, 'data.mdb'), '')
      await assert.rejects(
        open(directory),
        refusedWith(/it is empty: restore a backup, or remove data\.mdb/, directory),
      )
      assert.equal(statSync(join(directory, 'data.mdb')).size, 0)
    }),
  )

  const foreign: readonly (readonly [string, (directory: string) => Promise<void>])[] = [
    [
      'values in its main table',
      async (directory) => {
        const root = openForeign({ path: directory })
        await root.put('hello', { world: 1 })
        await root.close()
      },
    ],
    [
      'tables of its own',
      async (directory) => {
        const root = openForeign({ path: directory })
        await root.openDB({ name: 'customers' }).put('x', 1)
        await root.close()
      },
    ],
    [
      'an empty table that is named as one of ours, beside its own',
      async (directory) => {
        const root = openForeign({ path: directory })
        root.openDB({ name: 'meta' })
        await root.openDB({ name: 'customers' }).put('x', 1)
        await root.close()
      },
    ],
    [
      'tables named as ours with something else in them',
      async (directory) => {
        const root = openForeign({ path: directory })
        root.openDB({ name: 'meta' })
        await root.openDB({ name: 'wallets' }).put('x', 1)
        await root.close()
      },
    ],
    [
      'a table meta without our mark',
      async (directory) => {
        const root = openForeign({ path: directory })
        await root.openDB({ name: 'meta' }).put('version', 3)
        await root.close()
      },
    ],
  ]
  for (const [what, make] of foreign) {
    test(
      `is refused when it is an LMDB with ${what}, and gets no table of ours`,
      withDirectory(async (directory) => {
        await make(directory)
        const before = await tablesIn(directory)
        await assert.rejects(open(directory), refusedWith(/not Billhook's/, directory))
        assert.deepEqual(await tablesIn(directory), before)
      }),
    )
  }

  test(
    'is taken when a first start was cut short before anything was kept',
    withDirectory(async (directory) => {
      await withEnvironment(directory, async (root) => {
        root.openDB({ name: 'meta' })
        root.openDB({ name: 'wallets' })
      })
      await (await open(directory)).close()
      await (await open(directory)).close()
    }),
  )
})

describe('the version of the data', () => {
  const write =
    (key: string, value: string) =>
    ({ tables }: Commit) => {
      tables.events.putSync(Buffer.from(key), Buffer.from(value))
    }
  /** A migration of one step. */
  const once = (from: number, begin: (commit: Commit) => void): Migration => ({
    from,
    passes: [{ name: 'once', table: 'wallets', begin, row: () => assert.fail() }],
  })
  const prepare = (root: Environment, directory: string, version: number, migrations: readonly Migration[] = []) =>
    prepareSchema(root, directory, quiet(), { version, migrations })

  test(
    'that is newer than the program is refused, with the data untouched',
    withDirectory(async (directory) => {
      await withEnvironment(directory, (root) => prepare(root, directory, SCHEMA_VERSION + 1))
      await assert.rejects(
        open(directory),
        refusedWith(
          /newer Billhook \(data version \d+, this program knows \d+\): start the newer version again, or restore a backup/,
          directory,
        ),
      )
      await withEnvironment(directory, (root) => prepare(root, directory, SCHEMA_VERSION + 1))
    }),
  )

  test(
    '1, which was never released, is refused, with the data untouched',
    withDirectory(async (directory) => {
      await (await open(directory)).close()
      const setVersion = (version: number) =>
        withEnvironment(directory, async (root) => {
          await openTables(root).meta.put(Buffer.from('schema-version'), Buffer.of(0, 0, 0, version))
        })
      await setVersion(1)
      await assert.rejects(open(directory), refusedWith(/data version 1, which cannot be migrated/, directory))
      await setVersion(SCHEMA_VERSION)
      await (await open(directory)).close()
    }),
  )

  test(
    '3, in which no invoice had another id, is migrated; a program of version 3 then refuses it',
    withDirectory(async (directory) => {
      let store = await open(directory)
      for (const fact of [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')]) {
        await store.ledger.applyFacts([{ eventId: null, fact }])
      }
      const [fate] = await store.commands.perform([{ type: 'invoice', request: invoiceRequest() }])
      assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice')
      const invoice = unwrap(fate.value.outcome)
      await store.close()
      await withEnvironment(directory, async (root) => {
        const { meta, invoices, importedInvoices } = openTables(root)
        await root.transaction(() => {
          meta.putSync(Buffer.from('schema-version'), Buffer.of(0, 0, 0, 3))
          for (const { key, value } of [...invoices.getRange()]) {
            const [version, ...fields]: unknown[] = unpack(value)
            // The last two: when it was accepted, and its other id.
            assert.deepEqual([version, fields.pop(), fields.pop(), fields.pop()], [5, null, null, null])
            invoices.putSync(key, pack([2, ...fields]))
          }
          importedInvoices.dropSync()
        })
      })
      store = await open(directory)
      assert.deepEqual(store.invoices.find(invoice.id), invoice)
      await store.close()
      await assertSound(directory)
      await assert.rejects(
        withEnvironment(directory, (root) => prepare(root, directory, 3)),
        refusedWith(/newer Billhook \(data version \d+, this program knows 3\)/, directory),
      )
    }),
  )

  test(
    '4, in which deposits had no index by their numbers, is migrated; a program of version 4 then refuses it',
    withDirectory(async (directory) => {
      let store = await open(directory)
      for (const fact of [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')]) {
        await store.ledger.applyFacts([{ eventId: null, fact }])
      }
      const [fate] = await store.commands.perform([{ type: 'invoice', request: invoiceRequest() }])
      assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice')
      const { id } = unwrap(fate.value.outcome)
      for (const [txHash, ...reports] of [
        ['0xa', 'pending'],
        ['0xb', 'confirmed'],
        ['0xc', 'confirmed', 'dropped'],
      ] as const) {
        for (const report of reports) {
          await store.commands.perform([{ type: 'deposit', eventId: null, fact: depositFact(report, { txHash }) }])
        }
      }
      const told = store.invoices.findWithDeposits(id, 9)
      assert.deepEqual(
        told?.deposits.map(({ txHash }) => txHash),
        ['0xb', '0xa'],
      )
      await store.close()
      await withEnvironment(directory, async (root) => {
        const { meta, depositNumbers } = openTables(root)
        await root.transaction(() => {
          meta.putSync(Buffer.from('schema-version'), Buffer.of(0, 0, 0, 4))
          depositNumbers.dropSync()
        })
      })
      store = await open(directory)
      assert.deepEqual(store.invoices.findWithDeposits(id, 9), told)
      await store.close()
      await assertSound(directory)
      await assert.rejects(
        withEnvironment(directory, (root) => prepare(root, directory, 4)),
        refusedWith(/newer Billhook \(data version \d+, this program knows 4\)/, directory),
      )
    }),
  )

  test(
    '5, in which only the first two networks could be, is migrated; a program of version 5 then refuses it',
    withDirectory(async (directory) => {
      let store = await open(directory)
      await store.ledger.applyFacts([
        { eventId: null, fact: walletCreated('wallet-1') },
        { eventId: null, fact: walletCreated('wallet-2', 'TRX-NILE') },
      ])
      await store.close()
      await withEnvironment(directory, async (root) => {
        const { meta, networks } = openTables(root)
        await root.transaction(() => {
          meta.putSync(Buffer.from('schema-version'), Buffer.of(0, 0, 0, 5))
          networks.dropSync()
        })
      })
      store = await open(directory)
      assert.deepEqual([store.wallets.countUnassigned('SEP'), store.wallets.countUnassigned('TRX-NILE')], [1, 1])
      assert.equal(store.wallets.at('TRX-NILE', addressOf('wallet-2'))?.id, 'wallet-2')
      assert.deepEqual(store.networks.ids, TEST_NETWORKS.ids)
      await store.close()
      await assertSound(directory)
      await assert.rejects(
        withEnvironment(directory, (root) => prepare(root, directory, 5)),
        refusedWith(/newer Billhook \(data version \d+, this program knows 5\)/, directory),
      )
    }),
  )

  test(
    '6, in which it was not noted since when a network has had wallets, is migrated: the first assignment stands for that',
    withDirectory(async (directory) => {
      const clock = new ManualClock()
      let store = await open(directory, clock)
      const tell = (...facts: readonly LedgerFact[]) =>
        store.ledger.applyFacts(facts.map((fact) => ({ eventId: null, fact })))
      await tell(walletCreated('wallet-1'), walletCreated('wallet-2'), walletCreated('wallet-3', 'TRX-NILE'))
      clock.advance(1000)
      await tell(walletAssigned('wallet-1', 'alice'))
      clock.advance(1000)
      await tell(walletAssigned('wallet-2', 'alice'))
      await store.close()
      await withEnvironment(directory, async (root) => {
        const { meta, watches } = openTables(root)
        await root.transaction(() => {
          meta.putSync(Buffer.from('schema-version'), Buffer.of(0, 0, 0, 6))
          watches.dropSync()
        })
      })
      store = await open(directory, clock)
      const firstOf = async (network: Network) => (await store.chain.watch(network)).firstWalletAt
      assert.equal(await firstOf('SEP'), START_MS + 1000)
      // Nobody was asked to pay to it before.
      assert.equal(await firstOf('TRX-NILE'), null)
      clock.advance(1000)
      await tell(walletAssigned('wallet-3', 'alice'))
      assert.equal(await firstOf('TRX-NILE'), START_MS + 3000)
      await store.close()
      await assertSound(directory)
      await assert.rejects(
        withEnvironment(directory, (root) => prepare(root, directory, 6)),
        refusedWith(/newer Billhook \(data version \d+, this program knows 6\)/, directory),
      )
    }),
  )

  test(
    '7, in which nothing was set aside, is migrated; a program of version 7 then refuses it',
    withDirectory(async (directory) => {
      let store = await open(directory)
      await store.ledger.applyFacts([{ eventId: null, fact: walletCreated('wallet-1') }])
      await store.close()
      await withEnvironment(directory, async (root) => {
        const { meta, blocksAside, depositsAside } = openTables(root)
        await root.transaction(() => {
          meta.putSync(Buffer.from('schema-version'), Buffer.of(0, 0, 0, 7))
          blocksAside.dropSync()
          depositsAside.dropSync()
        })
      })
      store = await open(directory)
      assert.deepEqual([store.aside.blocks('SEP'), store.aside.deposits()], [[], []])
      assert.equal(store.wallets.countUnassigned('SEP'), 1)
      await store.close()
      await assertSound(directory)
      await assert.rejects(
        withEnvironment(directory, (root) => prepare(root, directory, 7)),
        refusedWith(/newer Billhook \(data version \d+, this program knows 7\)/, directory),
      )
    }),
  )

  test(
    '2, in which active keys were not listed, is migrated: revoked and expired keys do not count',
    withDirectory(async (directory) => {
      const clock = new ManualClock()
      let store = await open(directory, clock)
      for (let seed = 1; seed <= 99; seed += 1) unwrap(await store.keys.register(registration(seed)))
      unwrap(await store.keys.register(registration(200, { ttlDays: 1 })))
      const { items } = store.keys.page('alice', { after: null, limit: 2 })
      unwrap(await store.keys.revoke(items[1]?.id ?? '', 'alice'))
      await store.close()
      await withEnvironment(directory, async (root) => {
        const { meta, activeApiKeys } = openTables(root)
        await root.transaction(() => {
          meta.putSync(Buffer.from('schema-version'), Buffer.of(0, 0, 0, 2))
          activeApiKeys.clearSync()
        })
      })
      store = await open(directory, clock)
      unwrap(await store.keys.register(registration(101)))
      assert.equal(refusalOf(await store.keys.register(registration(102))), 'too_many_keys')
      clock.advance(DAY_MS + 1)
      unwrap(await store.keys.register(registration(102)))
      assert.equal(refusalOf(await store.keys.register(registration(103))), 'too_many_keys')
      await store.close()
    }),
  )

  test(
    '2, in which webhooks had no payload and no rotation, is migrated with their secrets',
    withDirectory(async (directory) => {
      let store = await open(directory)
      const before = await store.webhooks.put('alice', 'https://shop.example/')
      await store.webhooks.put('bob', 'https://bob.example/', 'with-invoice')
      await store.close()
      const first = recordCodec<Omit<typeof before, 'payload' | 'types'>>('webhooks', 1, {
        owner: text,
        callback_url: orNull(text),
        secret: text,
        created_at: integer,
        updated_at: integer,
      })
      await withEnvironment(directory, async (root) => {
        const { meta, webhooks } = openTables(root)
        const [alice, bob] = [...webhooks.getKeys()]
        assert.ok(alice !== undefined && bob !== undefined)
        await root.transaction(() => {
          meta.putSync(Buffer.from('schema-version'), Buffer.of(0, 0, 0, 2))
          webhooks.putSync(alice, first.encode(before))
          webhooks.putSync(bob, first.encode({ ...before, owner: 'bob', callback_url: null }))
        })
      })
      store = await open(directory)
      assert.deepEqual(store.webhooks.find('alice'), before)
      assert.deepEqual(store.webhooks.find('bob'), { ...before, owner: 'bob', callback_url: null })
      assert.deepEqual(await store.webhooks.secrets('alice'), { current: before.secret, previous: null })
      await store.close()
    }),
  )

  test(
    '2, in which events were not listed by time, is migrated: their ids are known, and forgotten in their time',
    withDirectory(async (directory) => {
      const clock = new ManualClock()
      let store = await open(directory, clock)
      await store.ledger.applyFacts([{ eventId: 'e', fact: walletCreated('wallet-1') }])
      await store.close()
      await withEnvironment(directory, async (root) => {
        const { meta, eventTimes } = openTables(root)
        await root.transaction(() => {
          meta.putSync(Buffer.from('schema-version'), Buffer.of(0, 0, 0, 2))
          eventTimes.clearSync()
        })
      })
      store = await open(directory, clock)
      const tell = async () => {
        const [fate] = await store.ledger.applyFacts([{ eventId: 'e', fact: walletCreated('wallet-2') }])
        return fate?.status === 'fulfilled' ? fate.value.status : fate?.reason
      }
      assert.equal(await tell(), 'duplicate')
      assert.equal(await store.ledger.removeEventsBefore(clock.now(), 9), 0)
      assert.equal(await store.ledger.removeEventsBefore(clock.now() + 1, 9), 1)
      assert.equal(await tell(), 'applied')
      await store.close()
    }),
  )

  test(
    'that is older is migrated step by step, once',
    withDirectory(async (directory) => {
      await withEnvironment(directory, (root) => prepare(root, directory, 1))
      const migrations: readonly Migration[] = [
        once(1, write('key', 'from 1')),
        // Only records changed.
        { from: 2, passes: [] },
        once(3, ({ tables }) => {
          const seen = tables.events.get(KEY)?.toString()
          tables.events.putSync(KEY, Buffer.from(`${seen}, then from 3`))
        }),
      ]
      for (let i = 0; i < 2; i += 1) {
        await withEnvironment(directory, async (root) => {
          const tables = await prepare(root, directory, 4, migrations)
          assert.equal(tables.events.get(KEY)?.toString(), 'from 1, then from 3')
        })
      }
    }),
  )

  test(
    'is refused to those who do not migrate, with the data untouched',
    withDirectory(async (directory) => {
      await withEnvironment(directory, (root) => prepare(root, directory, 2))
      await withEnvironment(directory, async (root) => {
        root.openDB({ name: 'wallets' }).dropSync()
      })
      const before = await tablesIn(directory)
      await assert.rejects(
        openLmdbStore(lmdbStoreOptions(directory, new ManualClock())),
        refusedWith(/has data version 2, this program works on version \d+: .* run "billhook migrate"/, directory),
      )
      assert.deepEqual(await tablesIn(directory), before)
      await withEnvironment(directory, (root) => prepare(root, directory, 2))
    }),
  )

  test(
    'is between two when a migration fails: a corrected program goes on behind what was done, others refuse the data',
    withDirectory(async (directory) => {
      await withEnvironment(directory, (root) => prepare(root, directory, 1))
      const broken = () => {
        throw new Error('the migration is broken')
      }
      const first = once(1, write('key', 'from 1'))
      const attempt = (version: number, ...migrations: readonly Migration[]) =>
        withEnvironment(directory, async (root) => {
          const tables = await prepare(root, directory, version, migrations)
          return tables.events.get(KEY)?.toString()
        })
      await assert.rejects(attempt(3, first, once(2, broken)), /is broken/)
      const untold = once(1, () => assert.fail('a step is done once'))
      await assert.rejects(
        attempt(1),
        refusedWith(/newer Billhook \(data version 3, this program knows 1\)/, directory),
      )
      await assert.rejects(attempt(2, untold), refusedWith(/data version 3, this program knows 2/, directory))
      await assert.rejects(attempt(3), refusedWith(/data version 2, which cannot be migrated/, directory))
      const other: Migration = { from: 2, passes: [{ name: 'another', table: 'wallets', row: () => assert.fail() }] }
      await assert.rejects(
        attempt(3, untold, other),
        refusedWith(/a migration that this program does not know/, directory),
      )
      const end = write('other', 'from 2')
      assert.equal(await attempt(4, untold, once(2, end), once(3, end)), 'from 1')
      assert.equal(await attempt(4), 'from 1')
    }),
  )

  test(
    'stays when a directory of an earlier program lacks tables, which are made',
    withDirectory(async (directory) => {
      const before = await open(directory)
      await before.ledger.applyFacts([{ eventId: null, fact: walletCreated('wallet-1') }])
      await before.close()
      const later = ['chains', 'blocks', 'block-deposits']
      await withEnvironment(directory, async (root) => {
        for (const name of later) await root.openDB({ name }).drop()
      })
      const names = (await tablesIn(directory)).map((name) => name.replace('\0', ''))
      assert.deepEqual(
        later.filter((name) => names.includes(name)),
        [],
      )
      const store = await open(directory)
      assert.equal(store.chain.position('SEP'), undefined)
      assert.equal(store.wallets.find('wallet-1')?.id, 'wallet-1')
      const block = { height: 5, hash: '5', parentHash: '4', timeMs: 1, timeEndMs: 1, transfers: [] }
      const step = { type: 'append', network: 'SEP', blocks: [block], isConfirmed: true, seenAtMs: 1 } as const
      const [fate] = await store.commands.perform([{ type: 'chain', step }])
      assert.equal(fate?.status, 'fulfilled')
      await store.close()
      const again = await open(directory)
      assert.equal(again.chain.position('SEP')?.tip.height, 5)
      await again.close()
    }),
  )

  const impossible: readonly (readonly [string, readonly Migration[]])[] = [
    ['none', []],
    ['one missing in the middle', [once(1, write('a', 'a'))]],
    ['one twice', [once(1, write('a', 'a')), once(1, write('b', 'b'))]],
    ['the wrong order', [once(2, write('a', 'a')), once(1, write('b', 'b'))]],
  ]
  for (const [what, migrations] of impossible) {
    test(
      `is refused when the migrations have ${what}`,
      withDirectory(async (directory) => {
        await withEnvironment(directory, (root) => prepare(root, directory, 1))
        await withEnvironment(directory, (root) =>
          assert.rejects(prepare(root, directory, 3, migrations), refusedWith(/cannot be migrated/, directory)),
        )
      }),
    )
  }
})
