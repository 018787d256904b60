import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { inPieces } from '../../src/base/pieces.js'

test('pieces let other work have its turn, and see what is added and removed meanwhile', async () => {
  const items = new Set([1, 2, 3, 4, 5])
  const seen: number[] = []
  const done = inPieces(items, 2, (item) => {
    seen.push(item)
  })
  assert.deepEqual(seen, [1, 2])
  items.delete(4)
  items.add(6)
  await turn()
  assert.deepEqual(seen, [1, 2, 3, 5])
  await done
  assert.deepEqual(seen, [1, 2, 3, 5, 6])
})

test('pieces reject with what one of them throws', async () => {
  await assert.rejects(
    inPieces([1], 1, () => {
      throw new Error('no')
    }),
    /no/,
  )
})
