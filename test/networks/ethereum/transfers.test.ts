import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ObservedTransfer } from '../../../src/domain/block.js'
import type { EthereumBlock, NativePayment } from '../../../src/networks/ethereum/block.js'
import { LogsBloom } from '../../../src/networks/ethereum/bloom.js'
import {
  addressTopic,
  COIN_CONTRACT,
  COIN_TOPIC,
  EthereumFilter,
  TRANSFER_TOPIC,
  tokenMovements,
} from '../../../src/networks/ethereum/filter.js'
import { HashList } from '../../../src/networks/ethereum/hash-list.js'
import type { FilterMode } from '../../../src/networks/ethereum/logs.js'
import { receiptsShape } from '../../../src/networks/ethereum/receipts.js'
import { observePayments, observeWhole, UnexplainedFilter } from '../../../src/networks/ethereum/transfers.js'
import { BadAnswer } from '../../../src/networks/node/answer.js'
import { ether, tether, watching } from './fixture.js'
import { told } from './told.js'

const token = `0x${'70'.repeat(20)}`
const movements = tokenMovements([{ label: 'Tether', contract: token }])
const [ours, theirs] = [`0x${'0a'.repeat(20)}`, `0x${'0b'.repeat(20)}`]
const [hash, elsewhere] = [hashNumber(100), hashNumber(101)]
const [paying, calling] = [hashNumber(1), hashNumber(2)]
const [named] = watching([ours])
const filter = new EthereumFilter(movements, named)

function hashNumber(n: number): string {
  return `0x${n.toString(16).padStart(64, '0')}`
}

function word(amount: bigint): string {
  return amount.toString(16).padStart(64, '0')
}

type Json = Readonly<Record<string, unknown>>
interface TestLog extends Json {
  readonly address: string
  readonly topics: readonly string[]
}
interface TestReceipt extends Json {
  readonly logs: readonly TestLog[]
}

function log(amount: bigint, to = ours): TestLog {
  return { address: token, topics: [TRANSFER_TOPIC, addressTopic(token), addressTopic(to)], data: `0x${word(amount)}` }
}

function bloomOf(logs: readonly TestLog[]): string {
  const entries = logs.flatMap(({ address, topics }) => [address, ...topics])
  return `0x${LogsBloom.over(entries.filter((each) => typeof each === 'string')).hex}`
}

function receipt(transactionHash: string, logs: readonly TestLog[], more: Json = {}): TestReceipt {
  return { transactionHash, blockHash: hash, status: '0x1', logs, logsBloom: bloomOf(logs), ...more }
}

function blockOf(
  hashes: readonly (string | null)[],
  logs: readonly TestLog[],
  payments: readonly NativePayment[],
  logsBloom = bloomOf(logs),
): EthereumBlock {
  const txHashes = new HashList()
  for (const [i, each] of hashes.entries()) txHashes.set(i, each)
  return {
    height: 7,
    hash,
    parentHash: hashNumber(99),
    timeMs: 1000,
    bloom: LogsBloom.of(logsBloom),
    txHashes,
    payments,
    doubtful: [],
    receivers: null,
    isProven: false,
  }
}

/** A payment of ether, and two equal transfers of the token behind it. */
const native: NativePayment = { txIndex: 0, from: theirs, toAddress: ours, amount: 10n ** 18n }
const payment = receipt(paying, [])
const call = receipt(calling, [log(5n), log(5n)])
const block = blockOf([paying, calling], call.logs, [native])
const all = [ether(paying, ours, '1'), tether(calling, 1, ours, 5n), tether(calling, 2, ours, 5n)]

