import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { PackedFile } from '../../../src/http/routes/app.js'
import { readProgramFile } from '../../../src/program-files.js'
import { isKeyThread, withQuickVault } from './quick-vault.js'

test('the thread that holds the keys says once what a passphrase costs, and tests change nothing else of it', () => {
  const files = JSON.parse(readProgramFile('app/files.json').toString('utf8')) as readonly PackedFile[]
  const [thread, ...others] = files.filter(({ name }) => isKeyThread(`/app/${name}`))
  assert.ok(thread !== undefined && others.length === 0)
  const program = gunzipSync(Buffer.from(thread.gzip, 'base64')).toString('utf8')
  assert.equal(withQuickVault(program).replace('=2**10,', '=2**17,'), program)
})
