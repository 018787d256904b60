import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Pool } from '../../src/webhooks/pool.js'

interface Lane {
  readonly key: string
  readonly owner: string
}

function lanesOf(owner: string, count: number): readonly Lane[] {
  return Array.from({ length: count }, (_, n) => ({ key: `${owner} ${n}`, owner }))
}

/** Gives a place to each lane whose turn it is, until there is none, and answers their keys. */
function fill(pool: Pool<Lane>): readonly string[] {
  const keys: string[] = []
  for (let lane = pool.next(); lane !== undefined; lane = pool.next()) {
    pool.began(lane.owner)
    keys.push(lane.key)
  }
  return keys
}

describe('a pool of places', () => {
  test('lets owners take turns, however many lanes they have', () => {
    const pool = new Pool<Lane>(16)
    for (const lane of [...lanesOf('many', 5), ...lanesOf('few', 2), ...lanesOf('one', 1)]) pool.enter(lane)
    const order = ['many 0', 'few 0', 'one 0', 'many 1', 'few 1', 'many 2', 'many 3', 'many 4']
    assert.deepEqual(fill(pool), order)
  })

  for (const [size, owners, each] of [
    [16, 1, 8],
    [15, 2, 5],
    [16, 3, 4],
    [8, 20, 1],
  ] as const) {
    test(`of ${size} gives each of ${owners} owners ${each} places at most`, () => {
      const pool = new Pool<Lane>(size)
      for (let owner = 0; owner < owners; owner += 1) for (const lane of lanesOf(`o${owner}`, 30)) pool.enter(lane)
      const owned = fill(pool).map((key) => key.split(' ')[0])
      for (let owner = 0; owner < Math.min(owners, size); owner += 1) {
        assert.equal(owned.filter((one) => one === `o${owner}`).length, each)
      }
    })
  }

  test('has a place for an owner who comes when others have all they get', () => {
    const pool = new Pool<Lane>(64)
    for (let owner = 0; owner < 10; owner += 1) for (const lane of lanesOf(`o${owner}`, 30)) pool.enter(lane)
    fill(pool)
    const [late] = lanesOf('late', 1)
    assert.ok(late !== undefined)
    pool.enter(late)
    assert.equal(pool.next(), late)
  })

  test('lets an owner go on when attempts end', () => {
    const pool = new Pool<Lane>(2)
    const [first, second] = lanesOf('owner', 2)
    assert.ok(first !== undefined && second !== undefined)
    pool.enter(first)
    pool.enter(second)
    assert.deepEqual(fill(pool), ['owner 0'])
    pool.ended('owner')
    assert.equal(pool.next(), second)
  })

  test('forgets a lane that leaves', () => {
    const pool = new Pool<Lane>(4)
    const lanes = lanesOf('owner', 2)
    for (const lane of lanes) pool.enter(lane)
    for (const lane of lanes) pool.leave(lane)
    assert.equal(pool.next(), undefined)
  })
})
