import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { projectRoot } from '../../../test/support/project-root.js'
import { compiled, noCompiler } from './compiler.js'

const PLACE = join(projectRoot, 'packages/key-tables')
const code = readFileSync(join(PLACE, 'verify.wasm'))

describe('the code that is kept', () => {
  test('has the checksum beside it', () => {
    assert.equal(createHash('sha256').update(code).digest('hex'), readFileSync(join(PLACE, 'verify.sha256'), 'utf8'))
  })

  test('is what the service loads', () => {
    for (const end of ['wasm', 'sha256']) {
      const loaded = readFileSync(join(projectRoot, `dist/src/verify/key-tables.${end}`))
      assert.deepEqual(loaded, readFileSync(join(PLACE, `verify.${end}`)))
    }
  })

  test('is compiled from the source, byte for byte', { skip: noCompiler }, async () => {
    assert.ok(code.equals(await compiled()), 'npm run compile --prefix packages/key-tables/build')
  })
})

test('the source has no fault that TypeScript finds', { skip: noCompiler }, () => {
  const compiler = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', join(PLACE, 'assembly')], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout)
})
