import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { ObservedBlock } from '../../../src/domain/block.js'
import { NodeUnavailable } from '../../../src/networks/network-reader.js'
import { addressOfAccount } from '../../../src/networks/tron/address.js'
import { heightsOf } from '../../support/heights.js'
import { announcedIn, truthOf } from '../../support/tron-chain.js'
import {
  contractCall,
  type EmulatedTransaction,
  emulatedAccount,
  internalTransfer,
  tokenTransfer,
  transferLog,
  trc10Transfer,
  trxTransfer,
  unknownType,
  vote,
} from '../../support/tron-transactions.js'
import { ALICE, BOB, OURS, ours, STRANGER, TOKEN, TronFixture, watched } from './fixture.js'

const FAKE_TOKEN = emulatedAccount(7)
const EXCHANGE = emulatedAccount(8)

/** What one transaction pays to us: `[account, index, currency, amount]`. */
type Paid = readonly [account: string, index: number, currency: string, amount: string]

const payments: readonly (readonly [name: string, transaction: () => EmulatedTransaction, paid: readonly Paid[]])[] = [
  ['TRX', () => trxTransfer(ALICE, 1_000_000n), [[ALICE, 0, '#native', '1']]],
  ['one sun', () => trxTransfer(ALICE, 1n), [[ALICE, 0, '#native', '0.000001']]],
  ['TRX with a fraction', () => trxTransfer(BOB, 1_500_000n), [[BOB, 0, '#native', '1.5']]],
  [
    'TRX beyond 2⁵³ sun',
    () => trxTransfer(ALICE, 9_007_199_254_740_993n),
    [[ALICE, 0, '#native', '9007199254.740993']],
  ],
  [
    'the most TRX that there can be',
    () => trxTransfer(ALICE, 9_223_372_036_854_775_807n),
    [[ALICE, 0, '#native', '9223372036854.775807']],
  ],
  ['no TRX', () => trxTransfer(ALICE, 0n), []],
  ['TRX to somebody else', () => trxTransfer(STRANGER, 1_000_000n), []],
  ['TRC-10 units', () => trc10Transfer(ALICE, 1_000_000n), []],
  ['TRC-10 units beyond 2⁵³', () => trc10Transfer(ALICE, 9_223_372_036_854_775_807n), []],
  ['a vote', vote, []],
  ['a type that the node does not know', unknownType, []],
  ['tokens', () => tokenTransfer(TOKEN, ALICE, 25_000_000n), [[ALICE, 1, 'Tether', '25000000']]],
  ['tokens beyond 2⁵³', () => tokenTransfer(TOKEN, BOB, 2n ** 255n), [[BOB, 1, 'Tether', String(2n ** 255n)]]],
  ['no tokens', () => tokenTransfer(TOKEN, ALICE, 0n), []],
  ['tokens to somebody else', () => tokenTransfer(TOKEN, STRANGER, 1n), []],
  ['tokens of another contract', () => contractCall(FAKE_TOKEN, [transferLog(FAKE_TOKEN, ALICE, 5n)], []), []],
  ['a reverted call with the log of a transfer', () => tokenTransfer(TOKEN, ALICE, 5n, 'REVERT'), []],
  ['a call that ran out of energy', () => tokenTransfer(TOKEN, ALICE, 5n, 'OUT_OF_ENERGY'), []],
  [
    'tokens by way of another contract, which logs something too',
    () => {
      const swap = { address: EXCHANGE, topics: ['c0'.repeat(32)], data: '' }
      const pays = [
        { account: ALICE, index: 4, currency: 'Tether', amount: '4' },
        { account: BOB, index: 6, currency: 'Tether', amount: '6' },
        { account: ALICE, index: 7, currency: 'Tether', amount: '4' },
      ]
      const noTopics = { address: TOKEN, topics: [], data: '00' }
      const approval = { ...transferLog(TOKEN, ALICE, 3n), topics: ['8c'.repeat(32), ALICE.padStart(64, '0')] }
      const logs = [swap, noTopics, approval, transferLog(TOKEN, ALICE, 4n), transferLog(TOKEN, STRANGER, 5n)]
      return contractCall(EXCHANGE, [...logs, transferLog(TOKEN, BOB, 6n), transferLog(TOKEN, ALICE, 4n)], pays)
    },
    [
      [ALICE, 4, 'Tether', '4'],
      [BOB, 6, 'Tether', '6'],
      [ALICE, 7, 'Tether', '4'],
    ],
  ],
  // Only nodes that keep internal transactions show it.
  ['TRX that a contract sends', () => internalTransfer(ALICE, 5_000_000n), [[ALICE, 0x8000_0000, '#native', '5']]],
]

