import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FrequentKeys } from '../../src/verify/frequent-keys.js'
import { dice } from '../support/dice.js'

const NEEDED = 32
const WINDOW = 64
const LEAD = 32
const BETWEEN_TAKEOVERS = 640
const COUNTED_MAX = 4096

/** Lets a key sign so often, and returns what the last signature gave. */
function sign(frequent: FrequentKeys, key: string, times = 1): number | undefined {
  let table: number | undefined
  for (let i = 0; i < times; i += 1) {
    table = frequent.signed(key)
    if (i < times - 1) assert.equal(table, undefined, `signature ${i + 1} of ${key}`)
  }
  return table
}

describe('a key that signs often', () => {
  test('gets a free table with its 32nd valid signature, and keeps it', () => {
    const frequent = new FrequentKeys(2, NEEDED)
    assert.equal(sign(frequent, 'a', NEEDED - 1), undefined)
    assert.equal(frequent.find('a'), undefined)
    assert.equal(frequent.signed('a'), 0)
    assert.equal(frequent.find('a'), 0)
    assert.equal(sign(frequent, 'a', 10 * NEEDED), undefined)
    assert.equal(frequent.find('a'), 0)
  })

  test('gets a table of its own while there are some', () => {
    const frequent = new FrequentKeys(3, NEEDED)
    const keys = ['a', 'b', 'c']
    assert.deepEqual(
      keys.map((key) => sign(frequent, key, NEEDED)),
      [0, 1, 2],
    )
    assert.deepEqual(
      keys.map((key) => frequent.find(key)),
      [0, 1, 2],
    )
  })

  test('gets none when its signatures lie so far apart that they are halved meanwhile', () => {
    const frequent = new FrequentKeys(2, NEEDED)
    for (let i = 0; i < 10 * NEEDED; i += 1) {
      assert.equal(frequent.signed('seldom'), undefined)
      for (let n = 0; n < WINDOW / 8; n += 1) frequent.signed(`other ${(i * WINDOW + n) % 1000}`)
    }
  })
})

describe('a table', () => {
  /** One table, whose key has signed so often. */
  function held(count: number): FrequentKeys {
    const frequent = new FrequentKeys(1, 1)
    assert.equal(frequent.signed('holder'), 0)
    sign(frequent, 'holder', count - 1)
    return frequent
  }

  test('goes to a key that signed twice as often and 32 times more, and not before', () => {
    const frequent = held(4)
    assert.equal(sign(frequent, 'newcomer', 2 * 4 + LEAD - 1), undefined)
    assert.equal(frequent.find('holder'), 0)
    assert.equal(frequent.signed('newcomer'), 0)
    assert.deepEqual([frequent.find('holder'), frequent.find('newcomer')], [undefined, 0])
  })

  test('stays with a key that goes on signing', () => {
    const frequent = held(1)
    for (let i = 0; i < 10_000; i += 1) {
      frequent.signed('holder')
      assert.equal(frequent.signed('newcomer'), undefined)
    }
  })

  test('goes on when its key has fallen silent, however often that signed', () => {
    const frequent = held(1000)
    let signatures = 0
    while (frequent.find('newcomer') === undefined && signatures < 20 * WINDOW) {
      signatures += 1
      frequent.signed('newcomer')
    }
    assert.equal(frequent.find('newcomer'), 0)
  })

  test('is taken from the key that signs least', () => {
    const frequent = new FrequentKeys(3, 8)
    for (const [key, count] of Object.entries({ a: 20, b: 10, c: 15 })) {
      for (let i = 0; i < count; i += 1) frequent.signed(key)
    }
    sign(frequent, 'newcomer', 2 * 10 + LEAD)
    assert.deepEqual(
      ['a', 'b', 'c', 'newcomer'].map((key) => frequent.find(key)),
      [0, undefined, 2, 1],
    )
  })

  test('changes hands once in 640 signatures at most', () => {
    const frequent = held(1)
    assert.equal(sign(frequent, 'first', 2 + LEAD), 0)
    let signatures = 0
    for (let n = 0; frequent.find('first') === 0; n += 1) {
      // Each would take the table with its last signature.
      for (let i = 0; i < 3 * LEAD && frequent.find('first') === 0; i += 1, signatures += 1)
        frequent.signed(`wave ${n}`)
    }
    assert.ok(signatures >= BETWEEN_TAKEOVERS, `${signatures}`)
  })

  test('belongs to one key at any time', () => {
    const throwDice = dice('frequent keys')
    const frequent = new FrequentKeys(4, 2)
    const keys = Array.from({ length: 12 }, (_, n) => `${n}`)
    let takeovers = 0
    for (let i = 0; i < 20_000; i += 1) {
      // Keys are in fashion for a while.
      const key = keys[(Math.floor(i / 2_000) + Number(throwDice() % 3n)) % keys.length] ?? ''
      const table = frequent.signed(key)
      if (table === undefined) continue
      takeovers += 1
      assert.equal(frequent.find(key), table)
      assert.equal(keys.filter((other) => frequent.find(other) === table).length, 1)
    }
    assert.ok(takeovers > 8, `${takeovers}`)
  })
})

describe('equally active keys', () => {
  const LIMIT = 256

  for (const keys of [1, 50, 256, 300, 700, 1000, 2000, 3000, 10_000]) {
    test(`${keys} of them make next to no tables once there is no free one`, () => {
      const throwDice = dice(`${keys} equal keys`)
      const frequent = new FrequentKeys(LIMIT, NEEDED)
      const names = Array.from({ length: keys }, (_, n) => `key ${n}`)
      const made = (signatures: number) => {
        let tables = 0
        for (let left = signatures; left > 0; ) {
          // One throw has sixteen choices.
          for (let bits = throwDice(); bits > 0n && left > 0; bits >>= 16n, left -= 1) {
            const name = names[Number(bits & 0xffffn) % keys] ?? ''
            if (frequent.signed(name) !== undefined) tables += 1
          }
        }
        return tables
      }
      made(200_000)
      const later = made(100_000)
      assert.ok(later <= 30, `${later} tables in 100 000 signatures`)
      if (keys <= LIMIT) assert.ok(names.every((name) => frequent.find(name) !== undefined))
    })
  }
})

describe('counts of signatures', () => {
  test('are kept for 4096 keys without a table, and halved when there are more', () => {
    const frequent = new FrequentKeys(COUNTED_MAX, NEEDED)
    sign(frequent, 'often', NEEDED - 1)
    for (let n = 1; n < COUNTED_MAX; n += 1) frequent.signed(`${n}`)
    frequent.signed('one too many')
    assert.equal(sign(frequent, 'often', Math.ceil(NEEDED / 2)), undefined)
    assert.equal(frequent.signed('often'), 0)
  })
})