describe('the transfers of a block', () => {
  function seen(
    receipts: readonly unknown[],
    of = block,
    mode: FilterMode = 'given',
    by = filter,
  ): readonly ObservedTransfer[] {
    return observeWhole(of, told(receiptsShape(by, mode, [of]), receipts) ?? assert.fail('no list'), by, true).transfers
  }

  test('are those of its receipts', () => {
    for (const mode of ['given', 'own'] as const) assert.deepEqual(seen([payment, call], block, mode), all)
  })

  const foreign = { ...log(9n, theirs), transactionHash: elsewhere, blockHash: elsewhere, removed: true, logIndex: 'x' }
  const strange = { address: '0x', topics: ['0x00', null, 7, {}], data: 5 }
  const readable: readonly [name: string, receipts: readonly unknown[], block?: EthereumBlock][] = [
    [
      'indexes of logs are missing, or anything',
      [payment, { ...call, logs: call.logs.map((each) => ({ ...each, logIndex: [] })) }],
    ],
    ['receipts have no filters', [payment, call].map(({ logsBloom: _, ...rest }) => rest)],
    ['filters of receipts have another form', [payment, call].map((each) => ({ ...each, logsBloom: '0x' }))],
    ['the filter of a receipt denies its logs', [payment, { ...call, logsBloom: bloomOf([]) }]],
    ['the filter of a receipt claims everything', [{ ...payment, logsBloom: `0x${'f'.repeat(512)}` }, call]],
    ['receipts do not name their block', [payment, call].map(({ blockHash: _, ...rest }) => rest)],
    ['receipts do not name their transactions', [payment, call].map(({ transactionHash: _, ...rest }) => rest)],
    ['receipts are in another order', [call, payment]],
    ['a receipt is of no transaction of the block', [payment, call, receipt(elsewhere, [])]],
    ['receipts of no transaction come first', [receipt(elsewhere, []), payment, call]],
    [
      'a receipt of nobody does not say whether it succeeded',
      [payment, call, { ...receipt(elsewhere, []), status: null }],
    ],
    ['states are numbers', [payment, call].map((each) => ({ ...each, status: 1 }))],
    ['the header has no filter', [payment, call], blockOf([paying, calling], [], [native])],
    ['the header claims everything', [payment, call], blockOf([paying, calling], [], [native], `0x${'f'.repeat(512)}`)],
    ['the header has a filter of another form', [payment, call], blockOf([paying, calling], [], [native], '0x')],
    [
      'a transaction that failed has logs, also of the token to us',
      [payment, call, receipt(elsewhere, [log(7n)], { status: '0x0' })],
      blockOf([paying, calling, elsewhere], call.logs, [native]),
    ],
    [
      'logs of others are of any form',
      [payment, call, receipt(elsewhere, [foreign, strange as unknown as TestLog])],
      blockOf([paying, calling, elsewhere], call.logs, [native]),
    ],
    [
      'a receipt of others says nothing',
      [payment, call, { transactionHash: elsewhere, logs: [] }],
      blockOf([paying, calling, elsewhere], call.logs, [native]),
    ],
    [
      'a transaction of others has no hash',
      [payment, call, receipt(elsewhere, [])],
      blockOf([paying, calling, null], call.logs, [native]),
    ],
  ]
  for (const [name, receipts, of] of readable) {
    test(`are read although ${name}`, () => {
      assert.deepEqual(seen(receipts, of), all)
    })
  }

  test('are none of a transaction that failed', () => {
    assert.deepEqual(
      seen([
        { ...payment, status: '0x0' },
        { ...call, status: '0x0' },
      ]),
      [],
    )
  })

  test('keep the place of their log when other logs are of no form', () => {
    const logs = [strange as unknown as TestLog, log(5n)]
    assert.deepEqual(
      seen([payment, { ...receipt(calling, call.logs), logs }], blockOf([paying, calling], logs.slice(1), [])),
      [tether(calling, 2, ours, 5n)],
    )
  })

  test('are none of logs that are no transfers: another data, no amount, more topics, another padding', () => {
    const [event, from, to] = log(1n).topics as [string, string, string]
    const logs: TestLog[] = [
      { ...log(1n), data: `0x${word(1n)}${word(1n)}` },
      { ...log(1n), data: '0x' },
      log(0n),
      { ...log(1n), topics: [event, from, to, from] },
      { ...log(1n), topics: [event, from] },
      { ...log(1n), topics: [event, from, `0x01${to.slice(4)}`] },
      { ...log(1n), address: theirs },
    ]
    assert.deepEqual(seen([receipt(calling, logs)], blockOf([calling], logs, [])), [])
  })

  const ofNoForm = (change: Json) => [payment, { ...call, logs: [log(5n), { ...log(5n), ...change }] }]
  const disagreements: readonly [name: string, receipts: readonly unknown[]][] = [
    ['a receipt is missing', [payment]],
    ['a receipt is null', [payment, null]],
    ['a receipt has no list of logs', [payment, { ...call, logs: 'none' }]],
    ['a receipt is told in place of another', [call, call]],
    ['a receipt with transfers is told twice', [payment, call, call]],
    ['a receipt is of another block', [{ ...payment, blockHash: elsewhere }, call]],
    ['all receipts are of another block', [payment, call].map((each) => ({ ...each, blockHash: elsewhere }))],
    ['a receipt is of another transaction', [{ ...payment, transactionHash: elsewhere }, call]],
    ['all logs are missing', [payment, { ...call, logs: [] }]],
    ['all logs are null', [payment, { ...call, logs: null }]],
    ['all logs and the filter of the receipt are missing', [payment, receipt(calling, [])]],
    ['a payment does not say whether it succeeded', [{ ...payment, status: undefined, root: hash }, call]],
    ['transfers do not say whether they succeeded', [payment, { ...call, status: '0x2' }]],
    ['a transfer to us was removed', ofNoForm({ removed: true })],
    ['a transfer to us is of another block', ofNoForm({ blockHash: elsewhere })],
    ['a transfer to us is of another transaction', ofNoForm({ transactionHash: elsewhere })],
    ['a transfer to us has no amount', ofNoForm({ data: 5 })],
    [
      'a transfer of another token, which the header does not have, is in its place',
      ofNoForm({ address: theirs }).with(1, { ...call, logs: [{ ...log(5n), address: theirs }] }),
    ],
  ]
  for (const [name, receipts] of disagreements) {
    for (const mode of ['given', 'own'] as const) {
      test(`are refused when ${name} (${mode} filters)`, () => {
        assert.throws(() => seen(receipts, block, mode), BadAnswer)
      })
    }
  }

  test('are refused when the header denies them, and not when it denies those of others', () => {
    const quiet = blockOf([calling], [log(1n, theirs)], [])
    assert.throws(() => seen([receipt(calling, [log(1n, theirs), log(5n)])], quiet), /denies/)
    const [event, from] = log(1n).topics as [string, string]
    const unknown = { address: elsewhere.slice(0, 42), topics: [event, from], data: '0x' }
    assert.deepEqual(seen([receipt(calling, [log(1n, theirs), unknown])], quiet), [])
  })

  test('ask for filters over all logs where those of receipts do not explain the header', () => {
    const other: TestLog = { address: theirs, topics: [], data: '0x' }
    const receipts = [payment, call, receipt(elsewhere, [other], { logsBloom: bloomOf([]) })]
    const of = blockOf([paying, calling, elsewhere], [...call.logs, other], [native])
    assert.throws(() => seen(receipts, of), UnexplainedFilter)
    assert.deepEqual(seen(receipts, of, 'own'), all)
  })

  for (const [what, filterOfBlock] of [
    ['no filter', ''],
    ['an empty one', `0x${'0'.repeat(512)}`],
    ['a full one', `0x${'f'.repeat(512)}`],
  ] as const) {
    test(`are refused where a list of logs is left out and the header has ${what}, which proves nothing`, () => {
      const of = blockOf([paying, calling], call.logs, [native], filterOfBlock)
      assert.deepEqual(seen([payment, call], of), all)
      const { logs: _, ...without } = call
      assert.throws(() => seen([payment, without], of), /a receipt has no list of logs/)
    })
  }

  test('are found behind thousands of other logs', () => {
    const logs = [
      ...Array.from({ length: 3000 }, (_, i) => ({ address: theirs, topics: [hashNumber(i)], data: '0x' })),
      log(5n),
    ]
    assert.deepEqual(seen([receipt(calling, logs)], blockOf([calling], logs, [])), [tether(calling, 3001, ours, 5n)])
  })
})

