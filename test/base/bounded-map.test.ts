import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { BoundedMap } from '../../src/base/bounded-map.js'

const MAX = 8

describe('a bounded map', () => {
  test('keeps an entry that is used, however many others come', () => {
    const map = new BoundedMap<string, number>(MAX)
    map.set('used', 1)
    for (let n = 0; n < 100; n += 1) {
      map.set(`other ${n}`, n)
      assert.equal(map.get('used'), 1)
    }
  })

  test('keeps at least the newest half of its bound', () => {
    const map = new BoundedMap<number, number>(MAX)
    for (let n = 0; n < 100; n += 1) map.set(n, n)
    for (let n = 100 - MAX / 2; n < 100; n += 1) assert.equal(map.get(n), n)
  })

  test('drops an entry that is not used', () => {
    const map = new BoundedMap<string, number>(MAX)
    map.set('unused', 1)
    for (let n = 0; n < MAX; n += 1) map.set(`other ${n}`, n)
    assert.equal(map.get('unused'), undefined)
  })

  test('forgets what is deleted, in either generation, and everything when cleared', () => {
    const map = new BoundedMap<number, string>(MAX)
    for (let n = 0; n < MAX; n += 1) map.set(n, 'value')
    for (const key of [1, 7]) {
      assert.equal(map.get(key), 'value')
      map.delete(key)
      assert.equal(map.get(key), undefined)
    }
    assert.equal(map.isEmpty, false)
    map.clear()
    assert.equal(map.isEmpty, true)
    for (let n = 0; n < MAX; n += 1) assert.equal(map.get(n), undefined)
  })

  test('is empty only when neither generation has an entry', () => {
    const map = new BoundedMap<number, string>(MAX)
    for (let n = 0; n < MAX / 2; n += 1) map.set(n, 'value')
    map.set(MAX, 'value')
    map.delete(MAX)
    assert.equal(map.isEmpty, false)
    for (let n = 0; n < MAX / 2; n += 1) map.delete(n)
    assert.equal(map.isEmpty, true)
  })

  test('is bounded by weight where entries are weighed, and keeps a heavy one until the next', () => {
    const map = new BoundedMap<string, number>(10, (weight) => weight)
    map.set('heavy', 50)
    assert.equal(map.get('heavy'), 50)
    map.set('light', 2)
    assert.equal(map.get('light'), 2)
    map.set('other', 4)
    assert.equal(map.get('heavy'), undefined)
  })

  test('never exceeds its bound and never answers another value than the last, whatever is done', () => {
    const key = fc.integer({ min: 0, max: 12 })
    const step = fc.oneof(
      fc.record({ do: fc.constant('set' as const), key, weight: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ do: fc.constant('get' as const), key }),
      fc.record({ do: fc.constant('delete' as const), key }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const map = new BoundedMap<number, number>(MAX * 2, (weight) => weight)
        const model = new Map<number, number>()
        for (const one of steps) {
          if (one.do === 'set') {
            map.set(one.key, one.weight)
            model.set(one.key, one.weight)
            assert.equal(map.get(one.key), one.weight)
          } else if (one.do === 'delete') {
            map.delete(one.key)
            model.delete(one.key)
          }
          const value = map.get(one.key)
          if (value !== undefined) assert.equal(value, model.get(one.key))
        }
        const kept = [...model.keys()].filter((name) => map.get(name) !== undefined)
        assert.ok(kept.reduce((sum, name) => sum + (model.get(name) ?? 0), 0) <= MAX * 2)
      }),
    )
  })
})
