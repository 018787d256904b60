import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { blockShape, readBlock, withoutDoubt } from '../../../src/networks/ethereum/block.js'
import { addressIn, hashIn, heightOf, quantityIn, quantityOf, timeMsOf } from '../../../src/networks/ethereum/values.js'
import { BadAnswer } from '../../../src/networks/node/answer.js'
import { STRANGER } from './scripted-node.js'
import { told } from './told.js'

/** 32 bytes and 20 bytes, with letters. */
const [hash, otherHash] = [`0x${'Ab'.repeat(32)}`, `0x${'cd'.repeat(32)}`]
const address = `0x${'Ef'.repeat(20)}`
const theirs = `0x${'11'.repeat(20)}`
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const HASH_OF_NOTHING = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'

const transaction = { hash, blockHash: hash, blockNumber: '0x7', transactionIndex: '0x0', to: address, value: '0x1' }
const block = {
  number: '0x7',
  hash,
  parentHash: otherHash,
  timestamp: '0x10',
  transactionsRoot: hash,
  logsBloom: `0x${'00'.repeat(256)}`,
  gasUsed: '0x5208',
  transactions: [transaction],
}

type Change = Readonly<Record<string, unknown>>

describe('a block of an Ethereum node', () => {
  const isWatched = (one: string) => one === address.toLowerCase()
  const read = (value: unknown) => readBlock(told(blockShape(isWatched), value), 7, isWatched)

  test('is read with hashes and addresses in small letters', () => {
    const { height, parentHash, timeMs, txHashes, payments } = read(block)
    assert.deepEqual(
      { height, parentHash, timeMs, txHash: txHashes.at(0), payments },
      {
        height: 7,
        parentHash: otherHash,
        timeMs: 16_000,
        txHash: hash.toLowerCase(),
        payments: [{ txIndex: 0, from: null, toAddress: address.toLowerCase(), amount: 1n }],
      },
    )
  })

  test('tells everybody whom it pays where that is asked for, unless they are too many', () => {
    const receiversOf = (count: number, hasReceivers: boolean) => {
      const transactions = Array.from({ length: count }, () => ({ ...transaction, to: theirs, hash: undefined }))
      const all = [...transactions, transaction, { ...transaction, value: '0x0', to: STRANGER }]
      const shape = blockShape(isWatched, { hasReceivers })
      const { receivers } = readBlock(told(shape, { ...block, transactions: all }), 7, isWatched)
      return (
        receivers && [
          receivers.length,
          [theirs, address.toLowerCase(), STRANGER].map((each) => receivers.some((one) => one === each)),
        ]
      )
    }
    assert.deepEqual(receiversOf(1, true), [2, [true, true, false]])
    assert.equal(receiversOf(1, false), null)
    assert.equal(receiversOf(20_000, true), null)
  })

  const noPayment: readonly [what: string, transaction: unknown][] = [
    ['creates a contract and has no receiver', { ...transaction, to: undefined }],
    ['creates a contract, whose receiver is null', { ...transaction, to: null }],
    ['sends nothing', { ...transaction, value: '0x0' }],
    ['sends nothing, in many digits', { ...transaction, value: '0x00' }],
    ['pays others with a value of no form', { ...transaction, to: theirs, value: 'much' }],
    ['has an empty receiver', { ...transaction, to: '0x' }],
    ['pays others and has no hash', { to: theirs, value: '0x1' }],
    ['is of a kind that has nothing but a hash', { hash }],
    ['is of another block and place', { ...transaction, to: theirs, blockHash: otherHash, transactionIndex: '0x9' }],
  ]
  for (const [what, each] of noPayment) {
    test(`is read where a transaction ${what}`, () => {
      const { payments, txHashes } = read({ ...block, transactions: [each, { ...transaction, hash: otherHash }] })
      assert.deepEqual(
        payments.map(({ txIndex }) => txIndex),
        [1],
      )
      assert.equal(txHashes.length, 2)
      assert.equal(txHashes.at(1), otherHash)
    })
  }

  const { gasUsed: _gas, transactionsRoot: _root, ...bare } = block
  const empty: readonly [what: string, block: object][] = [
    ['its root is that of nothing', { ...block, transactionsRoot: EMPTY_ROOT }],
    ['its root is the hash of nothing', { ...block, transactionsRoot: HASH_OF_NOTHING }],
    ['its root is nothing', { ...block, transactionsRoot: `0x${'0'.repeat(64)}` }],
    ['it has no root and used no gas', { ...bare, gasUsed: '0x0' }],
    ['its root is another one and it used no gas', { ...block, gasUsed: '0x0' }],
  ]
  for (const [what, each] of empty) {
    test(`is believed to be empty when ${what}`, () => {
      for (const transactions of [[], null, undefined]) assert.equal(read({ ...each, transactions }).txHashes.length, 0)
    })
  }

  test('is read with transactions whatever its root says', () => {
    assert.equal(read({ ...block, transactionsRoot: EMPTY_ROOT }).payments.length, 1)
  })

  const refused: readonly [what: string, change: Change][] = [
    ['another height', { number: '0x8' }],
    ['a height that is a number', { number: 7 }],
    ['no hash', { hash: null }],
    ['a time that the store cannot keep', { timestamp: '0xffffffffffff' }],
    ['no list of transactions', { transactions: null }],
    ['a list of transactions left out, though it used gas', { transactions: undefined }],
    ['no transactions, though it used gas', { transactions: [] }],
    ['no transactions, though it has logs', { transactions: [], gasUsed: '0x0', logsBloom: `0x01${'00'.repeat(255)}` }],
    ['a payment to us of no form', { transactions: [{ ...transaction, value: `0x1${'0'.repeat(64)}` }] }],
    ['a payment to us twice', { transactions: [transaction, transaction] }],
  ]
  for (const [what, change] of refused) {
    test(`is refused with ${what}`, () => {
      assert.throws(() => read({ ...block, ...change }), BadAnswer)
    })
  }

  test('may have a time far beyond 32 bits', () => {
    assert.equal(read({ ...block, timestamp: '0x200000000' }).timeMs, 2 ** 33 * 1000)
  })

  const doubtful: readonly [what: string, told: unknown][] = [
    ['a hash only', hash],
    ['null', null],
    ['nothing', {}],
    ['a receiver of another form', { ...transaction, to: 'x' }],
    ['a receiver that is an object', { ...transaction, to: 5 }],
  ]
  for (const [what, each] of doubtful) {
    test(`says of which transaction it is not known whether it pays us: ${what}`, () => {
      const doubt = read({ ...block, transactions: [each] })
      assert.deepEqual(
        [doubt.payments, doubt.doubtful],
        [[], [{ txIndex: 0, isUntold: !what.startsWith('a receiver') }]],
      )
      const sure = withoutDoubt(doubt, [transaction as never], isWatched)
      assert.deepEqual(
        sure.payments.map(({ amount }) => amount),
        [1n],
      )
      assert.equal(sure.txHashes.at(0), hash.toLowerCase())
      assert.deepEqual(withoutDoubt(doubt, [{ ...transaction, to: 'x' } as never], isWatched).payments, [])
      assert.throws(() => withoutDoubt(doubt, [null], isWatched), BadAnswer)
    })
  }

  test('keeps no payments when there are more than a maximum', () => {
    const many = told(
      blockShape(() => true, { paymentsMax: 1 }),
      { ...block, transactions: [transaction, transaction] },
    )
    assert.equal(many?.transactions?.isCut, true)
    assert.throws(() => readBlock(many, 7, isWatched), BadAnswer)
  })
})

