import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RecentCache } from '../../../src/store/lmdb/recent-cache.js'

describe('a cache of what was asked for of late', () => {
  const fresh = () => new RecentCache<{ readonly weight: number }>(10, ({ weight }) => weight)

  test('answers what it was given', () => {
    const cache = fresh()
    const value = { weight: 1 }
    cache.set('a', value)
    assert.equal(cache.get('a'), value)
    assert.equal(cache.get('b'), undefined)
  })

  test('keeps what is asked for again and again, whatever else comes', () => {
    const cache = fresh()
    const value = { weight: 1 }
    cache.set('a', value)
    for (let i = 0; i < 100; i += 1) {
      cache.set(`other ${i}`, { weight: 1 })
      assert.equal(cache.get('a'), value)
    }
  })

  test('never holds more than its limit, nor drops what came last', () => {
    for (let members = 1; members < 60; members += 1) {
      const cache = fresh()
      const weightAt = (i: number) => 1 + (i % 3)
      for (let i = 0; i < members; i += 1) cache.set(`${i}`, { weight: weightAt(i) })
      const held = Array.from({ length: members }, (_, i) => i).filter((i) => cache.get(`${i}`) !== undefined)
      assert.ok(held.includes(members - 1))
      assert.ok(held.reduce((weight, i) => weight + weightAt(i), 0) <= 10)
    }
  })
})
