import assert from 'node:assert/strict'
import { createRequire, Module } from 'node:module'
import { test } from 'node:test'
import { chooseEngine } from '../../src/verify/engine-choice.js'

/*
 * In a file, hence a process, of its own, because the package is replaced in Node's module cache: by one that loads
 * but accepts every signature, as a binary for another machine might.
 */

const require = createRequire(import.meta.url)
const path = require.resolve('secp256k1/bindings.js')
const accepting = new Module(path)
accepting.filename = path
accepting.loaded = true
accepting.exports = {
  publicKeyVerify: () => true,
  publicKeyConvert: () => new Uint8Array(65),
  ecdsaVerify: () => true,
}
require.cache[path] = accepting

test('libsecp256k1 that judges wrongly is not used: auto falls back to noble and says why', async () => {
  const { engine, reason } = await chooseEngine('auto')
  assert.equal(engine.name, 'noble')
  assert.equal(reason, 'libsecp256k1 does not run on this machine (a known signature was judged wrongly)')
})

test('libsecp256k1 that is asked for by name is an error, not another engine', async () => {
  await assert.rejects(chooseEngine('libsecp256k1'), /judged wrongly/)
})
