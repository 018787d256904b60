import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Packr } from 'msgpackr'
import { LedgerRows } from '../../../src/store/lmdb/ledger-rows.js'
import { openEnvironment, openTables } from '../../../src/store/lmdb/tables.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

const T = 1_700_000_000_000
const UMIDS = ['ab'.repeat(32), 'cd'.repeat(32)]

test('the cursor of data of version 2 is continued, and a comparison with the whole ledger is due at once', async (context) => {
  const place = temporaryDirectory()
  const root = openEnvironment(place.path)
  context.after(async () => {
    await root.close()
    place.remove()
  })
  const tables = openTables(root)
  const cursor = new Packr({ useRecords: false }).pack([1, 'a ledger', T, UMIDS.length, ...UMIDS])
  await tables.meta.put(Buffer.from('ledger-cursor'), cursor)
  const rows = new LedgerRows(tables)
  const memory = rows.read()
  assert.deepEqual(memory, {
    progress: { origin: 'a ledger', newestMs: T, windowMs: T, comparingMs: null, comparedAtMs: 0 },
    taken: UMIDS.map((umid) => ({ umid, timestampMs: T })),
    setAside: [],
  })
  const progress = { ...memory.progress, newestMs: T + 1 }
  await root.transaction(() => rows.write({ progress, taken: [], setAside: [], settled: [] }))
  assert.deepEqual(rows.read()?.progress, progress)
  assert.equal(tables.meta.get(Buffer.from('ledger-cursor')), undefined)
})
