import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Packr } from 'msgpackr'
import { CommitLoop } from '../../../src/store/lmdb/commit/commit-loop.js'
import { readMemory, writeStep } from '../../../src/store/lmdb/ledger/ledger-rows.js'
import { openEnvironment, openTables } from '../../../src/store/lmdb/tables/tables.js'
import { ManualClock } from '../../support/manual-clock.js'
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
  const commits = new CommitLoop(
    tables,
    { clock: new ManualClock(), newId: () => assert.fail('no id is made') },
    { obstacle: () => null },
  )
  const memory = readMemory(commits.snapshot)
  assert.deepEqual(memory, {
    progress: { origin: 'a ledger', newestMs: T, windowMs: T, comparingMs: null, comparedAtMs: 0 },
    taken: UMIDS.map((umid) => ({ umid, timestampMs: T })),
    setAside: [],
  })
  const progress = { ...memory.progress, newestMs: T + 1 }
  await commits.run((commit) => writeStep(commit, { progress, taken: [], setAside: [], settled: [] }))
  assert.deepEqual(readMemory(commits.snapshot)?.progress, progress)
  assert.equal(tables.meta.get(Buffer.from('ledger-cursor')), undefined)
})
