import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Script } from 'node:vm'
import { bundle } from '../../deploy/binary/bundle.js'
import { projectRoot } from '../support/project-root.js'

describe('the scripts of the single binary', () => {
  test('contain everything but Node, and compile', async () => {
    const { main, worker } = await bundle(projectRoot)
    for (const script of [main, worker]) {
      assert.doesNotThrow(
        () => new Script(`(function (exports, require, module, __filename, __dirname) {${script}\n})`),
      )
      assert.doesNotMatch(script, /import\.meta/)
    }
  })

  test('load native modules from the executable, and worker threads from its script', async () => {
    const { main, worker } = await bundle(projectRoot)
    for (const name of ['uws', 'lmdb', 'fs-native-extensions', 'koffi']) {
      assert.ok(main.includes(`loadNative("${name}")`), name)
    }
    assert.ok(worker.includes('loadNative("secp256k1")'))
    assert.ok(main.includes('getAsset("worker.js"'))
  })
})