describe('TRON reader', () => {
  let fixture: TronFixture

  beforeEach(async () => {
    fixture = await TronFixture.open(2)
  })
  afterEach(() => fixture.close())

  /** Produces empty blocks until the newest one with something in it is solidified. */
  function solidify(): void {
    fixture.chain.produceEmpty(18)
    fixture.now()
  }

  function truth(height: number): ObservedBlock {
    return truthOf(fixture.chain.blocks[height] ?? assert.fail(`no block ${height}`), ours)
  }

  for (const [name, transaction, paid] of payments) {
    test(`sees ${name}`, async () => {
      const { chain, reader } = fixture
      const { id } = chain.produce(vote(), transaction(), vote()).transactions[1] ?? assert.fail()
      const block = chain.blocks[1] ?? assert.fail()
      const transfers = paid.map(([account, index, currency, amount]) => ({
        txHash: id,
        index,
        toAddress: addressOfAccount(account),
        currency,
        amount,
      }))
      fixture.now()
      const pending = await reader.block(1, watched)
      assert.deepEqual(pending, announcedIn(block, ours))
      solidify()
      assert.deepEqual(heightsOf(await reader.head()), { latest: 19, confirmed: 1 })
      const confirmed = await reader.block(1, watched)
      assert.deepEqual(confirmed, truth(1))
      assert.deepEqual(confirmed?.transfers, transfers)
      assert.deepEqual((await reader.blocks(1, 1, watched))[0], confirmed)
    })
  }

  test('keeps the order of the block, and tells the transfers of a transaction apart', async () => {
    const { chain, reader } = fixture
    chain.produce(tokenTransfer(TOKEN, BOB, 1n), trxTransfer(ALICE, 2n), tokenTransfer(TOKEN, ALICE, 3n))
    fixture.now()
    const block = await reader.block(1, watched)
    assert.deepEqual(block, truth(1))
    assert.deepEqual(
      block?.transfers.map(({ amount }) => amount),
      ['1', '0.000002', '3'],
    )
  })

  test('tells the head: what is newest, and what is solidified', async () => {
    const { chain, reader } = fixture
    assert.deepEqual(heightsOf(await reader.head()), { latest: 0, confirmed: 0 })
    chain.produceEmpty(30)
    fixture.now()
    assert.deepEqual(heightsOf(await reader.head()), { latest: 30, confirmed: 12 })
    chain.produceEmpty(10)
    fixture.now()
    for (const confirmed of [12, 12, 12, 22, 22])
      assert.deepEqual(heightsOf(await reader.head()), { latest: 40, confirmed })
  })

  test('asks what is solidified with every fourth head, and with each one while a payment of ours waits', async () => {
    const { chain, node, reader } = fixture
    chain.produceEmpty(40)
    fixture.now()
    const looks = async () => {
      const before = node.requests.length
      await reader.head()
      return node.requests.slice(before).filter(({ path }) => path.startsWith('/walletsolidity')).length
    }
    await reader.head()
    // What was paid before nobody knows.
    for (let i = 0; i < 3; i += 1) assert.equal(await looks(), 1)
    chain.produceEmpty(18)
    fixture.now()
    assert.equal(await looks(), 1)
    for (const expected of [0, 0, 0, 1, 0]) assert.equal(await looks(), expected)
    chain.produce(trxTransfer(ALICE, 1n))
    fixture.now()
    assert.equal((await reader.fresh(59, 59, watched))[0]?.transfers.length, 1)
    for (let i = 0; i < 3; i += 1) assert.equal(await looks(), 1)
    chain.produceEmpty(18)
    fixture.now()
    assert.equal(await looks(), 1)
    assert.equal(await looks(), 0)
  })

  test('asks for new blocks and the head at once, and for solidified ones likewise', async () => {
    const { chain, node, reader } = fixture
    chain.produceEmpty(60)
    fixture.now()
    await reader.head()
    await reader.fresh(60, 60, watched)
    await reader.blocks(42, 42, watched)
    chain.produceEmpty(3)
    fixture.now()
    const before = node.requests.length
    assert.deepEqual(heightsOf(await reader.head()), { latest: 63, confirmed: 45 })
    assert.deepEqual(await reader.fresh(61, 63, watched), [truth(61), truth(62), truth(63)])
    assert.deepEqual(await reader.blocks(43, 45, watched), [truth(43), truth(44), truth(45)])
    assert.deepEqual(
      node.requests.slice(before).map(({ path }) => path),
      ['/wallet/getblockbylimitnext', '/walletsolidity/getblockbylimitnext'],
    )
  })

  test('reads the first block, whose transfers are none', async () => {
    assert.deepEqual(await fixture.reader.block(0, watched), { ...truth(0), transfers: [] })
  })

  test('has no block above the newest one', async () => {
    fixture.chain.produceEmpty(3)
    fixture.now()
    assert.equal(await fixture.reader.block(4, watched), null)
  })

  test('asks the solidified side for solidified blocks, and for infos only where they can matter', async () => {
    const { chain, reader, node } = fixture
    chain.produce(contractCall(EXCHANGE, [], []))
    chain.produce()
    chain.produceEmpty(19)
    chain.produce(contractCall(EXCHANGE, [], []), trxTransfer(ALICE, 1n))
    chain.produce(tokenTransfer(TOKEN, ALICE, 1n))
    fixture.now()
    await reader.head()
    const asked = async (height: number): Promise<readonly string[]> => {
      const before = node.requests.length
      await reader.block(height, watched)
      return node.requests.slice(before).map(({ path }) => path)
    }
    assert.deepEqual(await asked(1), ['/walletsolidity/getblockbynum', '/walletsolidity/gettransactioninfobyblocknum'])
    assert.deepEqual(await asked(2), ['/walletsolidity/getblockbynum'])
    assert.deepEqual(await asked(22), ['/wallet/getblockbynum'], 'nothing says that a contract pays us')
    assert.deepEqual(await asked(23), ['/wallet/getblockbynum', '/wallet/gettransactioninfobyblocknum'])
  })

  test('sees another block in place of one that was undone', async () => {
    const { chain, reader } = fixture
    chain.produceEmpty(20)
    chain.produce(trxTransfer(ALICE, 1n))
    fixture.now()
    assert.equal((await reader.block(21, watched))?.transfers.length, 1)
    const [undone] = chain.undo(1)
    chain.produce(...(undone?.transactions ?? []), tokenTransfer(TOKEN, ALICE, 2n))
    fixture.now()
    const block = await reader.block(21, watched)
    assert.deepEqual(block, truth(21))
    assert.notEqual(block?.hash, undone?.hash)
    assert.equal(block?.transfers.length, 2)
  })

  test('gives no block whose receipts are of the one that replaced it in between', async () => {
    const { chain, reader, nodes } = fixture
    chain.produceEmpty(20)
    const payment = tokenTransfer(TOKEN, ALICE, 1n)
    chain.produce(payment)
    fixture.now()
    await reader.head()
    for (const node of nodes) {
      node.onRequest = ({ path }) => {
        if (!path.endsWith('gettransactioninfobyblocknum')) return
        chain.undo(1)
        chain.produce(payment)
      }
    }
    await assert.rejects(reader.block(21, watched), NodeUnavailable)
  })

  test('believes only the solidified side once any node has called a height solidified', async () => {
    const { chain, reader, nodes } = fixture
    chain.produceEmpty(30)
    const fork = chain.view()
    chain.undo(5)
    chain.produce(trxTransfer(ALICE, 1n))
    chain.produceEmpty(30)
    fixture.now()
    // The first node is stuck on blocks that were undone.
    for (const node of nodes.slice(0, 1)) node.view = fork
    assert.deepEqual(heightsOf(await reader.head()), { latest: 56, confirmed: 38 })
    assert.deepEqual(await reader.block(26, watched), truth(26))
    assert.equal(fixture.node.requests.at(-1)?.path, '/walletsolidity/getblockbynum')
  })

  test('asks the next node for the head while the first lags, and takes what is best', async () => {
    const { chain, reader, nodes, clock } = fixture
    chain.produceEmpty(50)
    fixture.now()
    const [first, second] = nodes
    if (first === undefined || second === undefined) return assert.fail()
    first.view = chain.view(10)
    assert.deepEqual(heightsOf(await reader.head()), { latest: 40, confirmed: 22 }, 'half a minute is within bounds')
    first.view = chain.view(25)
    assert.deepEqual(heightsOf(await reader.head()), { latest: 50, confirmed: 32 })
    second.view = chain.view(24)
    const head = await reader.head()
    assert.deepEqual(heightsOf(head), { latest: 26, confirmed: 8 })
    assert.equal(head.ageMs, clock.now() - (chain.blocks[26]?.timeMs ?? 0), 'of the newest block')
    // Nothing was produced for a while: what both tell is still the truth.
    clock.advance(600_000)
    first.view = chain
    assert.deepEqual(heightsOf(await reader.head()), { latest: 50, confirmed: 32 })
  })

  test('what is solidified is never above what is newest, although a node says so', async () => {
    const { chain, reader, nodes } = fixture
    chain.produceEmpty(50)
    fixture.now()
    for (const node of nodes) {
      node.onRequest = ({ path }) => {
        node.view = path.startsWith('/wallet/') ? chain.view(30) : chain
      }
    }
    assert.deepEqual(heightsOf(await reader.head()), { latest: 32, confirmed: 32 })
  })

  test('reads every account of a block, whoever watches', async () => {
    const { chain, reader } = fixture
    chain.produce(...OURS.map((account) => trxTransfer(account, 1n)), trxTransfer(STRANGER, 1n))
    fixture.now()
    const nobody = { has: () => false, few: () => [] }
    assert.deepEqual(await reader.block(1, nobody), { ...truth(1), transfers: [] })
  })

  test('shows its endpoints without what is behind the host', async () => {
    await fixture.reader.head()
    assert.deepEqual(
      fixture.reader.endpoints().map(({ name, isUsed, failures }) => ({ name, isUsed, failures })),
      fixture.nodes.map(({ url }) => ({ name: url, isUsed: true, failures: 0 })),
    )
  })
})
