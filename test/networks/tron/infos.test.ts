import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BadAnswer } from '../../../src/networks/node/answer.js'
import { fields } from '../../../src/networks/node/json-shape.js'
import { addressOfAccount } from '../../../src/networks/tron/address.js'
import type { TronBlock, TronTransaction } from '../../../src/networks/tron/block.js'
import { BlockInfos, infoFields } from '../../../src/networks/tron/infos.js'
import { transfersOf } from '../../../src/networks/tron/transfers.js'
import { emulatedAccount, TRANSFER_TOPIC } from '../../support/tron-transactions.js'
import { ALICE, BOB, STRANGER, TOKEN, watched } from './fixture.js'
import { readAs } from './shapes.js'

const ID = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)
const TIME_MS = 1_777_445_121_000
const TOKENS = new Map([[TOKEN, 'Tether']])

/** What is paid: `[index, account, currency, amount]`. */
type Paid = readonly [index: number, account: string, currency: string | null, amount: string]

function transaction(changes: Partial<TronTransaction> = {}): TronTransaction {
  return { id: ID, result: 'SUCCESS', transfer: null, runsContract: true, mentions: [], ...changes }
}

function block(...transactions: readonly TronTransaction[]): TronBlock {
  return { height: 3, hash: '', parentHash: '', timeMs: TIME_MS, transactions, mayLackTransactions: false }
}

function infosOf(of: TronBlock, ...infos: readonly unknown[]): BlockInfos {
  const read = new BlockInfos(of)
  for (const info of infos) read.take(readAs(fields(infoFields(TOKENS, watched)), info))
  return read
}

function info(changes: object = {}): object {
  return { id: ID, blockNumber: 3, blockTimeStamp: TIME_MS, receipt: { result: 'SUCCESS' }, ...changes }
}

function paidBy(changes: object, of: Partial<TronTransaction> = {}): readonly Paid[] {
  const own = block(transaction(of))
  return transfersOf(own, infosOf(own, info(changes)), watched).map(({ index, toAddress, currency, amount }) => {
    const account = [ALICE, BOB].find((one) => addressOfAccount(one) === toAddress) ?? assert.fail(toAddress)
    return [index, account, currency, amount]
  })
}

const word = (hex: string) => hex.padStart(64, '0')
const log = (changes: object = {}) => ({
  address: TOKEN,
  topics: [TRANSFER_TOPIC, word(STRANGER), word(ALICE)],
  data: word('7'),
  ...changes,
})
const topics = (...more: readonly string[]) => log({ topics: [TRANSFER_TOPIC, ...more] })

const logs: readonly (readonly [name: string, log: unknown, isTransfer: boolean])[] = [
  ['of a transfer', log(), true],
  ['whose address has the version byte', log({ address: `41${TOKEN}` }), true],
  [
    'in capitals',
    log({
      address: TOKEN.toUpperCase(),
      topics: log().topics.map((topic) => topic.toUpperCase()),
      data: word('7').toUpperCase(),
    }),
    true,
  ],
  [
    'in hex with its prefix',
    log({
      address: `0x${TOKEN}`,
      topics: log().topics.map((topic) => `0x${topic}`),
      data: `0x${word('7')}`,
    }),
    true,
  ],
  ['whose receiver has 0x41 before the account', topics(word(STRANGER), word(`41${ALICE}`)), true],
  ['whose receiver has anything before the account', topics(word(STRANGER), `${'f'.repeat(24)}${ALICE}`), true],
  ['to somebody else', topics(word(STRANGER), word(STRANGER)), false],
  ['of another contract', log({ address: STRANGER }), false],
  ['without an address', log({ address: undefined }), false],
  ['of another event', log({ topics: ['8c'.repeat(32), word(STRANGER), word(ALICE)] }), false],
  ['without topics', log({ topics: undefined }), false],
  ['with no topics', log({ topics: [] }), false],
  ['with one topic', topics(), false],
  ['with two topics', topics(word(ALICE)), false],
  ['with four topics', topics(word(STRANGER), word(ALICE), word('7')), false],
  ['with a receiver of half a word', topics(word(STRANGER), ALICE), false],
  ['with topics that are no texts', log({ topics: [TRANSFER_TOPIC, null, {}] }), false],
  ['with topics that are no list', log({ topics: TRANSFER_TOPIC }), false],
  ['without data', log({ data: undefined }), false],
  ['with empty data', log({ data: '' }), false],
  ['with 64 bytes of data', log({ data: word('7') + word('0') }), false],
  ['of nothing', log({ data: word('0') }), false],
  ['that is null', null, false],
  ['that is a number', 7, false],
]

