import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SCHEMA_VERSION } from '../../src/store/lmdb/file/schema.js'
import { allRows, putEarlierData } from '../support/earlier-data.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { startChild } from './child.js'

const main = new URL('../../src/main.js', import.meta.url)

function billhook(...argv: string[]) {
  return startChild(main, argv).ended
}

/** A test with the data of version 0.1.0 in a directory of its own. */
function withEarlierData(scenario: (directory: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const { path, remove } = temporaryDirectory()
    try {
      putEarlierData(path)
      await scenario(path)
    } finally {
      remove()
    }
  }
}

describe('billhook migrate', () => {
  test(
    'tells what there is to do without doing it, does it, and then finds nothing to do',
    withEarlierData(async (directory) => {
      const before = await allRows(directory)
      const checked = await billhook('migrate', '--data', directory, '--check', '--json')
      assert.deepEqual([checked.code, checked.stderr], [0, ''])
      const plan = JSON.parse(checked.stdout)
      assert.deepEqual({ ...plan, rows: 0 }, { from: 2, to: SCHEMA_VERSION, rows: 0, done: 0 })
      const told = await billhook('migrate', '--data', directory, '--check')
      assert.match(
        told.stdout,
        /^The data has version 2 and is to get version \d+: \d+ rows to read\. Make a backup first\.\n$/,
      )
      assert.deepEqual(await allRows(directory), before)

      const migrated = await billhook('migrate', '--data', directory)
      assert.deepEqual(migrated, {
        ...migrated,
        code: 0,
        stderr: '',
        stdout: `The data has version ${SCHEMA_VERSION} now; it had version 2.\n`,
      })
      const again = await billhook('migrate', '--data', directory, '--json')
      assert.deepEqual(
        [again.code, JSON.parse(again.stdout)],
        [0, { from: SCHEMA_VERSION, to: SCHEMA_VERSION, rows: 0, done: 0 }],
      )
    }),
  )

  test(
    'is what other commands ask for before they work on older data',
    withEarlierData(async (directory) => {
      const before = await allRows(directory)
      const status = await billhook('status', '--data', directory)
      assert.equal(status.code, 1)
      assert.match(status.stderr, /^billhook: .* has data version 2, .* run "billhook migrate" or start the service\n$/)
      assert.deepEqual(await allRows(directory), before)
      assert.equal((await billhook('migrate', '--data', directory)).code, 0)
      assert.equal((await billhook('status', '--data', directory)).code, 0)
    }),
  )

  test('refuses a directory without data, and makes nothing there', async () => {
    const { path, remove } = temporaryDirectory()
    try {
      const ended = await billhook('migrate', '--data', path, '--json')
      assert.deepEqual([ended.code, ended.stdout], [1, ''])
      assert.match(JSON.parse(ended.stderr).error, /holds no data/)
      assert.deepEqual(await allRows(path), {})
    } finally {
      remove()
    }
  })
})
