import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BadAnswer } from '../../../src/networks/node/answer.js'
import { fields } from '../../../src/networks/node/json-shape.js'
import {
  BLOCK_FIELDS,
  HEAD_FIELDS,
  readBlock,
  readNewestHead,
  type TronBlock,
} from '../../../src/networks/tron/block.js'
import { emulatedAccount } from '../../support/tron-transactions.js'
import { readAs } from './shapes.js'

/*
 * What whole answers of an emulated node do not show, because another check would notice it too, and what strangers and
 * broken nodes can put into a block.
 */

const ID = '0'.repeat(15)
const A = 'a'.repeat(64)
const B = 'b'.repeat(64)
const TIME_MS = 1_777_445_121_000
const ALICE = emulatedAccount(1)
const BOB = emulatedAccount(2)

const header = {
  number: 3,
  timestamp: TIME_MS,
  txTrieRoot: '0'.repeat(64),
  parentHash: `${ID}2${'f'.repeat(48)}`,
}

function transfer(changes: object = {}, value: object = {}, raw: object = {}): object {
  const parameter = { value: { to_address: `41${ALICE}`, amount: 5, owner_address: `41${BOB}`, ...value } }
  return {
    txID: A,
    ret: [{ contractRet: 'SUCCESS' }],
    raw_data: { contract: [{ type: 'TransferContract', parameter }], ...raw },
    ...changes,
  }
}

function call(data: unknown, owner = BOB): object {
  const value = { owner_address: `41${owner}`, contract_address: `41${emulatedAccount(3)}`, data }
  const contract = [{ type: 'TriggerSmartContract', parameter: { value } }]
  return { txID: A, ret: [{ contractRet: 'SUCCESS' }], raw_data: { contract } }
}

function read(changes: object, transactions: readonly unknown[] = [], block: object = {}): TronBlock {
  const hasSome = transactions.length > 0
  const answer = readAs(fields(BLOCK_FIELDS), {
    blockID: `${ID}3${'e'.repeat(48)}`,
    block_header: { raw_data: { ...header, ...(hasSome ? { txTrieRoot: A } : {}), ...changes } },
    ...(hasSome ? { transactions } : {}),
    ...block,
  })
  return readBlock(answer ?? assert.fail('no object'), 3)
}