const HEX = (note: string) => Buffer.from(note).toString('hex')
const moved = (changes: object = {}) => ({
  caller_address: `41${STRANGER}`,
  transferTo_address: `41${ALICE}`,
  callValueInfo: [{ callValue: 3 }],
  note: HEX('call'),
  ...changes,
})

const internals: readonly (readonly [name: string, entry: unknown, sun: string | null])[] = [
  ['a call', moved(), '0.000003'],
  ['the creation of a contract', moved({ note: HEX('create') }), '0.000003'],
  ['the end of a contract', moved({ note: HEX('suicide') }), '0.000003'],
  ['one that was rejected', moved({ rejected: true }), null],
  ['one that was rejected in a text', moved({ rejected: 'true' }), null],
  ['one that was rejected with a number', moved({ rejected: 1 }), null],
  ['one that says null of its rejection', moved({ rejected: null }), '0.000003'],
  ['one that says that it was not rejected', moved({ rejected: false }), '0.000003'],
  ['a call of nothing', moved({ callValueInfo: [{}] }), null],
  ['a call without values', moved({ callValueInfo: undefined }), null],
  ['units of TRC-10', moved({ callValueInfo: [{}, { tokenId: '1000001', callValue: 500 }] }), null],
  [
    'TRX beside units of TRC-10',
    moved({ callValueInfo: [{ callValue: 3 }, { tokenId: '1000001', callValue: 9 }] }),
    '0.000003',
  ],
  ['to somebody else', moved({ transferTo_address: `41${STRANGER}` }), null],
  ['a contract that runs code of another in itself', moved({ caller_address: `41${ALICE}` }), null],
  ['a freeze for the benefit of the wallet', moved({ note: HEX('freezeForEnergy') }), null],
  ['a delegation', moved({ note: HEX('delegateResourceOfEnergy') }), null],
  [
    'what the amount of the end of a contract includes',
    moved({ note: HEX('withdrawExpireUnfreezeWhileSuiciding') }),
    null,
  ],
  ['an empty id of a token', moved({ callValueInfo: [{ callValue: 3, tokenId: '' }] }), '0.000003'],
  ['no id of a token', moved({ callValueInfo: [{ callValue: 3, tokenId: null }] }), '0.000003'],
  ['a note in capitals', moved({ note: HEX('call').toUpperCase() }), '0.000003'],
  ['a note in words', moved({ note: 'call' }), null],
  ['no note', moved({ note: undefined }), null],
  ['an integer that is a text', moved({ callValueInfo: [{ callValue: '3' }] }), '0.000003'],
  ['an amount that is a text', moved({ callValueInfo: [{ callValue: '3 TRX' }] }), null],
  ['a negative amount', moved({ callValueInfo: [{ callValue: -3 }] }), null],
  ['an amount beyond int64', moved({ callValueInfo: [{ callValue: 1e300 }] }), null],
  ['null', null, null],
]

