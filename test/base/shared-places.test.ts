import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SharedPlaces } from '../../src/base/shared-places.js'

/** Takes places for a flow while it is admitted; answers how many. */
function fill(places: SharedPlaces, flow: string): number {
  let count = 0
  while (places.take(flow)) count += 1
  return count
}

describe('shared places', () => {
  for (const [max, each] of [
    [64, [32, 16, 8, 4, 2, 1, 1]],
    [15, [8, 4, 2, 1]],
    [1, [1, 0]],
    [0, [0]],
  ] as const) {
    test(`of ${max} go to flows that come one after the other as ${each.join(', ')}`, () => {
      const places = new SharedPlaces(max)
      const rooms = each.map((_, flow) => [places.roomFor(`${flow}`), fill(places, `${flow}`)])
      assert.deepEqual(
        rooms,
        each.map((count) => [count, count]),
        'the room that a flow has is what it gets',
      )
      assert.equal(places.taken, max)
      assert.equal(places.isFull, true)
    })
  }

  test('are there again when they are given back, and only then', () => {
    const places = new SharedPlaces(2)
    assert.equal(fill(places, 'a'), 1)
    assert.equal(places.admits('a'), false)
    places.free('a')
    assert.equal(places.admits('a'), true)
    assert.throws(() => places.free('a'), /not taken/)
  })

  test('may be taken by what cannot wait, and nobody has room until as many are free again', () => {
    const places = new SharedPlaces(2)
    for (let count = 0; count < 3; count += 1) places.occupy('a')
    assert.deepEqual([places.taken, places.isFull, places.roomFor('a'), places.roomFor('b')], [3, true, 0, 0])
    places.free('a')
    assert.equal(places.roomFor('b'), 0)
    places.free('a')
    assert.equal(places.roomFor('b'), 1)
  })
})
