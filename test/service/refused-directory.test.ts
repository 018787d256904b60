import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { open as openForeign } from 'lmdb'
import { startChild } from '../cli/child.js'
import { openStoreAt } from '../support/lmdb-fixture.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const MAIN = new URL('../../src/main.js', import.meta.url)

const cases: readonly {
  readonly what: string
  readonly prepare: (directory: string) => Promise<void>
  readonly told: RegExp
}[] = [
  {
    what: 'a database file that is none',
    prepare: async (directory) => writeFileSync(join(directory, 'data.mdb'), Buffer.alloc(16_384, 'not a database ')),
    told: /damaged or foreign/,
  },
  {
    what: 'a store that is cut short',
    prepare: async (directory) => {
      await (await openStoreAt(directory)).close()
      const file = join(directory, 'data.mdb')
      writeFileSync(file, readFileSync(file).subarray(0, 4096))
    },
    told: /damaged or foreign/,
  },
  {
    what: 'a store that was copied in part',
    prepare: async (directory) => {
      await (await openStoreAt(directory)).close()
      const file = join(directory, 'data.mdb')
      writeFileSync(file, readFileSync(file).subarray(0, -5000))
    },
    told: /damaged or foreign database: it is cut short/,
  },
  {
    what: "another program's database",
    prepare: async (directory) => {
      const root = openForeign({ path: directory })
      await root.put('hello', { world: 1 })
      await root.close()
    },
    told: /holds a database that is not Billhook's/,
  },
  {
    what: 'a file in the place of the directory',
    prepare: async (directory) => writeFileSync(join(directory, 'data'), ''),
    told: /cannot be used/,
  },
]

for (const { what, prepare, told } of cases) {
  test(`the command line refuses ${what} in one line, with exit code 1`, async () => {
    const place = temporaryDirectory()
    try {
      await prepare(place.path)
      const isFile = what.startsWith('a file')
      const data = isFile ? join(place.path, 'data') : place.path
      const ended = await startChild(MAIN, ['serve', '--port', '0', '--data', data], { BILLHOOK_LOG: 'error' }).ended
      assert.deepEqual([ended.code, ended.signal, ended.stdout], [1, null, ''])
      assert.match(ended.stderr, /^billhook: [^\n]+\n$/)
      assert.match(ended.stderr, told)
      assert.ok(ended.stderr.includes(data), ended.stderr)
    } finally {
      place.remove()
    }
  })
}

test('the command line refuses a directory in which nothing can be made, in one line', {
  skip: process.platform === 'linux' ? false : 'there is no /proc',
}, async () => {
  const child = startChild(MAIN, ['serve', '--port', '0', '--data', '/proc/billhook/data'], { BILLHOOK_LOG: 'error' })
  const { code, signal, stderr } = await child.ended
  assert.deepEqual([code, signal], [1, null], stderr)
  assert.match(stderr, /^billhook: the data directory \/proc\/billhook\/data cannot be used: [^\n]+\n$/)
})
