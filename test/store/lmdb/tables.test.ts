import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { DATA_FILE } from '../../../src/store/lmdb/file/data-file.js'
import { openEnvironment, openTables } from '../../../src/store/lmdb/tables/tables.js'

const ROWS = 64
const ROW_BYTES = 64 * 1024

/** How often this process has the file mapped. */
function mapsOf(path: string): number {
  return readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .filter((line) => line.endsWith(path)).length
}

test('the data file stays mapped once while it grows', {
  skip: process.platform === 'linux' ? false : 'only Linux lists the maps of a process',
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'billhook-'))
  const root = openEnvironment(directory)
  try {
    const { meta } = openTables(root)
    const before = mapsOf(join(directory, DATA_FILE))
    for (let n = 0; n < ROWS; n += 1) await meta.put(Buffer.from(`row ${n}`), Buffer.alloc(ROW_BYTES))
    assert.equal(before, 1)
    assert.equal(mapsOf(join(directory, DATA_FILE)), 1)
  } finally {
    await root.close()
    rmSync(directory, { recursive: true })
  }
})