describe('the transfers of a block whose header denies all logs to us', () => {
  const quiet = blockOf([calling, paying], [], [{ ...native, txIndex: 1 }])
  const seen = (receipts: readonly unknown[]) =>
    observePayments(quiet, told(receiptsShape(filter, 'given', [quiet]), receipts) ?? assert.fail('no list')).transfers

  test('are those of the receipts of its payments', () => {
    assert.deepEqual(seen([payment]), [ether(paying, ours, '1')])
    assert.deepEqual(seen([{ ...payment, status: '0x0' }]), [])
  })

  for (const [name, receipts] of [
    ['is missing', []],
    ['is null', [null]],
    ['is of another block', [{ ...payment, blockHash: elsewhere }]],
    ['is of another transaction', [{ ...payment, transactionHash: elsewhere }]],
    ['does not say whether it succeeded', [{ ...payment, status: undefined }]],
    ['has logs that the header denies', [{ ...payment, logs: [log(5n)] }]],
  ] as const) {
    test(`are refused when a receipt ${name}`, () => {
      assert.throws(() => seen(receipts), BadAnswer)
    })
  }
})

describe('coins that contracts send on Polygon', () => {
  const polygon = new EthereumFilter(movements, named, true)
  const moved = (amount: bigint, from = theirs, to = ours): TestLog => ({
    address: COIN_CONTRACT,
    topics: [COIN_TOPIC, addressTopic(COIN_CONTRACT), addressTopic(from), addressTopic(to)],
    data: `0x${[amount, 9n, 9n, 9n, 9n].map(word).join('')}`,
  })
  const seen = (logs: readonly TestLog[], payments: readonly NativePayment[] = [], more: Json = {}, by = polygon) => {
    const receipts = [receipt(calling, logs, more)]
    return observeWhole(
      blockOf([calling], logs, payments),
      told(receiptsShape(by, 'given', []), receipts) ?? assert.fail(),
      by,
    ).transfers
  }
  const coin = (index: number, amount: string) => ({ ...ether(calling, ours, amount), index })

  test('are seen by their logs, each with the place of its log', () => {
    const logs = [moved(10n ** 18n, theirs, theirs), moved(10n ** 18n), log(5n), moved(2n * 10n ** 18n)]
    assert.deepEqual(seen(logs), [coin(2, '1'), tether(calling, 3, ours, 5n), coin(4, '2')])
  })

  test('count once beside what the transaction itself sends', () => {
    const own = { ...native, from: theirs }
    assert.deepEqual(seen([moved(10n ** 18n)], [own]), [coin(0, '1')])
    assert.deepEqual(seen([moved(10n ** 18n), moved(10n ** 18n, token)], [own]), [coin(0, '1'), coin(2, '1')])
    assert.deepEqual(seen([moved(10n ** 18n, token)], [own]), [coin(0, '1'), coin(1, '1')])
  })

  test('are none of a failed transaction, of another event or contract, or where another way tells of them', () => {
    assert.deepEqual(seen([moved(1n)], [], { status: '0x0' }), [])
    assert.deepEqual(seen([{ ...moved(1n), address: theirs }]), [])
    assert.deepEqual(seen([{ ...moved(1n), topics: moved(1n).topics.with(0, hashNumber(5)) }]), [])
    assert.deepEqual(seen([moved(0n)]), [])
    assert.deepEqual(seen([moved(1n)], [], {}, filter), [])
  })

  test('are looked for where the header may name us', () => {
    const may = (logs: readonly TestLog[]) => polygon.mayMatchLogs(blockOf([calling], logs, []))
    assert.ok(may([moved(1n)]))
    assert.ok(!may([moved(1n, theirs, theirs)]))
    assert.ok(!filter.mayMatchLogs(blockOf([calling], [moved(1n)], [])))
  })
})
