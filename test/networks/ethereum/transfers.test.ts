import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EthereumBlock, EthereumLog, EthereumReceipt } from '../../../src/networks/ethereum/block.js'
import { LogsBloom } from '../../../src/networks/ethereum/bloom.js'
import {
  addressTopic,
  EthereumFilter,
  observePayments,
  observeWhole,
  TRANSFER_TOPIC,
} from '../../../src/networks/ethereum/transfers.js'
import { BadAnswer } from '../../../src/networks/node/answer.js'
import { ether, tether, watching } from './fixture.js'

const token = `0x${'70'.repeat(20)}`
const ours = `0x${'0a'.repeat(20)}`
const blockHash = hashNumber(100)
const [paying, calling] = [hashNumber(1), hashNumber(2)]
const filter = new EthereumFilter(token, watching([ours])[0])

function hashNumber(n: number): string {
  return `0x${n.toString(16).padStart(64, '0')}`
}

function log(logIndex: number, amount: bigint): EthereumLog {
  const topics = [TRANSFER_TOPIC, addressTopic(token), addressTopic(ours)]
  return { address: token, topics, word: amount, blockHash, height: 7, txHash: calling, txIndex: 1, logIndex }
}

/** A payment of ether, and two equal transfers of the token behind it. */
const bloom = LogsBloom.over([token, ...log(0, 5n).topics])
const payment: EthereumReceipt = {
  txHash: paying,
  txIndex: 0,
  blockHash,
  succeeded: true,
  logs: [],
  bloom: LogsBloom.over([]),
}
const call: EthereumReceipt = {
  txHash: calling,
  txIndex: 1,
  blockHash,
  succeeded: true,
  logs: [log(0, 5n), log(1, 5n)],
  bloom,
}
const block: EthereumBlock = {
  height: 7,
  hash: blockHash,
  parentHash: hashNumber(99),
  timeMs: 1000,
  bloom,
  txHashes: [paying, calling],
  payments: [{ txIndex: 0, toAddress: ours, amount: 10n ** 18n }],
}

const { bloom: _filter, txHashes: _hashes, payments: _payments, ...head } = block

describe('the transfers of a block', () => {
  test('are those of its receipts', () => {
    const transfers = [ether(paying, ours, '1'), tether(calling, 1, ours, 5n), tether(calling, 2, ours, 5n)]
    assert.deepEqual(observeWhole(block, [payment, call], filter), { ...head, transfers })
    assert.deepEqual(observePayments(block, [payment], filter), { ...head, transfers: [transfers[0]] })
  })

  test('are none of a transaction that failed', () => {
    assert.deepEqual(observePayments(block, [{ ...payment, succeeded: false }], filter), { ...head, transfers: [] })
  })

  const elsewhere = hashNumber(101)
  const disagreements: readonly [name: string, receipts: readonly EthereumReceipt[]][] = [
    ['a receipt is missing', [payment]],
    ['a receipt is told twice', [payment, call, call]],
    ['receipts are in another order', [call, payment]],
    ['a receipt without logs is of another block', [{ ...payment, blockHash: elsewhere }, call]],
    ['a receipt without logs is of another transaction', [{ ...payment, txHash: elsewhere }, call]],
    ['a receipt without logs is of another place', [{ ...payment, txIndex: 1 }, call]],
    ['all logs are missing', [payment, { ...call, logs: [] }]],
    ['all logs and the filter of the receipt are missing', [payment, { ...call, logs: [], bloom: payment.bloom }]],
    [
      'the filter of a receipt denies its logs',
      [
        { ...payment, bloom },
        { ...call, bloom: payment.bloom },
      ],
    ],
    ['the first of two equal logs is missing', [payment, { ...call, logs: [log(1, 5n)] }]],
    ['a log is told twice', [payment, { ...call, logs: [log(0, 5n), log(0, 5n)] }]],
    ['a log is of another address', [payment, { ...call, logs: [log(0, 5n), { ...log(1, 5n), address: ours }] }]],
    ['a log has another topic', [payment, { ...call, logs: [log(0, 5n), { ...log(1, 5n), topics: [elsewhere] }] }]],
  ]
  for (const [name, receipts] of disagreements) {
    test(`are refused when ${name}`, () => {
      assert.throws(() => observeWhole(block, receipts, filter), BadAnswer)
    })
  }

  test('are refused when a receipt of a payment is missing, of another block, or has logs that the header denies', () => {
    for (const receipts of [[], [{ ...payment, blockHash: elsewhere }], [{ ...payment, logs: [log(0, 5n)] }]]) {
      assert.throws(() => observePayments(block, receipts, filter), BadAnswer)
    }
  })
})
