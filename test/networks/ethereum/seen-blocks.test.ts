import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AddressList } from '../../../src/networks/ethereum/address-list.js'
import type { EthereumBlock } from '../../../src/networks/ethereum/block.js'
import { HashList } from '../../../src/networks/ethereum/hash-list.js'
import { SeenBlocks } from '../../../src/networks/ethereum/seen-blocks.js'
import { addressNumber } from '../../support/ethereum-chain.js'
import { hashNumber } from './scripted-node.js'

const nobody = { isWatched: () => false }
const [stranger, other] = [addressNumber(1), addressNumber(2)]

interface Variant {
  readonly branch?: number
  /** The branch of its parent; the same when absent. */
  readonly parentOf?: number
  readonly transactions?: number
  readonly receivers?: readonly string[]
}

function blockAt(height: number, variant: Variant = {}) {
  const { branch = 1, parentOf = branch, transactions = 1, receivers = [stranger] } = variant
  const txHashes = new HashList()
  for (let i = 0; i < transactions; i += 1) txHashes.set(i, hashNumber(9, height, i))
  const list = new AddressList(10)
  for (const each of receivers) list.add(each)
  const [hash, parentHash] = [hashNumber(branch, height), hashNumber(parentOf, height - 1)]
  const found = { bloom: null, payments: [], doubtful: [], isProven: true, txHashes, receivers: list }
  return { height, hash, parentHash, timeMs: 0, ...found } satisfies EthereumBlock
}

const chainOf = (from: number, count: number): readonly EthereumBlock[] =>
  Array.from({ length: count }, (_, i) => blockAt(from + i))
const heightsOf = (blocks: readonly EthereumBlock[]) => blocks.map(({ height }) => height)

