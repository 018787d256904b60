import assert from 'node:assert/strict'
import { cpSync, readdirSync, truncateSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ForeignBinary, verifyUwsBinary } from '../../../src/http/uws/binary.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

const installed = new URL('./bin/', import.meta.resolve('uWebSockets.js'))
// 108 is Node 18, which Billhook does not run on.
const names = readdirSync(installed).flatMap((file) => /^uws_(\w+_(?!108)\d+)\.node$/.exec(file)?.[1] ?? [])

describe('the binary of uWebSockets.js', () => {
  test('every one in the package for a Node that Billhook runs on is known', () => {
    assert.ok(names.length > 0)
    for (const name of names) verifyUwsBinary(installed, name)
  })

  test('one that was changed is not loaded', (t) => {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const [name = ''] = names
    const file = `uws_${name}.node`
    const copy = `${place.path}/${file}`
    cpSync(fileURLToPath(new URL(file, installed)), copy)
    const directory = pathToFileURL(`${place.path}/`)
    verifyUwsBinary(directory, name)
    truncateSync(copy, 1_000)
    assert.throws(() => verifyUwsBinary(directory, name), ForeignBinary)
  })

  test('one for a system that nobody knows is not loaded', (t) => {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    cpSync(fileURLToPath(new URL(`uws_${names[0]}.node`, installed)), `${place.path}/uws_amiga_68k_115.node`)
    assert.throws(() => verifyUwsBinary(pathToFileURL(`${place.path}/`), 'amiga_68k_115'), ForeignBinary)
  })

  test('a missing one is for the package to complain about', () => {
    verifyUwsBinary(installed, 'amiga_68k_999')
  })
})
