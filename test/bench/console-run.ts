import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fillPaidStore } from '../../bench/paid-store.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const script = fileURLToPath(new URL('../../bench/console.js', import.meta.url))
const INVOICES = 200

test('a tiny run measures every page of the console', async () => {
  const place = temporaryDirectory()
  await fillPaidStore(place.path, INVOICES)
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, place.path], { encoding: 'utf8' })
  place.remove()
  assert.equal(status, 0, stderr)
  const [head, ...pages] = stdout.trim().split('\n')
  assert.equal(head, `${INVOICES} invoices: median and longest of 20, ms`)
  assert.equal(pages.length, 17)
  for (const page of pages) assert.match(page, /^ {2}\S.*: [\d.]+, [\d.]+$/)
})