describe('values of an Ethereum node', () => {
  const texts: readonly [text: string | number | null, quantity: bigint | null, height: number | null][] = [
    ['0x0', 0n, 0],
    ['0x00', 0n, 0],
    ['0x100000000', 0x1_0000_0000n, 0x1_0000_0000],
    ['0x20000000000000', 2n ** 53n, null],
    [`0x${'f'.repeat(64)}`, 2n ** 256n - 1n, null],
    [`0x1${'f'.repeat(64)}`, null, null],
    ['0x', null, null],
    ['0X1', null, null],
    ['-0x1', null, null],
    ['1', null, null],
    ['0x1 ', null, null],
    [1, null, null],
    [null, null, null],
  ]
  for (const [text, quantity, height] of texts) {
    test(`the number ${JSON.stringify(text)?.slice(0, 20)}`, () => {
      assert.equal(quantityIn(text), quantity)
      if (quantity === null) assert.throws(() => quantityOf(text, 'it'), BadAnswer)
      else assert.equal(quantityOf(text, 'it'), quantity)
      if (height === null) assert.throws(() => heightOf(text, 'it'), BadAnswer)
      else assert.equal(heightOf(text, 'it'), height)
    })
  }

  test('times are told in seconds, and bounded by what the store keeps', () => {
    const last = Math.floor((2 ** 48 - 1) / 1000) - 1
    assert.equal(timeMsOf(`0x${last.toString(16)}`, 'it'), last * 1000)
    assert.throws(() => timeMsOf(`0x${(last + 1).toString(16)}`, 'it'), BadAnswer)
  })

  test('hashes and addresses of another form are none', () => {
    assert.equal(hashIn(hash), hash.toLowerCase())
    assert.equal(addressIn(address), address.toLowerCase())
    for (const other of [undefined, null, 1, '0x', `${hash}00`, `${address}00`]) {
      assert.equal(hashIn(other), null)
      assert.equal(addressIn(other), null)
    }
  })
})
