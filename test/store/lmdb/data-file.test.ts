import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { open } from 'lmdb'
import { DATA_FILE, flawOfDataFile } from '../../../src/store/lmdb/file/data-file.js'
import { openData } from '../../../src/store/lmdb/file/open-data.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

const PAGE_BYTES = 4096
const ROWS = 400

/** Reads everything in the directory that is the argument. A process of its own, because a missing page ends the process. */
const READ_ALL = `
import { open } from 'lmdb'
const root = open({ path: process.argv[1], maxDbs: 4 })
let rows = 0
for (const name of ['small', 'large']) for (const _ of root.openDB({ name }).getRange()) rows += 1
console.log(rows)
await root.close()
`

function rowsIn(directory: string): number | null {
  const argv = ['--input-type=module', '-e', READ_ALL, directory]
  const { status, stdout } = spawnSync(process.execPath, argv, { cwd: process.cwd(), encoding: 'utf8' })
  return status === 0 ? Number(stdout) : null
}

describe('the data file', () => {
  let place: ReturnType<typeof temporaryDirectory>
  let whole: Buffer
  let file: string
  before(async () => {
    place = temporaryDirectory()
    file = join(place.path, DATA_FILE)
    const root = open({ path: place.path, maxDbs: 4, pageSize: PAGE_BYTES, overlappingSync: false })
    const small = root.openDB<string, number>({ name: 'small' })
    const large = root.openDB<string, number>({ name: 'large' })
    for (let row = 0; row < ROWS; row += 1) void small.put(row, `row ${row} `.repeat(10))
    for (let row = 0; row < 20; row += 1) await large.put(row, 'x'.repeat(10_000))
    // What was written last is free again.
    for (let row = 100; row < 120; row += 1) await large.put(row, 'y'.repeat(10_000))
    for (let row = 100; row < 120; row += 1) await large.remove(row)
    await small.put(ROWS, 'the last')
    await root.close()
    whole = readFileSync(file)
  })
  after(() => place.remove())

  const cut = (bytes: number) => {
    writeFileSync(file, whole)
    truncateSync(file, bytes)
  }

  test('is as it should be, or not there yet', () => {
    writeFileSync(file, whole)
    assert.equal(flawOfDataFile(place.path), null)
    assert.equal(flawOfDataFile(join(place.path, 'nowhere')), null)
  })

  test('is told to be empty', () => {
    cut(0)
    assert.match(flawOfDataFile(place.path) ?? '', /^it is empty: /)
  })

  test('is told to be damaged, wherever a page is garbage that a tree needs', () => {
    writeFileSync(file, whole)
    assert.equal(flawOfDataFile(place.path, 'all pages'), null)
    const garbage = Buffer.alloc(PAGE_BYTES, 'a page of something else ')
    const unneeded: number[] = []
    const pages = whole.length / PAGE_BYTES
    for (let page = 2; page < pages; page += 1) {
      const spoiled = Buffer.from(whole)
      garbage.copy(spoiled, page * PAGE_BYTES)
      writeFileSync(file, spoiled)
      const flaw = flawOfDataFile(place.path, 'all pages')
      if (flaw === null) unneeded.push(page)
      else assert.match(flaw, /^page \d+ is damaged$/)
    }
    assert.ok(
      unneeded.length > 0 && unneeded.length < pages - 20,
      `${unneeded.length} of ${pages} pages are not needed`,
    )
    const spoiled = Buffer.from(whole)
    for (const page of unneeded) garbage.copy(spoiled, page * PAGE_BYTES)
    writeFileSync(file, spoiled)
    assert.equal(rowsIn(place.path), ROWS + 1 + 20)
  })

  test('is told to be damaged when a page stands in the place of another', () => {
    const [one, other] = [3, 4]
    const swapped = Buffer.from(whole)
    whole.copy(swapped, one * PAGE_BYTES, other * PAGE_BYTES, (other + 1) * PAGE_BYTES)
    whole.copy(swapped, other * PAGE_BYTES, one * PAGE_BYTES, (one + 1) * PAGE_BYTES)
    writeFileSync(file, swapped)
    assert.match(flawOfDataFile(place.path, 'all pages') ?? '', /^page [34] is damaged$/)
  })

  test('is told to be cut short wherever it was, unless only free pages are missing', () => {
    const pages = whole.length / PAGE_BYTES
    let completeFrom = pages
    for (let count = pages - 1; count > 1; count -= 1) {
      cut(count * PAGE_BYTES)
      const flaw = flawOfDataFile(place.path)
      if (flaw === null) completeFrom = count
      else assert.equal(flaw, 'it is cut short')
      assert.ok(flaw !== null || completeFrom === count, `${count} of ${pages} pages`)
    }
    // The first cut that is not told leaves everything that can be read.
    assert.ok(completeFrom < pages, 'no page at the end is free')
    cut(completeFrom * PAGE_BYTES)
    assert.equal(rowsIn(place.path), ROWS + 1 + 20)
    // One page less is one too few.
    cut((completeFrom - 1) * PAGE_BYTES)
    assert.equal(flawOfDataFile(place.path), 'it is cut short')
  })

  test('is told to be cut short in the middle of a page', () => {
    for (const bytes of [PAGE_BYTES + 1, 2 * PAGE_BYTES - 1, 30_000, 61_441]) {
      cut(bytes)
      assert.equal(flawOfDataFile(place.path), 'it is cut short', String(bytes))
    }
  })

  test('of more than 256 MiB is read down to the branches, and in full after a process that did not stop', async () => {
    const bytes = 300 * 1024 * 1024
    writeFileSync(file, whole)
    truncateSync(file, bytes)
    assert.equal(flawOfDataFile(place.path, 'branches'), null)
    const pages = { branches: 0, leaves: 0 }
    for (let page = 2; page < whole.length / PAGE_BYTES; page += 1) {
      writeFileSync(file, whole)
      const fd = openSync(file, 'r+')
      writeSync(fd, Buffer.alloc(PAGE_BYTES, 'garbage '), 0, PAGE_BYTES, page * PAGE_BYTES)
      closeSync(fd)
      truncateSync(file, bytes)
      if (flawOfDataFile(place.path, 'all pages') === null) continue
      if (flawOfDataFile(place.path, 'branches') !== null) {
        pages.branches += 1
        continue
      }
      pages.leaves += 1
      await openData(place.path, 'written', { before: 'peace' }).close()
      for (const before of ['death', 'damage'] as const) {
        assert.throws(() => openData(place.path, 'written', { before }), /: page \d+ is damaged$/)
      }
    }
    assert.ok(pages.branches > 0 && pages.leaves > 10, JSON.stringify(pages))
  })

  test('is told to be no LMDB file', () => {
    for (const bytes of [1, 100, 159]) {
      cut(bytes)
      assert.equal(flawOfDataFile(place.path), 'it is no LMDB file')
    }
    writeFileSync(file, Buffer.alloc(100_000, 'not a database '))
    assert.equal(flawOfDataFile(place.path), 'it is no LMDB file')
  })
})