describe('the blocks that were seen', () => {
  test('are known from a height on, up to another', () => {
    const seen = new SeenBlocks()
    seen.note(chainOf(5, 4))
    assert.equal(seen.next, 9)
    assert.deepEqual(heightsOf(seen.known(6, 7, nobody)), [6, 7])
    assert.deepEqual(heightsOf(seen.known(7, 20, nobody)), [7, 8])
    assert.deepEqual(seen.known(4, 8, nobody), [])
    seen.dropBelow(7)
    assert.deepEqual(seen.known(6, 8, nobody), [])
    assert.deepEqual(heightsOf(seen.known(7, 8, nobody)), [7, 8])
    seen.forget()
    assert.deepEqual(seen.known(7, 8, nobody), [])
  })

  test('lead to one of them, and to the next one, and to no other', () => {
    const seen = new SeenBlocks()
    assert.ok(!seen.leadTo(blockAt(1)))
    seen.note(chainOf(5, 4))
    for (const height of [5, 8, 9]) assert.ok(seen.leadTo(blockAt(height)), String(height))
    for (const height of [4, 10]) assert.ok(!seen.leadTo(blockAt(height)), String(height))
    for (const height of [6, 8, 9]) assert.ok(!seen.leadTo(blockAt(height, { branch: 2 })), String(height))
    // A sibling, which has the same parent.
    assert.ok(!seen.leadTo(blockAt(8, { branch: 2, parentOf: 1 })))
  })

  test('are followed by another branch from where it begins', () => {
    const seen = new SeenBlocks()
    seen.note(chainOf(5, 4))
    seen.note([blockAt(7, { branch: 2, parentOf: 1 })])
    assert.equal(seen.next, 8)
    assert.deepEqual(
      seen.known(5, 9, nobody).map(({ hash }) => hash),
      [hashNumber(1, 5), hashNumber(1, 6), hashNumber(2, 7)],
    )
  })

  test('are forgotten when another one does not follow them', () => {
    for (const height of [4, 5, 7, 9, 11]) {
      const seen = new SeenBlocks()
      seen.note(chainOf(5, 4))
      seen.note([blockAt(height, { branch: 2 })])
      assert.deepEqual(heightsOf(seen.known(height, 20, nobody)), [height])
      assert.deepEqual(seen.known(height - 1, 20, nobody), [])
    }
  })

  test('are not known where they pay somebody who is watched only now', () => {
    const seen = new SeenBlocks()
    seen.note([blockAt(5), blockAt(6, { receivers: [stranger, other] }), blockAt(7)])
    const isWatched = (address: string) => address === other
    assert.deepEqual(heightsOf(seen.known(5, 7, { isWatched })), [5])
    assert.deepEqual(heightsOf(seen.known(7, 7, { isWatched })), [7])
    const paid = { ...blockAt(8), payments: [{ txIndex: 0, from: null, toAddress: stranger, amount: 1n }] }
    seen.note([paid])
    assert.deepEqual(seen.known(8, 8, { isWatched: (address) => address === stranger }), [paid])
  })

  test('are not kept where it is not known whom they pay', () => {
    const seen = new SeenBlocks()
    seen.note([
      { ...blockAt(5), receivers: null },
      { ...blockAt(6), doubtful: [{ txIndex: 0, isUntold: false }] },
      blockAt(7),
    ])
    for (const height of [5, 6]) assert.deepEqual(seen.known(height, 7, nobody), [])
    assert.ok(seen.leadTo(blockAt(8)))
    assert.deepEqual(heightsOf(seen.known(7, 7, nobody)), [7])
  })

  test('are asked for again once doubted, and still lead on', () => {
    const seen = new SeenBlocks()
    seen.note(chainOf(5, 3))
    seen.doubt([blockAt(6), blockAt(7, { branch: 2 })])
    assert.deepEqual(heightsOf(seen.known(5, 7, nobody)), [5])
    assert.deepEqual(heightsOf(seen.known(7, 7, nobody)), [7])
    assert.ok(seen.leadTo(blockAt(8)))
  })

  test('take no more than so many bytes: the first ones stay, and make room', () => {
    const wide = { transactions: 1000, receivers: [] }
    const ways: readonly ((seen: SeenBlocks) => void)[] = [
      (seen) => seen.dropBelow(6),
      (seen) => seen.doubt([blockAt(5)]),
      (seen) => {
        seen.forget()
        seen.note([blockAt(7)])
      },
    ]
    for (const makeRoom of ways) {
      const seen = new SeenBlocks(70_000)
      seen.note([5, 6, 7].map((height) => blockAt(height, wide)))
      assert.deepEqual(heightsOf(seen.known(6, 7, nobody)), [6])
      seen.note([blockAt(7, wide)])
      assert.deepEqual(seen.known(7, 7, nobody), [])
      makeRoom(seen)
      seen.note([blockAt(8, wide)])
      assert.deepEqual(heightsOf(seen.known(8, 8, nobody)), [8])
      assert.ok(seen.leadTo(blockAt(9)))
    }
    const again = new SeenBlocks(40_000)
    for (let n = 0; n < 3; n += 1) again.note([blockAt(5, wide)])
    assert.deepEqual(heightsOf(again.known(5, 5, nobody)), [5])
  })

  test('are no more than so many: the first ones go', () => {
    const seen = new SeenBlocks(1_000_000, 3)
    seen.note(chainOf(5, 5))
    assert.deepEqual(seen.known(6, 6, nobody), [])
    assert.deepEqual(heightsOf(seen.known(7, 20, nobody)), [7, 8, 9])
  })
})

describe('a list of addresses', () => {
  test('has each of them, also many', () => {
    const list = new AddressList(1000)
    const added = Array.from({ length: 1000 }, (_, i) => addressNumber(i).toLowerCase())
    for (const address of added) list.add(address)
    const found: string[] = []
    list.some((address) => found.push(address) === 0)
    assert.deepEqual(found, added)
    assert.ok(list.some((address) => address === added[999]))
    assert.ok(!list.some(() => false))
    assert.ok(!list.isCut)
  })

  test('is cut where there are more than it keeps', () => {
    const list = new AddressList(2)
    for (let i = 0; i < 5; i += 1) list.add(addressNumber(i))
    assert.ok(list.isCut)
  })
})
