import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HashList } from '../../../src/networks/ethereum/hash-list.js'
import { hashNumber } from './scripted-node.js'

const MANY = 1300

function listOf(hashes: Iterable<unknown>, followed?: HashList): HashList {
  const list = new HashList(followed)
  for (const [place, hash] of [...hashes].entries()) list.set(place, hash)
  return list
}

describe('a list of hashes', () => {
  const numbers = Array.from({ length: MANY }, (_, i) => i)
  const hashes = numbers.map((n) => hashNumber(1, n))

  test('has each at its place, in lower case, whatever the order in which they are set', () => {
    const list = new HashList()
    for (const n of numbers.toReversed()) list.set(n, hashes[n]?.toUpperCase().replace('0X', '0x'))
    assert.equal(list.length, MANY)
    assert.deepEqual(
      numbers.map((n) => list.at(n)),
      hashes,
    )
    assert.equal(list.at(MANY), null)
  })

  test('knows none where anything else stands', () => {
    const others = [null, undefined, 7, {}, '0x', `${hashNumber(1)}00`, `0x${'g'.repeat(64)}`, `0x${'a'.repeat(63)}g`]
    const list = listOf([...others, hashNumber(1)])
    assert.deepEqual(
      others.map((_, i) => list.at(i)),
      others.map(() => null),
    )
    list.set(8, null)
    assert.equal(list.at(8), null)
  })

  test('agrees with another one as far as both know', () => {
    const list = listOf(hashes)
    assert.ok(list.agreesWith(listOf(hashes), MANY))
    for (const place of [0, 511, 512, MANY - 1]) {
      assert.ok(list.agreesWith(listOf(hashes.with(place, '')), MANY))
      assert.ok(!list.agreesWith(listOf(hashes.with(place, hashNumber(9))), MANY))
      assert.ok(list.agreesWith(listOf(hashes.with(place, hashNumber(9))), place))
    }
    assert.ok(!list.agreesWith(listOf(hashes.slice(1)), MANY))
    assert.ok(new HashList().agreesWith(new HashList(), 0))
  })

  test('has its own hashes, whatever another list has that it follows', () => {
    const told: readonly (string | null)[] = hashes.map((hash, n) => (n === 3 ? null : hash))
    const followed = listOf(told)
    const others: readonly (readonly (string | null)[])[] = [
      told,
      hashes,
      told.slice(0, 600),
      told.slice(1),
      [...told, hashNumber(9)],
      ...[0, 511, 512, MANY - 1].map((place) => told.with(place, hashNumber(9))),
      told.with(700, null),
    ]
    for (const other of others) {
      const list = listOf(other, followed)
      assert.equal(list.length, other.length)
      assert.deepEqual(
        other.map((_, place) => list.at(place)),
        other,
      )
      assert.equal(list.at(other.length), null)
      for (const count of [1, 512, 600, MANY]) {
        const plain = listOf(other).agreesWith(followed, count)
        assert.equal(list.agreesWith(followed, count), plain)
        assert.equal(followed.agreesWith(list, count), plain)
      }
      assert.equal(list.finder()(hashNumber(9)), listOf(other).finder()(hashNumber(9)))
    }
    const skipping = new HashList(followed)
    skipping.set(0, hashes[0])
    skipping.set(2, hashes[2])
    assert.deepEqual([skipping.at(0), skipping.at(1), skipping.at(2)], [hashes[0], null, hashes[2]])
    assert.equal(followed.at(2), hashes[2])
    assert.equal(followed.length, MANY)
  })

  test('finds the place of each, the first of several', () => {
    const find = listOf([...hashes, null, ...hashes]).finder()
    assert.deepEqual(hashes.map(find), numbers)
    assert.equal(find(hashNumber(2)), null)
    assert.equal(find(null), null)
    assert.equal(new HashList().finder()(hashNumber(1)), null)
  })
})
