import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BadAnswer } from '../../../src/networks/node/answer.js'
import { readBlock, readReceipts } from '../../../src/networks/tron/block.js'

/*
 * What whole answers of an emulated node do not show, because another check would notice it too. A node that is wrong in
 * two ways at once must not get through.
 */

const ID = '0'.repeat(15)
const A = 'a'.repeat(64)
const B = 'b'.repeat(64)
const TIME_MS = 1_777_445_121_000

const header = {
  number: 3,
  timestamp: TIME_MS,
  txTrieRoot: '0'.repeat(64),
  parentHash: `${ID}2${'f'.repeat(48)}`,
}

function block(changes: Readonly<Record<string, unknown>>, transactionIds: readonly string[] = []): unknown {
  const transactions = transactionIds.map((txID) => ({ txID, ret: [{ contractRet: 'SUCCESS' }], raw_data: {} }))
  return {
    blockID: `${ID}3${'e'.repeat(48)}`,
    block_header: { raw_data: { ...header, ...(transactionIds.length > 0 ? { txTrieRoot: A } : {}), ...changes } },
    ...(transactionIds.length > 0 ? { transactions } : {}),
  }
}

function receipt(id: string): unknown {
  return { id, blockNumber: 3, blockTimeStamp: TIME_MS, receipt: {} }
}

describe('TRON blocks', () => {
  test('an empty block is one', () => {
    const { transactions, ...head } = readBlock(block({}), 3)
    assert.deepEqual(transactions, [])
    assert.deepEqual(head, {
      height: 3,
      hash: `${ID}3${'e'.repeat(48)}`,
      parentHash: header.parentHash,
      timeMs: TIME_MS,
      isEmpty: true,
    })
  })

  test('without word of its tree, only receipts show that a block is empty', () => {
    assert.equal(readBlock(block({ txTrieRoot: undefined }), 3).isEmpty, false)
  })

  const flaws: readonly (readonly [name: string, answer: unknown])[] = [
    ['no time', block({ timestamp: undefined })],
    ['the time 0', block({ timestamp: 0 })],
    ['a time beyond all calendars', block({ timestamp: 2 ** 48 })],
    ['a transaction twice', block({}, [A, B, A])],
    ['a tree of no transactions', block({ txTrieRoot: '0'.repeat(64) }, [A])],
    ['a tree of transactions, and none of them', block({ txTrieRoot: A })],
    ['the number of another', block({ number: 4 })],
    ['the parent of another', block({ parentHash: `${ID}1${'f'.repeat(48)}` })],
  ]
  for (const [name, answer] of flaws) {
    test(`an answer with ${name} is none`, () => assert.throws(() => readBlock(answer, 3), BadAnswer))
  }
})

describe('TRON receipts', () => {
  const two = readBlock(block({}, [A, B]), 3)

  test('come in any order', () => {
    const settled = readReceipts([receipt(B), receipt(A)], two)
    assert.deepEqual(
      settled.map(({ id }) => id),
      [A, B],
    )
    assert.deepEqual(readReceipts([], readBlock(block({ txTrieRoot: undefined }), 3)), [])
  })

  const flaws: readonly (readonly [name: string, answers: unknown])[] = [
    ['one missing', [receipt(A)]],
    ['one twice in place of another', [receipt(A), receipt(A)]],
    ['one twice', [receipt(A), receipt(B), receipt(B)]],
    ['one of another transaction', [receipt(A), receipt('c'.repeat(64))]],
    ['no list', {}],
  ]
  for (const [name, answers] of flaws) {
    test(`with ${name} are none`, () => assert.throws(() => readReceipts(answers, two), BadAnswer))
  }
})
