import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { DATA_FILE } from '../../../src/store/lmdb/data-file.js'
import { MappedFile, sharedRanges } from '../../../src/store/lmdb/mapped-file.js'
import { openEnvironment, openTables, type Tables } from '../../../src/store/lmdb/tables.js'

const ROWS = 1024
const ROW_BYTES = 64 * 1024
const MIB = 1024 * 1024
const PATH = '/data/data.mdb'

const skip = process.platform === 'linux' ? false : 'only Linux gives pages back'

const keyOf = (n: number) => Buffer.from(`row ${String(n).padStart(6, '0')}`)

/** MiB of the file that are in this process's memory. */
function residentOf(path: string): number {
  const smaps = readFileSync('/proc/self/smaps', 'utf8')
  const [, text] = smaps.split(`${path}\n`)
  return (Number(/Rss:\s+(\d+) kB/.exec(text ?? '')?.[1]) * 1024) / MIB
}

interface OpenFile {
  readonly path: string
  readonly file: MappedFile
  readonly meta: Tables['meta']
  /** Whether all rows are as they were put. */
  readAll(): boolean
}

/** Runs with a data file full of rows; `read` tells of the process what it would tell. */
async function withFile(
  read: (name: 'maps' | 'statm') => string,
  use: (open: OpenFile) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'billhook-'))
  const root = openEnvironment(directory)
  const path = join(directory, DATA_FILE)
  const file = new MappedFile(path, read)
  try {
    const { meta } = openTables(root)
    const rows = Array.from({ length: ROWS }, (_, n) => Buffer.alloc(ROW_BYTES, n))
    await Promise.all(rows.map((row, n) => meta.put(keyOf(n), row)))
    await use({ path, file, meta, readAll: () => rows.every((row, n) => meta.get(keyOf(n))?.equals(row)) })
  } finally {
    file.stop()
    await root.close()
    rmSync(directory, { recursive: true })
  }
}

function readAboutProcess(name: 'maps' | 'statm'): string {
  return readFileSync(`/proc/self/${name}`, 'utf8')
}

describe('the data file in memory', () => {
  test('is given back, and reads as before', { skip }, () =>
    withFile(readAboutProcess, async ({ path, file, meta, readAll }) => {
      assert.ok(readAll())
      assert.ok(residentOf(path) > 60, `${residentOf(path)} MiB`)
      await file.giveBack()
      assert.ok(residentOf(path) < 1, `${residentOf(path)} MiB`)
      assert.ok(readAll())
      await meta.put(keyOf(0), Buffer.from('later'))
      assert.equal(meta.get(keyOf(0))?.toString(), 'later')
    }),
  )

  test('is given back no further once the file is about to be closed', { skip }, () =>
    withFile(readAboutProcess, async ({ path, file, readAll }) => {
      await file.giveBack()
      assert.ok(readAll())
      const given = file.giveBack()
      file.stop()
      await given
      assert.ok(residentOf(path) > 30, `${residentOf(path)} MiB`)
    }),
  )

  test('is given back by itself when it is much and the process idle, and not before', {
    skip,
    timeout: 60_000,
  }, () => {
    let times = 0
    // The addresses are only read to give it back.
    const read = (name: 'maps' | 'statm') => {
      if (name === 'maps') times += 1
      return readAboutProcess(name)
    }
    return withFile(read, async ({ path, readAll }) => {
      for (const busyUntil = performance.now() + 2500; performance.now() < busyUntil; await nextTurn()) readAll()
      assert.equal(times, 0)
      assert.ok(residentOf(path) > 30, `${residentOf(path)} MiB`)
      while (residentOf(path) > 1) await pause(300)
    })
  })

  test('stays where it is while nothing can be read of the process, and no longer', { skip, timeout: 60_000 }, () => {
    let isRefused = false
    let refusals = 0
    const read = (name: 'maps' | 'statm') => {
      if (!isRefused) return readAboutProcess(name)
      refusals += 1
      throw new Error('EMFILE: too many open files')
    }
    return withFile(read, async ({ path, readAll }) => {
      isRefused = true
      readAll()
      // Reading about the process is work: it is not done before the file was looked at while idle.
      while (refusals === 0) await pause(500)
      assert.ok(residentOf(path) > 30, `${residentOf(path)} MiB`)
      isRefused = false
      while (residentOf(path) > 1) await pause(300)
    })
  })

  test('is left alone where nothing is known of processes', () => {
    const directory = mkdtempSync(join(tmpdir(), 'billhook-'))
    const refuse = () => {
      throw new Error('ENOENT: no such file or directory')
    }
    assert.doesNotThrow(() => new MappedFile(directory, refuse).stop())
    rmSync(directory, { recursive: true })
  })

  for (const [name, line, expected] of [
    ['shared and read', `7f00a0000000-7f00a0003000 r--s 00000000 fd:01 123   ${PATH}`, [[0x7f00a0000000n, 0x3000]]],
    ['private, where pages could be lost', `7f00a0000000-7f00a0003000 r--p 00000000 fd:01 123   ${PATH}`, []],
    ['written through', `7f00a0000000-7f00a0003000 rw-s 00000000 fd:01 123   ${PATH}`, []],
    ['of another file', `7f00a0000000-7f00a0003000 r--s 00000000 fd:01 123   ${PATH}.old`, []],
    ['in another directory', `7f00a0000000-7f00a0003000 r--s 00000000 fd:01 123   /other${PATH}`, []],
    ['of no file', '7f00a0000000-7f00a0003000 rw-p 00000000 00:00 0 ', []],
  ] as const) {
    test(`a map ${name} is ${expected.length === 0 ? 'left alone' : 'found'}`, () => {
      const maps = `55d0c0000000-55d0c0001000 r-xp 00000000 fd:01 9 /usr/bin/node\n${line}\n`
      assert.deepEqual(
        sharedRanges(maps, PATH).map(({ address, bytes }) => [address, bytes]),
        expected,
      )
    })
  }
})
