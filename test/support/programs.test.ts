import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { absenceOf, missingPrograms, programFile, readAbsence } from './programs.js'
import { temporaryDirectory } from './temporary-directory.js'

const THIS_FILE = 'dist/test/support/programs.test.js'

describe('programs that tests need', () => {
  const place = temporaryDirectory()
  after(() => place.remove())
  const [first, second] = ['first', 'second'].map((name) => join(place.path, name)) as [string, string]
  for (const directory of [first, second]) mkdirSync(directory)
  const put = (directory: string, name: string, mode: number) => {
    writeFileSync(join(directory, name), '#!/bin/sh\n')
    chmodSync(join(directory, name), mode)
  }
  put(first, 'data', 0o644)
  put(second, 'data', 0o755)
  put(second, 'tool', 0o755)
  mkdirSync(join(first, 'tool'))

  const onPath = (path: string, ask: () => unknown) => {
    const { PATH } = process.env
    process.env['PATH'] = path
    try {
      return ask()
    } finally {
      process.env['PATH'] = PATH
    }
  }

  test('are executable files on the path, and on no other', () => {
    const path = [first, second].join(delimiter)
    for (const name of ['data', 'tool'])
      assert.equal(
        onPath(path, () => programFile(name)),
        join(second, name),
      )
    assert.equal(
      onPath(first, () => programFile('tool')),
      null,
    )
    assert.equal(
      onPath('', () => programFile('sh')),
      null,
    )
  })

  test('are named with the file that needs them where they are missing', () => {
    assert.equal(
      onPath(second, () => missingPrograms('tool', 'data')),
      false,
    )
    const reason = `${THIS_FILE} needs a, b (not installed)`
    assert.equal(
      onPath(second, () => missingPrograms('a', 'tool', 'b')),
      reason,
    )
    assert.equal(absenceOf('a', 'b'), reason)
    assert.deepEqual(readAbsence(reason), { file: THIS_FILE, names: ['a', 'b'] })
  })

  test('are no other reason to skip', () => {
    for (const reason of ['', 'needs Linux', 'mounting a tmpfs is not permitted'])
      assert.equal(readAbsence(reason), null)
  })
})
