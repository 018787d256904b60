import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test as always } from 'node:test'
import { MOVED_KINDS } from '../../../src/store/moving/records.js'
import { assertSound } from '../../support/check-data.js'
import { moved, openSource } from '../../support/moved.js'
import { createDatabase } from '../../support/postgres-harness.js'
import { postgresForTests } from '../../support/postgres-tests.js'
import { memoryDirectory } from '../../support/temporary-directory.js'
import { fillEveryTable } from '../lmdb/full-store.js'

const server = await postgresForTests({ isDurable: true })
const test = server === null ? always.skip : always

/** Every record of a place, by kind, and every payment. */
async function recordsOf(place: string): Promise<Record<string, readonly unknown[]>> {
  const source = await openSource(place)
  try {
    const found: Record<string, unknown[]> = {}
    for (const kind of MOVED_KINDS) {
      const records: unknown[] = []
      for await (const batch of source.read(kind, null)) records.push(...batch.map(({ record }) => record))
      found[kind] = records
    }
    const payments: unknown[] = []
    for await (const batch of source.payments()) payments.push(...batch)
    return { ...found, payments }
  } finally {
    await source.close()
  }
}

test('every record moves to a database and back, and nothing else', async () => {
  assert.ok(server !== null)
  const place = memoryDirectory()
  try {
    const first = join(place.path, 'first')
    const last = join(place.path, 'last')
    for (const directory of [first, last]) mkdirSync(directory)
    await fillEveryTable(first)
    const before = await recordsOf(first)
    for (const kind of MOVED_KINDS) assert.ok((before[kind]?.length ?? 0) > 0, `the test has no record of ${kind}`)
    const database = await createDatabase(server)
    const stop = new AbortController().signal
    const at = (phase: string, done: number, total: number) =>
      assert.ok(done <= total, `${phase}: ${done} of ${total} records`)
    await moved(first, database, { at, stop })
    assert.deepEqual(await recordsOf(first), before)
    assert.deepEqual(await recordsOf(database), before)
    await moved(database, last, { at, stop })
    assert.deepEqual(await recordsOf(last), before)
    await assertSound(last)
  } finally {
    place.remove()
  }
})