describe('TRON blocks', () => {
  test('an empty block is one', () => {
    assert.deepEqual(read({}), {
      height: 3,
      hash: `${ID}3${'e'.repeat(48)}`,
      parentHash: header.parentHash,
      timeMs: TIME_MS,
      transactions: [],
      mayLackTransactions: false,
    })
  })

  test('without word of its tree, only infos show that a block is empty', () => {
    for (const txTrieRoot of [undefined, null, '']) assert.equal(read({ txTrieRoot }).mayLackTransactions, true)
    assert.equal(read({ txTrieRoot: `0x${'0'.repeat(64)}` }).mayLackTransactions, false)
    assert.equal(read({ txTrieRoot: undefined }, [transfer()]).mayLackTransactions, false)
  })

  test('the id of a block says its height where the node does not, and integers may be texts', () => {
    const plain = read({})
    for (const number of [undefined, null, '3']) assert.deepEqual(read({ number, timestamp: String(TIME_MS) }), plain)
    const id = `0x${ID}3${'E'.repeat(48)}`
    assert.deepEqual(read({ parentHash: `0x${header.parentHash}` }, [], { blockID: id }), plain)
    const newest = { blockID: id, block_header: { raw_data: { ...header, number: undefined } } }
    assert.equal(readNewestHead(readAs(fields(HEAD_FIELDS), newest) ?? assert.fail('no object')).height, 3)
  })

  const flaws: readonly (readonly [name: string, read: () => TronBlock])[] = [
    ['no time', () => read({ timestamp: undefined })],
    ['the time 0', () => read({ timestamp: 0 })],
    ['a time before 1970', () => read({ timestamp: -1 })],
    ['a time beyond all calendars', () => read({ timestamp: 2 ** 48 })],
    ['a tree of transactions, and none of them', () => read({ txTrieRoot: A })],
    ['the number of another', () => read({ number: 4 })],
    ['the parent of another', () => read({ parentHash: `${ID}1${'f'.repeat(48)}` })],
    ['an id of another', () => read({}, [], { blockID: `${ID}4${'e'.repeat(48)}` })],
    ['no header', () => read({}, [], { block_header: {} })],
    ['a transaction that is null', () => read({}, [null])],
    ['a transaction without an id', () => read({}, [{ ...transfer(), txID: undefined }])],
  ]
  for (const [name, read] of flaws) test(`an answer with ${name} is none`, () => assert.throws(read, BadAnswer))

  const transferred = { id: A, result: 'SUCCESS', transfer: { account: ALICE, amount: 5 } }
  const sound: readonly (readonly [name: string, transaction: object, read?: object])[] = [
    ['as java-tron tells it', transfer()],
    ['with a second result', transfer({ ret: [{ contractRet: 'SUCCESS' }, { contractRet: 'REVERT' }] })],
    [
      'whose first result failed',
      transfer({ ret: [{ contractRet: 'REVERT' }, { contractRet: 'SUCCESS' }] }),
      { result: 'REVERT' },
    ],
    ['with results that are null', transfer({ ret: null }), { result: null }],
    ['without results', transfer({ ret: undefined }), { result: null }],
    ['whose result is a list', transfer({ ret: [{ contractRet: ['SUCCESS'] }] }), { result: null }],
    ['with empty authorities', transfer({}, {}, { auths: Array.from({ length: 1000 }, () => ({})) })],
    ['with unknown fields', transfer({ visible: false, more: { deep: [[{}]] } }, { more: [1] }, { more: 'x' })],
    ['with an address of 20 bytes', transfer({}, { to_address: ALICE })],
    ['with an id in capitals', transfer({ txID: A.toUpperCase() })],
    ['with an address that is an object', transfer({}, { to_address: {} }), { transfer: null }],
    ['with no address', transfer({}, { to_address: undefined }), { transfer: null }],
    ['with an amount that is a text', transfer({}, { amount: '5' }), { transfer: { account: ALICE, amount: '5' } }],
  ]
  for (const [name, transaction, more = {}] of sound) {
    test(`a transfer ${name} is read by what it says`, () => {
      const [found] = read({}, [transaction]).transactions
      assert.deepEqual(found, { ...transferred, runsContract: false, mentions: [], ...more })
    })
  }

  test('of several contracts in one transaction only the first is carried out', () => {
    const [first] = (transfer() as { raw_data: { contract: unknown[] } }).raw_data.contract
    const second = { type: 'TransferContract', parameter: { value: { to_address: `41${BOB}`, amount: 9 } } }
    const [found] = read({}, [transfer({}, {}, { contract: [first, second] })]).transactions
    assert.deepEqual(found?.transfer, { account: ALICE, amount: 5 })
  })

  test('a list of transactions without end is cut off', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...vote, txID: String(i).padStart(64, '0') }))
    const vote = { raw_data: {} }
    assert.equal(read({}, many(100_000)).transactions.length, 100_000)
    assert.throws(() => read({}, many(100_001)), BadAnswer)
  })

  test('a transaction that a node tells twice is one', () => {
    const twice = [transfer(), transfer({ txID: B }), transfer()]
    assert.deepEqual(
      read({}, twice).transactions.map(({ id }) => id),
      [A, B],
    )
  })

  const types: readonly (readonly [name: string, contract: unknown, runsContract: boolean])[] = [
    ['a call', { type: 'TriggerSmartContract' }, true],
    ['the creation of a contract', { type: 'CreateSmartContract' }, true],
    ['a type of the future', { type: 'FutureContract' }, true],
    ['a type that is a number', { type: 31 }, true],
    ['a type that only the parameter names', { parameter: { type_url: 'x/protocol.VoteWitnessContract' } }, false],
    ['a vote', { type: 'VoteWitnessContract' }, false],
    [
      'units of TRC-10',
      { type: 'TransferAssetContract', parameter: { value: { to_address: `41${ALICE}`, amount: 1 } } },
      false,
    ],
  ]
  for (const [name, contract, runsContract] of types) {
    test(`${name} ${runsContract ? 'may run' : 'does not run'} a contract`, () => {
      const [found] = read({}, [transfer({}, {}, { contract: [contract] })]).transactions
      assert.deepEqual([found?.runsContract, found?.transfer], [runsContract, null])
    })
  }
  for (const contract of [[], undefined, null, 7, {}, [null], ['x']]) {
    test(`a transaction whose contract is ${JSON.stringify(contract)} may run one`, () => {
      assert.equal(read({}, [transfer({}, {}, { contract })]).transactions[0]?.runsContract, true)
    })
  }

  const word = (hex: string) => hex.padStart(64, '0')
  const mentions: readonly (readonly [name: string, data: unknown, accounts: readonly string[]])[] = [
    ['transfer', `a9059cbb${word(ALICE)}${word('4c4b40')}`, [ALICE]],
    ['transfer, with the version byte before the account', `a9059cbb${word(`41${ALICE}`)}${word('1')}`, [ALICE]],
    ['transferFrom', `23b872dd${word(BOB)}${word(ALICE)}${word('1')}`, [ALICE]],
    ['of nothing', 'd0e30db0', []],
    ['without data', undefined, []],
    ['with half a word', `a9059cbb${word(ALICE).slice(0, 63)}`, []],
    ['with large numbers', `a9059cbb${'f'.repeat(64)}${word('de0b6b3a7640000')}`, []],
    ['in capitals', `A9059CBB${word(ALICE).toUpperCase()}`, [ALICE]],
  ]
  for (const [name, data, accounts] of mentions) {
    test(`a call ${name} names its accounts`, () => {
      assert.deepEqual(read({}, [call(data)]).transactions[0]?.mentions, [BOB, ...accounts])
    })
  }
})