describe('TRON infos', () => {
  for (const [name, one, isTransfer] of logs) {
    test(`a log ${name} is ${isTransfer ? 'one' : 'passed over, and the next one read'}`, () => {
      const next: Paid = [2, ALICE, 'Tether', '7']
      assert.deepEqual(paidBy({ log: [one, log()] }), isTransfer ? [[1, ALICE, 'Tether', '7'], next] : [next])
    })
  }

  for (const [name, entry, amount] of internals) {
    test(`an internal transaction, ${name}: ${amount ?? 'nothing'}`, () => {
      const paid = paidBy({ internal_transactions: [entry] })
      assert.deepEqual(paid, amount === null ? [] : [[0x8000_0000, ALICE, '#native', amount]])
    })
  }

  test('the index of TRX by a contract counts what moves, and not what else a node keeps', () => {
    const entries = [
      moved({ transferTo_address: `41${emulatedAccount(9)}` }),
      moved(),
      moved({ transferTo_address: `41${BOB}` }),
    ]
    const featured = moved({ note: HEX('freezeForEnergy') })
    const plain = paidBy({ internal_transactions: entries })
    assert.deepEqual(plain, [
      [0x8000_0001, ALICE, '#native', '0.000003'],
      [0x8000_0002, BOB, '#native', '0.000003'],
    ])
    assert.deepEqual(paidBy({ internal_transactions: entries.flatMap((entry) => [featured, entry]) }), plain)
  })

  test('a transaction may pay in every way at once', () => {
    const own = { transfer: { account: BOB, amount: 1 } }
    const paid = paidBy({ internal_transactions: [moved()], log: [log()] }, own)
    assert.deepEqual(
      paid.map(([index]) => index),
      [0, 1, 0x8000_0000],
    )
  })

  const results: readonly (readonly [name: string, info: object, result: string | null, isPaid: boolean])[] = [
    ['the block and its info say so', {}, 'SUCCESS', true],
    ['the block says so', { receipt: {} }, 'SUCCESS', true],
    ['the info says so', {}, null, true],
    ['neither says that it failed', { receipt: {} }, null, true],
    ['it was reverted', { receipt: { result: 'REVERT' } }, 'REVERT', false],
    ['the info says that it was reverted', { receipt: { result: 'REVERT' } }, null, false],
    ['the info says that it failed', { result: 'FAILED', receipt: {} }, null, false],
    ['the info says so by a number', { result: 1, receipt: {} }, null, false],
    ['the info says so in the spelling of java-tron', { result: 'SUCESS', receipt: {} }, null, true],
    ['the info leaves its result at the default', { receipt: { result: 'DEFAULT' } }, 'SUCCESS', true],
    ['the info says so in small letters', { receipt: { result: 'success' } }, 'SUCCESS', true],
  ]
  for (const [name, more, result, isPaid] of results) {
    test(`${isPaid ? 'pays' : 'pays nothing'} where ${name}`, () => {
      assert.equal(paidBy({ log: [log()], ...more }, { result }).length, isPaid ? 1 : 0)
    })
  }

  test('two results of a payment to us are none', () => {
    assert.throws(() => paidBy({ log: [log()], receipt: { result: 'REVERT' } }), BadAnswer)
    assert.throws(() => paidBy({ log: [log()] }, { result: 'REVERT' }), BadAnswer)
    assert.throws(() => paidBy({ log: [log()], result: 'FAILED', receipt: {} }), BadAnswer)
    assert.throws(() => paidBy({ log: [log()], result: 'FAILED' }, { result: null }), BadAnswer)
    const toOther = { log: [topics(word(STRANGER), word(emulatedAccount(9)))] }
    assert.deepEqual(paidBy({ ...toOther, receipt: { result: 'REVERT' } }), [], 'of strangers they do not matter')
  })

  test('an amount of TRX to us must be one, and that of a stranger need not', () => {
    for (const amount of ['5 TRX', '-5', -5, 1.5, 1e300, null, true]) {
      assert.throws(() => paidBy({}, { transfer: { account: ALICE, amount } }), BadAnswer)
      assert.deepEqual(paidBy({}, { transfer: { account: STRANGER, amount } }), [])
    }
    assert.deepEqual(paidBy({}, { transfer: { account: ALICE, amount: undefined } }), [], 'a missing one is 0')
    assert.deepEqual(paidBy({}, { transfer: { account: ALICE, amount: '5' } }), [[0, ALICE, '#native', '0.000005']])
  })

  const passedOver: readonly (readonly [name: string, info: unknown])[] = [
    ['of another height', info({ blockNumber: 4 })],
    ['of another time', info({ blockTimeStamp: TIME_MS + 3000 })],
    ['without an id', info({ id: undefined })],
    ['that is null', null],
  ]
  for (const [name, other] of passedOver) {
    test(`one ${name} is passed over`, () => {
      const read = infosOf(block(transaction()), other)
      assert.ok(read.isEmpty && read.strangers.length === 0)
      read.take(readAs(fields(infoFields(TOKENS, watched)), info({ log: [log()] })))
      assert.equal(read.of(ID)?.payments.length, 1)
    })
  }

  test('the first of several infos of one transaction counts, and those of others are named', () => {
    const read = infosOf(block(transaction()), info({ id: OTHER }), info({ log: [log()] }), info())
    assert.equal(read.of(ID)?.payments.length, 1)
    assert.deepEqual(read.strangers, [OTHER])
  })

  test('one that says neither height nor time is of the block that was asked for', () => {
    for (const left of [undefined, null]) {
      const read = infosOf(block(transaction()), info({ blockNumber: left, blockTimeStamp: left }))
      assert.ok(!read.isEmpty)
    }
  })

  test('one of a stranger that says neither is of the block only where nothing tells them apart', () => {
    const unnamed = info({ id: OTHER, blockNumber: undefined, blockTimeStamp: undefined })
    assert.deepEqual(infosOf(block(transaction()), unnamed).strangers, [])
    assert.deepEqual(infosOf({ ...block(), mayLackTransactions: true }, unnamed).strangers, [OTHER])
  })
})
