import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { RateFile } from '../../src/rates/rate-file.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { gist, setText } from './fake-intake.js'

function place(t: TestContext): { readonly path: string; readonly file: RateFile; replace(text: string): void } {
  const directory = temporaryDirectory()
  t.after(() => directory.remove())
  const path = join(directory.path, 'rates.json')
  const replace = (text: string) => {
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
  }
  return { path, file: new RateFile(path), replace }
}

test('a file is read, and has changed once it is replaced', async (t) => {
  const { file, replace } = place(t)
  replace(setText(1, { USDT: '0.92' }))
  assert.equal(await file.hasChanged(), true)
  assert.deepEqual(gist(await file.read()), { USDT: '0.92' })
  assert.equal(await file.hasChanged(), false)
  // Of the same length and perhaps in the same millisecond.
  replace(setText(2, { USDT: '0.93' }))
  assert.equal(await file.hasChanged(), true)
  assert.deepEqual(gist(await file.read()), { USDT: '0.93' })
  assert.equal(await file.hasChanged(), false)
})

test('a file that is written in its place is none while it is half, and is read when it is whole', async (t) => {
  const { path, file } = place(t)
  const text = setText(1, { USDT: '0.92' })
  writeFileSync(path, text.slice(0, 20))
  assert.equal(gist(await file.read()), 'not_json')
  writeFileSync(path, text)
  assert.equal(await file.hasChanged(), true)
  assert.deepEqual(gist(await file.read()), { USDT: '0.92' })
})

test('a file that is not there gives nothing, and has changed when it comes', async (t) => {
  const { path, file, replace } = place(t)
  const read = await file.read()
  assert.deepEqual(read, { ok: false, refusal: { reason: 'unreachable', detail: 'there is no such file' } })
  assert.equal(await file.hasChanged(), false)
  replace(setText(1, { USDT: '0.92' }))
  assert.equal(await file.hasChanged(), true)
  assert.deepEqual(gist(await file.read()), { USDT: '0.92' })
  rmSync(path)
  assert.equal(await file.hasChanged(), true)
  assert.equal(gist(await file.read()), 'unreachable')
})

test('what is no file gives nothing and holds nothing up: a directory, a pipe, a device', async (t) => {
  const { path } = place(t)
  mkdirSync(path)
  assert.equal(gist(await new RateFile(path).read()), 'unreachable')
  const pipe = `${path}.pipe`
  execFileSync('mkfifo', [pipe])
  assert.equal(gist(await new RateFile(pipe).read()), 'unreachable')
  assert.equal(gist(await new RateFile('/dev/zero').read()), 'unreachable')
})

test('a file without end, of which a part is read, and one that is not text, are none', async (t) => {
  const { path, file } = place(t)
  writeFileSync(path, '{')
  truncateSync(path, 2 ** 30)
  assert.equal(gist(await file.read()), 'too_long')
  // With the byte replaced it would be a set.
  const [head, tail] = ['{"note": "', `", ${setText(1, { USDT: '0.92' }).slice(1)}`].map((text) => Buffer.from(text))
  writeFileSync(path, Buffer.concat([head ?? Buffer.alloc(0), Buffer.from([0xff]), tail ?? Buffer.alloc(0)]))
  assert.equal(gist(await file.read()), 'not_json')
})
