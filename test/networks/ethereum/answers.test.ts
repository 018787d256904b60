import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readBlock, readLog, readReceipt } from '../../../src/networks/ethereum/block.js'
import { countOf, quantityOf } from '../../../src/networks/ethereum/values.js'
import { BadAnswer } from '../../../src/networks/node/answer.js'

/** 32 bytes and 20 bytes, with letters. */
const [hash, otherHash] = [`0x${'Ab'.repeat(32)}`, `0x${'cd'.repeat(32)}`]
const address = `0x${'Ef'.repeat(20)}`
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

const place = { blockHash: hash, blockNumber: '0x7', transactionHash: hash, transactionIndex: '0x1' }
const log = { ...place, address, topics: [hash], data: `0x${'0'.repeat(63)}5`, logIndex: '0x3', removed: false }
const receipt = { ...place, status: '0x1', logs: [log, { ...log, logIndex: '0x4' }] }
const transaction = { hash, blockHash: hash, blockNumber: '0x7', transactionIndex: '0x0', to: address, value: '0x1' }
const block = {
  number: '0x7',
  hash,
  parentHash: otherHash,
  timestamp: '0x10',
  transactionsRoot: hash,
  logsBloom: `0x${'00'.repeat(256)}`,
  transactions: [transaction],
}

type Change = Readonly<Record<string, unknown>>

describe('answers of an Ethereum node', () => {
  const read = (value: unknown) => readBlock(value, 7, () => true)

  test('are read with hashes and addresses in small letters', () => {
    const { height, parentHash, timeMs, txHashes, payments } = read(block)
    assert.deepEqual(
      { height, parentHash, timeMs, txHashes, payments },
      {
        height: 7,
        parentHash: otherHash,
        timeMs: 16_000,
        txHashes: [hash.toLowerCase()],
        payments: [{ txIndex: 0, toAddress: address.toLowerCase(), amount: 1n }],
      },
    )
    assert.equal(readLog(log).word, 5n)
    assert.equal(readReceipt(receipt).logs.length, 2)
  })

  test('may leave out the receiver of a transaction that creates a contract, or say null', () => {
    const { to: _to, ...creation } = transaction
    for (const each of [creation, { ...transaction, to: null }]) {
      assert.deepEqual(read({ ...block, transactions: [each] }).payments, [])
    }
  })

  const refused: readonly [what: string, (value: unknown) => unknown, of: object, changes: readonly Change[]][] = [
    [
      'a block',
      read,
      block,
      [
        { number: '0x8' },
        { number: 7 },
        { hash: null },
        { timestamp: '0x100000000' },
        { logsBloom: '0x00' },
        { transactions: [] },
        { transactionsRoot: EMPTY_ROOT },
        { transactions: [hash] },
        { transactions: [{ ...transaction, blockHash: otherHash }] },
        { transactions: [{ ...transaction, transactionIndex: '0x1' }] },
        { transactions: [{ ...transaction, value: `0x1${'0'.repeat(64)}` }] },
        { transactions: [{ ...transaction, to: '0x' }] },
        { transactions: [transaction, { ...transaction, transactionIndex: '0x1' }] },
      ],
    ],
    [
      'a receipt',
      readReceipt,
      receipt,
      [
        { status: '0x2' },
        { status: '0x0' },
        { status: null },
        { logs: null },
        { logs: [log, log] },
        { logs: [log, { ...log, logIndex: '0x5' }] },
        { logs: [{ ...log, blockHash: otherHash }] },
        { logs: [{ ...log, transactionHash: otherHash }] },
        { logs: [{ ...log, transactionIndex: '0x2' }] },
      ],
    ],
    [
      'a log',
      readLog,
      log,
      [{ removed: true }, { topics: Array(5).fill(hash) }, { topics: ['0x00'] }, { data: '0x0' }, { address: hash }],
    ],
  ]
  for (const [what, readIt, of, changes] of refused) {
    for (const change of changes) {
      test(`are refused: ${what} with ${JSON.stringify(change).slice(0, 60)}`, () => {
        assert.throws(() => readIt({ ...of, ...change }), BadAnswer)
      })
    }
  }

  const texts: readonly [text: unknown, quantity: bigint | null, count: number | null][] = [
    ['0x0', 0n, 0],
    ['0xffffffff', 0xffff_ffffn, 0xffff_ffff],
    ['0x100000000', 0x1_0000_0000n, null],
    [`0x${'f'.repeat(64)}`, 2n ** 256n - 1n, null],
    [`0x1${'f'.repeat(64)}`, null, null],
    ['0x', null, null],
    ['0X1', null, null],
    ['-0x1', null, null],
    ['1', null, null],
    ['0x1 ', null, null],
    [1, null, null],
    [null, null, null],
    [['0x1'], null, null],
  ]
  for (const [text, quantity, count] of texts) {
    test(`the number ${JSON.stringify(text)?.slice(0, 20)}`, () => {
      if (quantity === null) assert.throws(() => quantityOf(text, 'it'), BadAnswer)
      else assert.equal(quantityOf(text, 'it'), quantity)
      if (count === null) assert.throws(() => countOf(text, 'it'), BadAnswer)
      else assert.equal(countOf(text, 'it'), count)
    })
  }
})
