import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { positionToGoOn } from '../../../src/store/moving/begun.js'
import type { MovePosition } from '../../../src/store/moving/ports.js'

describe('a move', () => {
  const first: MovePosition = { from: 'lmdb:/data', kind: 'networks', place: null, done: 0 }
  const begun: MovePosition = { ...first, kind: 'wallets', place: '7f', done: 9 }

  test('begins at the first kind, and goes on where it was cut off', () => {
    assert.deepEqual(positionToGoOn('/new', 'directory', null, first), first)
    assert.deepEqual(positionToGoOn('/new', 'directory', begun, first), begun)
  })

  test('does not go on with one from another source', () => {
    const other = { ...begun, from: 'lmdb:/other' }
    const error = /^\/new is being filled from lmdb:\/other: go on with that, or name an empty directory$/
    assert.throws(() => positionToGoOn('/new', 'directory', other, first), { name: 'OperatorError', message: error })
  })
})
