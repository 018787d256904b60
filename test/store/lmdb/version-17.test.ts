import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Packr } from 'msgpackr'
import { VERSION_KEY } from '../../../src/store/lmdb/file/schema.js'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { openEnvironment, openTables, type Tables } from '../../../src/store/lmdb/tables/tables.js'
import { Scenario } from '../../contract/store/harness.js'
import { assertSound } from '../../support/check-data.js'
import { dropsWhatItLeansOn, leaningOrder } from '../../support/leaning-order.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock } from '../../support/manual-clock.js'
import { quiet } from '../../support/migration.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

const packr = new Packr({ useRecords: false, copyBuffers: true })

/** Makes data of this version such of version 17 again, which noted nothing of what orders lean on. Answers what was listed. */
function asVersion17({ orders, leaningOrders, meta }: Tables): readonly string[] {
  for (const { key, value } of [...orders.getRange()]) {
    const [, ...fields]: readonly unknown[] = packr.unpack(value)
    orders.putSync(key, packr.pack([1, ...fields.slice(0, -1)]))
  }
  const listed = keysOf(leaningOrders)
  leaningOrders.clearSync()
  meta.putSync(VERSION_KEY, Buffer.of(0, 0, 0, 17))
  return listed
}

function keysOf(table: Tables['leaningOrders']): readonly string[] {
  return [...table.getKeys()].map((key) => key.toString('hex'))
}

async function withTables<T>(path: string, use: (tables: Tables) => T): Promise<T> {
  const root = openEnvironment(path)
  try {
    return use(openTables(root))
  } finally {
    await root.close()
  }
}

/** Opens the store and plays on it. */
async function play(path: string, run: (t: Scenario) => Promise<void>): Promise<void> {
  const clock = new ManualClock()
  const store = await openLmdbStore({ ...lmdbStoreOptions(path, clock), migration: quiet() })
  const fails = () => assert.fail()
  try {
    await run(new Scenario({ store, clock, failIds() {}, expectFlaw() {}, reopen: fails, discard: fails }))
  } finally {
    await store.close()
  }
}

test('data of version 17 opens with the orders listed that lean on money of nobody', async () => {
  const { path, remove } = temporaryDirectory()
  try {
    await play(path, leaningOrder)
    const before = await withTables(path, asVersion17)
    assert.equal(before.length, 3)
    await play(path, () => Promise.resolve())
    assert.deepEqual(await withTables(path, ({ leaningOrders }) => keysOf(leaningOrders)), before)
    await assertSound(path)
    await play(path, dropsWhatItLeansOn)
    assert.deepEqual(await withTables(path, ({ leaningOrders }) => keysOf(leaningOrders)), [])
    await assertSound(path)
  } finally {
    remove()
  }
})
