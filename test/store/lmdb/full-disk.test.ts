import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock } from '../../support/manual-clock.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

/** Of 512 bytes on every shell: about a megabyte. */
const FILE_SIZE_LIMIT_BLOCKS = 2000

test('a disk that refuses writes ends no process: they are refused, reads go on, and what was acknowledged is there', {
  skip: process.platform === 'win32' ? 'Windows has no limit of file sizes' : false,
}, async () => {
  const directory = temporaryDirectory()
  try {
    const script = fileURLToPath(new URL('./full-disk.js', import.meta.url))
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', `ulimit -f ${FILE_SIZE_LIMIT_BLOCKS}; exec "$@"`, 'sh', process.execPath, script, directory.path],
      { maxBuffer: 1 << 26 },
    )
    const { acknowledged, refused, isReadable } = JSON.parse(stdout)
    assert.ok(refused > 0, 'the limit was never reached')
    assert.ok(acknowledged.length > 0)
    assert.equal(isReadable, true)

    const store = await openLmdbStore(lmdbStoreOptions(directory.path, new ManualClock()))
    try {
      const lost = acknowledged.filter((reference: string) => store.invoices.findByReference(reference) === undefined)
      assert.deepEqual(lost, [])
      let listed = 0
      for (let after: string | null = null; ; ) {
        const page = store.invoices.page('alice', { after, limit: 500 })
        listed += page.items.length
        after = page.next
        if (after === null) break
      }
      assert.equal(listed, acknowledged.length)
    } finally {
      await store.close()
    }
  } finally {
    directory.remove()
  }
})
