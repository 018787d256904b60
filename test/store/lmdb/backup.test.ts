import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { systemClock } from '../../../src/clock.js'
import { OperatorError } from '../../../src/operator-error.js'
import { SCHEMA_VERSION } from '../../../src/store/lmdb/file/schema.js'
import { type LmdbStore, openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { aboutBytes, endBytes } from '../../../src/store/lmdb/upkeep/backup-file.js'
import { lmdbUpkeep } from '../../../src/store/lmdb/upkeep/upkeep.js'
import type { BackupMade, Restored } from '../../../src/store/upkeep.js'
import { assertSound } from '../../support/check-data.js'
import { allRows, putEarlierData } from '../../support/earlier-data.js'
import { walletAssigned, walletCreated } from '../../support/fixtures.js'
import { invoiceRequest, openStoreAt } from '../../support/lmdb-fixture.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock } from '../../support/manual-clock.js'
import { quiet } from '../../support/migration.js'
import { memoryDirectory } from '../../support/temporary-directory.js'
import { fillEveryTable } from './full-store.js'

const COMPANION = 'journal.jsonl'
const PAGE_BYTES = 4096
const NEVER = new AbortController().signal

function inPlace(scenario: (path: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const place = memoryDirectory()
    try {
      await scenario(place.path)
    } finally {
      place.remove()
    }
  }
}

function backUp(data: string, file: string, stop = NEVER, onProgress = () => {}): Promise<BackupMade> {
  const companions = existsSync(join(data, COMPANION)) ? [COMPANION] : []
  return lmdbUpkeep(data, companions, systemClock).backup({ file, stop, onProgress })
}

function restore(file: string, directory: string, stop = NEVER): Promise<Restored> {
  return lmdbUpkeep(directory, [], systemClock).restore({ file, directory, stop, onProgress: () => {} })
}

/** A data directory with a few rows in every table, and its backup. */
async function backedUp(path: string): Promise<{ readonly data: string; readonly file: string }> {
  const data = join(path, 'data')
  await fillEveryTable(data)
  writeFileSync(join(data, COMPANION), '{"line":1}\n')
  const file = join(path, 'backup')
  await backUp(data, file)
  return { data, file }
}

async function createInvoices(store: LmdbStore, from: number, count: number): Promise<readonly string[]> {
  const requests = Array.from({ length: count }, (_, i) => {
    const n = from + i
    return {
      type: 'invoice' as const,
      request: invoiceRequest('alice', ['wallet-1'], `${n}`, { reference: `order ${n}` }),
    }
  })
  const fates = await store.commands.perform(requests)
  return fates.map((fate) => {
    assert.ok(fate.status === 'fulfilled' && fate.value.type === 'invoice' && fate.value.outcome.ok)
    return fate.value.outcome.value.id
  })
}

async function openWithWallet(directory: string): Promise<LmdbStore> {
  const store = await openStoreAt(directory)
  for (const fact of [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')]) {
    await store.ledger.applyFacts([{ eventId: null, fact }])
  }
  return store
}

describe('a backup', () => {
  test(
    'is private, says how large it is, and restores to sound data and its companions, private too',
    inPlace(async (path) => {
      const { data, file } = await backedUp(path)
      assert.equal(statSync(file).mode & 0o777, 0o600)
      const to = join(path, 'restored')
      const { isOlderVersion, bytes } = await restore(file, to)
      assert.deepEqual([isOlderVersion, bytes], [false, statSync(join(data, 'data.mdb')).size])
      assert.deepEqual(readdirSync(to).sort(), ['data.mdb', COMPANION])
      assert.equal(statSync(to).mode & 0o777, 0o700)
      for (const name of readdirSync(to)) assert.equal(statSync(join(to, name)).mode & 0o777, 0o600)
      assert.ok(readFileSync(join(to, COMPANION)).equals(readFileSync(join(data, COMPANION))))
      await assertSound(to)
      assert.deepEqual(readdirSync(path).sort(), ['backup', 'data', 'restored'])
    }),
  )

  test(
    'holds one moment: everything acknowledged before it began, and whole commits of those that come while it is written',
    inPlace(async (path) => {
      const data = join(path, 'data')
      const store = await openWithWallet(data)
      const before: string[] = []
      for (let from = 1; from < 20_000; from += 500) before.push(...(await createInvoices(store, from, 500)))
      let isWriting = true
      let commits = 0
      const writing = (async () => {
        for (let from = 100_000; isWriting; from += 50, commits += 1) await createInvoices(store, from, 50)
      })()
      await backUp(data, join(path, 'backup'))
      isWriting = false
      await writing
      await store.close()
      assert.ok(commits > 10, `only ${commits} commits came between`)
      await restore(join(path, 'backup'), join(path, 'restored'))
      await assertSound(join(path, 'restored'))
      const restored = await openStoreAt(join(path, 'restored'))
      for (const id of before) assert.ok(restored.invoices.find(id) !== undefined, `${id} is not in the backup`)
      await restored.close()
    }),
  )

  test(
    'is not made of data with a damaged page, and leaves nothing behind; a page that nothing needs does not count',
    inPlace(async (path) => {
      const data = join(path, 'data')
      const store = await openWithWallet(data)
      await createInvoices(store, 1, 200)
      await store.close()
      const file = join(data, 'data.mdb')
      const whole = readFileSync(file)
      const made: number[] = []
      const refused: number[] = []
      // Each page that has the last invoice: as it is, or as it was.
      for (let at = whole.indexOf('order 200'); at >= 0; at = whole.indexOf('order 200', at + 1)) {
        const page = Math.floor(at / PAGE_BYTES)
        writeFileSync(file, Buffer.from(whole).fill('garbage ', page * PAGE_BYTES, (page + 1) * PAGE_BYTES))
        const backup = join(path, `backup-${at}`)
        await backUp(data, backup).then(
          () => made.push(page),
          (error) => {
            assert.ok(error instanceof OperatorError)
            assert.equal(error.message, `the data directory ${data} holds a damaged database: page ${page} is damaged`)
            refused.push(page)
          },
        )
        assert.equal(existsSync(backup), made.includes(page))
      }
      assert.ok(refused.length > 0, JSON.stringify({ made, refused }))
      assert.ok(readdirSync(path).every((name) => !name.endsWith('.partial')))
    }),
  )

  test(
    'leaves nothing behind when it is stopped, and does not hold pages any longer',
    inPlace(async (path) => {
      const data = join(path, 'data')
      const store = await openWithWallet(data)
      for (let from = 1; from < 5000; from += 500) await createInvoices(store, from, 500)
      const stop = new AbortController()
      const stopped = backUp(data, join(path, 'backup'), stop.signal, () => stop.abort())
      await assert.rejects(stopped, { name: 'AbortError' })
      assert.deepEqual(readdirSync(path), ['data'])
      await createInvoices(store, 10_000, 200)
      const { size } = statSync(join(data, 'data.mdb'))
      // While a reader holds the pages, each of these commits makes the file longer.
      for (let from = 20_000; from < 20_100; from += 1) {
        await store.webhooks.put('alice', `https://shop.example/${from}`)
      }
      assert.ok(statSync(join(data, 'data.mdb')).size <= size + 262_144, 'pages are still held')
      await store.close()
    }),
  )

  test(
    'replaces no file, and needs data',
    inPlace(async (path) => {
      const { data, file } = await backedUp(path)
      const bytes = readFileSync(file)
      await assert.rejects(backUp(data, file), /is there already/)
      assert.ok(readFileSync(file).equals(bytes))
      mkdirSync(join(path, 'empty'))
      await assert.rejects(backUp(join(path, 'empty'), join(path, 'other')), OperatorError)
      await assert.rejects(backUp(data, join(path, 'missing', 'other')), /ENOENT/)
      assert.deepEqual(readdirSync(path).sort(), ['backup', 'data', 'empty'])
    }),
  )
})

describe('a restore', () => {
  test(
    'refuses every backup in which a byte differs, or that is cut short or longer, and leaves no directory behind',
    inPlace(async (path) => {
      const { file } = await backedUp(path)
      const whole = readFileSync(file)
      const damaged = join(path, 'damaged')
      const refused = async (bytes: Buffer, what: string) => {
        writeFileSync(damaged, bytes)
        await assert.rejects(restore(damaged, join(path, 'to')), OperatorError, what)
        assert.equal(existsSync(join(path, 'to')), false, what)
      }
      const places = [
        0,
        1,
        30,
        5000,
        whole.length >> 1,
        ...Array.from({ length: 120 }, (_, i) => whole.length - 1 - 3 * i),
      ]
      for (const at of places) {
        const bytes = Buffer.from(whole)
        bytes[at] = (bytes[at] ?? 0) ^ 1
        await refused(bytes, `byte ${at} differs`)
      }
      for (const length of [0, 1, 47, 48, 4096, whole.length - 4096, whole.length - 1]) {
        await refused(whole.subarray(0, length), `only ${length} bytes`)
      }
      await refused(Buffer.concat([whole, Buffer.of(0)]), 'a byte more')
    }),
  )

  test(
    'refuses data that is not complete, foreign data, and data of a newer version, whatever the checksum says',
    inPlace(async (path) => {
      const { data } = await backedUp(path)
      const image = readFileSync(join(data, 'data.mdb'))
      const made = (contents: Buffer, more: object = {}) => {
        const about = aboutBytes({
          dataVersion: SCHEMA_VERSION,
          madeAt: 1,
          dataBytes: contents.length,
          companions: [],
          ...more,
        })
        const hash = createHash('sha256').update(contents).update(about).digest()
        const file = join(path, 'made')
        writeFileSync(file, Buffer.concat([contents, about, endBytes(about, hash)]))
        return file
      }
      const to = join(path, 'to')
      await restore(made(image), join(path, 'control'))
      await assert.rejects(restore(made(image.subarray(0, 4096 * (image.length >> 13))), to), /not complete/)
      await assert.rejects(restore(made(Buffer.alloc(8192)), to), /not complete/)
      await assert.rejects(restore(made(image, { dataVersion: SCHEMA_VERSION + 1 }), to), /made by a newer Billhook/)
      await restore(made(image, { madeAt: 8_640_000_000_000_000 }), join(path, 'last'))
      await assert.rejects(restore(made(image, { madeAt: 8_640_000_000_000_001 }), to), /description cannot be read/)
      const outside = { dataBytes: image.length - 5, companions: [{ name: '../x.jsonl', bytes: 5 }] }
      await assert.rejects(restore(made(image, outside), to), /description cannot be read/)
      assert.equal(existsSync(to), false)
    }),
  )

  test(
    'takes a backup of an older version, says so, and leaves the migration to the next start',
    inPlace(async (path) => {
      const data = join(path, 'data')
      mkdirSync(data)
      putEarlierData(data)
      const file = join(path, 'backup')
      await backUp(data, file)
      const { isOlderVersion } = await restore(file, join(path, 'to'))
      assert.equal(isOlderVersion, true)
      assert.deepEqual(await allRows(join(path, 'to')), await allRows(data))
      await (
        await openLmdbStore({ ...lmdbStoreOptions(join(path, 'to'), new ManualClock()), migration: quiet() })
      ).close()
      await assertSound(join(path, 'to'))
    }),
  )

  test(
    'touches no directory that is not empty',
    inPlace(async (path) => {
      const { data, file } = await backedUp(path)
      const names = readdirSync(data).sort()
      await assert.rejects(restore(file, data), /is not empty/)
      assert.deepEqual(readdirSync(data).sort(), names)
      await assert.rejects(restore(file, file), /is not a directory/)
      await assert.rejects(restore(join(path, 'nothing'), join(path, 'to')), /cannot be opened/)
    }),
  )

  test(
    'leaves nothing behind when it is stopped',
    inPlace(async (path) => {
      const { file } = await backedUp(path)
      mkdirSync(join(path, 'to'))
      const stopped = restore(file, join(path, 'to'), AbortSignal.abort())
      await assert.rejects(stopped, { name: 'AbortError' })
      assert.deepEqual(readdirSync(join(path, 'to')), [])
    }),
  )
})
