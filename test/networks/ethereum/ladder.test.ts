import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { ObservedTransfer } from '../../../src/domain/block.js'
import { addressTopic, COIN_CONTRACT, TRANSFER_TOPIC } from '../../../src/networks/ethereum/filter.js'
import type { NetworkReader } from '../../../src/networks/network-reader.js'
import { PAUSE_MAX_MS } from '../../../src/networks/node/endpoint.js'
import { SLOW_TRIED_AGAIN_MS, TRIED_AGAIN_FIRST_MS } from '../../../src/networks/node/shortcomings.js'
import { addressNumber } from '../../support/ethereum-chain.js'
import { ManualClock } from '../../support/manual-clock.js'
import { ManualScheduler } from '../../support/manual-scheduler.js'
import { HastyScheduler } from '../hasty-scheduler.js'
import { certain, ether, ethereumReader, TIMEOUT_MS, tether, transfersOf, watching } from './fixture.js'
import {
  bloomOf,
  hashNumber,
  type ScriptedCall,
  type ScriptedEnd,
  ScriptedNode,
  type ScriptedTransaction,
  STRANGER,
  TOKEN,
  tokenTo,
  word,
} from './scripted-node.js'

const ETHER = 10n ** 18n
const [ours, alsoOurs] = [addressNumber(1), addressNumber(2)]
const BLOCK = 'eth_getBlockByNumber'
const WHOLE = 'eth_getBlockReceipts'
const SINGLE = 'eth_getTransactionReceipt'
const LOGS = 'eth_getLogs'

const MISSING: ScriptedEnd = { error: { code: -32601, message: 'the method does not exist' } }

type Quirk = ScriptedNode['quirk']
const of =
  (method: string, change: (own: ScriptedEnd, call: ScriptedCall) => ScriptedEnd): Quirk =>
  (call, own) =>
    call.method === method ? change(own, call) : own
const both =
  (...quirks: readonly Quirk[]): Quirk =>
  (call, own) =>
    quirks.reduce((end, quirk) => quirk(call, end), own)
const each = (change: (receipt: Record<string, unknown>, i: number) => unknown) => (own: ScriptedEnd) =>
  'result' in own && Array.isArray(own.result) ? { result: own.result.map(change) } : own

describe('a block is read in every way that there is', () => {
  const [named, unnamed] = watching([ours, alsoOurs])
  let node: ScriptedNode
  let clock: ManualClock
  let reader: NetworkReader
  let height: number
  let truth: readonly ObservedTransfer[]

  beforeEach(async () => {
    node = await ScriptedNode.start()
    clock = new ManualClock(1_700_000_000_000)
    reader = ethereumReader([node.url], { token: TOKEN, clock, confirmation: 1 })
    node.add([tokenTo(STRANGER, 1n)])
    const transactions: readonly ScriptedTransaction[] = [
      { isFailed: true },
      tokenTo(ours, 5n),
      { to: ours, value: ETHER },
      { logs: [{ address: STRANGER, topics: [hashNumber(9)] }] },
      tokenTo(alsoOurs, 6n),
      { ...tokenTo(ours, 7n), isFailed: true, logs: [] },
    ]
    node.add(transactions)
    height = node.height
    const hash = (i: number) => hashNumber(2, height, i)
    truth = [tether(hash(1), 1, ours, 5n), ether(hash(2), ours, '1'), tether(hash(4), 1, alsoOurs, 6n)]
    node.add([])
  })
  afterEach(async () => {
    await reader.close()
    await node.close()
  })

  /** Reads the block alone, and in a range, by all wallets by name and by too many. */
  async function seen(): Promise<readonly (readonly ObservedTransfer[] | undefined)[]> {
    const answers: (readonly ObservedTransfer[] | undefined)[] = []
    for (const watched of [named, unnamed]) {
      answers.push((await reader.block(height, watched))?.transfers)
      answers.push((await reader.fresh(height, height + 1, watched))[0]?.transfers)
      answers.push((await reader.blocks(height, height, watched))[0]?.transfers)
    }
    return answers
  }

  const strange = { address: 7, topics: [null, {}, '0x'], data: [] }
  const noWhole = of(WHOLE, () => MISSING)
  const readable: readonly [name: string, quirk: Quirk][] = [
    ['nothing wrong', (_call, own) => own],
    ['receipts of blocks: HTTP status 405', of(WHOLE, () => ({ http: 405, body: '{"result":"null"}' }))],
    ['receipts of blocks: HTTP status 500', of(WHOLE, () => ({ http: 500 }))],
    ['receipts of blocks: another text', of(WHOLE, () => ({ http: 200, body: '<html>' }))],
    ...[-32_601, -32_004, -32_700, -32_000, -32_603].map((code): [string, Quirk] => [
      `receipts of blocks: error ${code}`,
      of(WHOLE, () => ({ error: { code, message: 'no' } })),
    ]),
    ['receipts of blocks: null', of(WHOLE, () => ({ result: null }))],
    ['receipts of blocks: none', of(WHOLE, () => ({ result: [] }))],
    [
      'receipts of blocks: one left out',
      of(WHOLE, (own) => ('result' in own ? { result: (own.result as []).slice(1) } : own)),
    ],
    [
      'receipts of blocks: logs left out',
      of(
        WHOLE,
        each((receipt) => ({ ...receipt, logs: [] })),
      ),
    ],
    [
      'receipts of blocks: of another block',
      of(
        WHOLE,
        each((receipt) => ({ ...receipt, blockHash: hashNumber(8) })),
      ),
    ],
    [
      'log indexes that begin anew in each transaction',
      of(
        WHOLE,
        each((receipt) => ({
          ...receipt,
          logs: (receipt['logs'] as object[]).map((log) => ({ ...log, logIndex: '0x0' })),
        })),
      ),
    ],
    [
      'no list of logs where there are none, and outcomes that are true or false',
      both(
        of(
          WHOLE,
          each(({ logs, status, ...receipt }) => ({
            ...receipt,
            status: status === '0x1',
            ...((logs as object[]).length === 0 ? {} : { logs }),
          })),
        ),
        of(SINGLE, () => MISSING),
        of(LOGS, () => MISSING),
      ),
    ],
    [
      'no filters of receipts',
      of(
        WHOLE,
        each(({ logsBloom: _, ...receipt }) => receipt),
      ),
    ],
    [
      'empty filters of receipts',
      of(
        WHOLE,
        each((receipt) => ({ ...receipt, logsBloom: bloomOf([]) })),
      ),
    ],
    [
      'only single receipts',
      both(
        noWhole,
        of(LOGS, () => MISSING),
      ),
    ],
    [
      'only single receipts, with empty filters',
      both(
        noWhole,
        of(SINGLE, (own) =>
          'result' in own ? { result: { ...(own.result as object), logsBloom: bloomOf([]) } } : own,
        ),
      ),
    ],
    [
      'a single receipt of others that is null: by logs',
      both(
        noWhole,
        of(SINGLE, (own, { params }) => (params[0] === hashNumber(2, height, 3) ? { result: null } : own)),
      ),
    ],
    [
      'a single receipt of others of no form: by logs',
      both(
        noWhole,
        of(SINGLE, (own, { params }) => (params[0] === hashNumber(2, height, 3) ? { result: {} } : own)),
      ),
    ],
    ['hashes of others that are missing', of(BLOCK, (own) => changedTransaction(own, 0, { hash: undefined }))],
    [
      'values and receivers of others of no form',
      of(BLOCK, (own) => changedTransaction(own, 0, { value: -1, to: 'x' })),
    ],
    [
      'strange logs of others',
      of(
        WHOLE,
        each((receipt) => ({ ...receipt, logs: [...(receipt['logs'] as object[]), strange] })),
      ),
    ],
  ]
  for (const [name, quirk] of readable) {
    test(`with ${name}`, async () => {
      node.quirk = quirk
      assert.deepEqual(await seen(), Array(6).fill(truth))
      assert.equal(reader.endpoints()[0]?.failures, 0)
    })
  }

  test('a block without logs, of which a receipt of others is missing, has none by all that the node says', async () => {
    node.add([
      { to: STRANGER, value: 1n },
      { to: ours, value: ETHER },
    ])
    const silent = node.height
    const lost = hashNumber(2, silent, 0)
    const nullReceipt = of(SINGLE, (own, { params }) => (params[0] === lost ? { result: null } : own))
    node.quirk = both(noWhole, nullReceipt)
    assert.deepEqual((await reader.block(silent, named))?.transfers, [ether(hashNumber(2, silent, 1), ours, '1')])
    // On a chain without filters nothing proves that these are all logs.
    const log = { address: STRANGER, topics: [], data: '0x', transactionHash: lost, blockHash: undefined }
    node.quirk = both(
      noWhole,
      nullReceipt,
      of(LOGS, () => ({ result: [log] })),
    )
    assert.equal(await certain(reader.block(silent, unnamed)), null)
  })

  function changedTransaction(own: ScriptedEnd, at: number, change: object): ScriptedEnd {
    const block = 'result' in own ? (own.result as { transactions: readonly object[] } | null) : null
    if (block === null || typeof block.transactions[at] !== 'object') return own
    return { result: { ...block, transactions: block.transactions.with(at, { ...block.transactions[at], ...change }) } }
  }

  test('a transaction whose receiver has another form is asked for again, and is none of ours where it cannot be', async () => {
    const BY_PLACE = 'eth_getTransactionByBlockHashAndIndex'
    const odd = of(BLOCK, (own) => changedTransaction(own, 2, { to: 'x' }))
    node.quirk = odd
    assert.deepEqual((await reader.block(height, named))?.transfers, truth)
    const unpaid = truth.filter(({ currency }) => currency !== '#native')
    for (const [end, asked] of [
      [{ http: 500 }, 2],
      [MISSING, 1],
      [MISSING, 0],
    ] as const) {
      node.quirk = both(
        odd,
        of(BY_PLACE, () => end),
      )
      node.calls.clear()
      assert.deepEqual((await reader.block(height, named))?.transfers, unpaid)
      assert.equal(node.calls.get(BY_PLACE) ?? 0, asked)
    }
  })

  test('a block of hashes only is read by its transactions, and not without them', async () => {
    const hashes = of(BLOCK, (own) => {
      const block = 'result' in own ? (own.result as { transactions: readonly { hash: string }[] } | null) : null
      return block === null ? own : { result: { ...block, transactions: block.transactions.map(({ hash }) => hash) } }
    })
    node.quirk = hashes
    assert.deepEqual((await reader.block(height, named))?.transfers, truth)
    node.quirk = both(
      hashes,
      of('eth_getTransactionByBlockHashAndIndex', () => MISSING),
    )
    assert.equal(await certain(reader.block(height, named)), null)
  })

  const noLogs = of(LOGS, () => ({ result: [] }))
  const unreadable: readonly [name: string, quirk: Quirk][] = [
    [
      'no receipts and no logs',
      both(
        noWhole,
        of(SINGLE, () => ({ result: null })),
        of(LOGS, () => MISSING),
      ),
    ],
    [
      'logs left out everywhere',
      both(
        of(
          WHOLE,
          each((receipt) => ({ ...receipt, logs: [] })),
        ),
        of(SINGLE, (own) => ('result' in own ? { result: { ...(own.result as object), logs: [] } } : own)),
        noLogs,
      ),
    ],
    [
      'receipts of our transactions that are null',
      both(
        noWhole,
        of(SINGLE, (own, { params }) => (params[0] === hashNumber(2, height, 1) ? { result: null } : own)),
      ),
    ],
    [
      'logs of a block that lack one of ours',
      both(
        noWhole,
        of(SINGLE, (own, { params }) => (params[0] === hashNumber(2, height, 3) ? { result: null } : own)),
        of(LOGS, (own) => ('result' in own ? { result: (own.result as object[]).slice(1) } : own)),
      ),
    ],
    ['values of payments of no form', of(BLOCK, (own) => changedTransaction(own, 2, { value: 'much' }))],
    [
      'another filter in the header',
      of(BLOCK, (own) =>
        'result' in own
          ? {
              result: {
                ...(own.result as object),
                logsBloom: bloomOf([{ address: TOKEN, topics: [TRANSFER_TOPIC, addressTopic(ours), hashNumber(77)] }]),
              },
            }
          : own,
      ),
    ],
  ]
  for (const [name, quirk] of unreadable) {
    test(`and nothing is told of it with ${name}`, async () => {
      node.quirk = quirk
      for (const watched of [named, unnamed]) {
        assert.equal(await certain(reader.block(height, watched)), null)
        clock.advance(PAUSE_MAX_MS)
        assert.equal(await certain(reader.blocks(height, height, watched)), null)
        clock.advance(PAUSE_MAX_MS)
      }
      node.quirk = (_call, own) => own
      assert.deepEqual(await seen(), Array(6).fill(truth))
    })
  }

  test('and the next node is asked when one tells nothing certain', async () => {
    const other = await ScriptedNode.start()
    other.blocks.push(...node.blocks.slice(1))
    node.quirk = both(
      noWhole,
      of(SINGLE, () => ({ result: null })),
      noLogs,
    )
    const helped = ethereumReader([node.url, other.url], { token: TOKEN, clock, confirmation: 1 })
    try {
      assert.deepEqual((await helped.block(height, named))?.transfers, truth)
    } finally {
      await helped.close()
      await other.close()
    }
  })

  test('and what a node answers too late is left alone for some minutes', async () => {
    const scheduler = new ManualScheduler()
    const slow = ethereumReader([node.url], { token: TOKEN, clock, scheduler, confirmation: 1 })
    try {
      await slow.head()
      node.quirk = of(WHOLE, () => {
        scheduler.pass(TIMEOUT_MS)
        return { http: 500 }
      })
      for (const asked of [1, 0]) {
        node.calls.clear()
        assert.deepEqual((await slow.block(height, named))?.transfers, truth)
        assert.equal(node.calls.get(WHOLE) ?? 0, asked)
      }
      clock.advance(SLOW_TRIED_AGAIN_MS)
      node.calls.clear()
      await slow.block(height, named)
      assert.equal(node.calls.get(WHOLE), 1)
    } finally {
      await slow.close()
    }
  })

  test('and a method that a node refuses for its rate at every pace is left alone for some minutes', async () => {
    const limited = ethereumReader([node.url], {
      token: TOKEN,
      clock,
      scheduler: new HastyScheduler(clock, 600_000),
      patienceMs: 60_000,
      timeoutMs: 600_000,
      confirmation: 1,
    })
    try {
      await limited.head()
      node.quirk = of(WHOLE, () => ({ http: 429 }))
      for (const asked of [3, 0]) {
        node.calls.clear()
        assert.deepEqual((await limited.block(height, named))?.transfers, truth)
        assert.equal(node.calls.get(WHOLE) ?? 0, asked)
      }
    } finally {
      await limited.close()
    }
  })

  test('and receipts of other transactions are believed only where the node has no more transactions', async () => {
    const more = each((receipt) => receipt)
    const extra = { blockHash: hashNumber(1, height), transactionHash: hashNumber(2, 98), status: '0x1', logs: [] }
    const excess = of(WHOLE, (own) => {
      const end = more(own)
      return 'result' in end ? { result: [extra, ...(end.result as object[])] } : end
    })
    node.quirk = excess
    assert.deepEqual((await reader.block(height, named))?.transfers, truth)
    // As by a node that lists one transaction less than there are.
    const shorter = of(BLOCK, (own) => {
      const block = 'result' in own ? (own.result as { transactions: readonly object[] } | null) : null
      if (block === null) return own
      return { result: { ...block, transactions: block.transactions.filter((_, i) => i !== 2) } }
    })
    node.quirk = shorter
    assert.equal(await certain(reader.block(height, named)), null)
  })

  test('and logs that its receipts do not have are not believed', async () => {
    node.quirk = both(
      noWhole,
      of(SINGLE, (own, { params }) => (params[0] === hashNumber(2, height, 3) ? { result: null } : own)),
      of(LOGS, (own) => {
        if (!('result' in own)) return own
        const logs = own.result as readonly object[]
        return { result: [...logs, logs[0]] }
      }),
    )
    assert.equal(await certain(reader.block(height, named)), null)
  })

  test('and an error that does not speak of history is no proof that it begins later', async () => {
    for (let i = 0; i < 200; i += 1) node.add()
    const isOld = (at: unknown) => Number(at) < 50
    const old = (end: ScriptedEnd) => of(BLOCK, (own, { params }) => (isOld(params[0]) ? end : own))
    for (const [end, reason] of [
      [{ result: null }, 'pruned'],
      [{ error: { code: 4444, message: 'pruned history unavailable' } }, 'pruned'],
    ] as const) {
      node.quirk = old(end)
      await assert.rejects(reader.blocks(2, 5, named), (error: { problem?: { reason: string } }) => {
        assert.equal(error.problem?.reason, reason)
        return true
      })
      clock.advance(PAUSE_MAX_MS)
    }
    // The block is missing, and what is asked about it then fails in another way.
    let asked = 0
    node.quirk = of(BLOCK, (own, { params }) => {
      if (!isOld(params[0])) return own
      asked += 1
      return asked <= 2 ? { result: null } : { error: { code: -32_000, message: 'internal error' } }
    })
    await assert.rejects(reader.blocks(2, 2, named), (error: { problem?: unknown }) => {
      assert.equal(error.problem, null)
      return true
    })
  })

  test('but not after a refusal of the rate, which is one everywhere', async () => {
    node.quirk = of(WHOLE, () => ({ http: 429 }))
    assert.equal(await certain(reader.block(height, named)), null)
    assert.equal(node.calls.get(WHOLE), 1)
    assert.equal(node.calls.get(SINGLE), undefined)
    assert.equal(reader.endpoints()[0]?.limited, 1)
  })

  test('and what a node cannot do is remembered over failures, and tried again after a while', async () => {
    node.quirk = noWhole
    const asked = async () => {
      node.calls.clear()
      assert.deepEqual((await reader.block(height, named))?.transfers, truth)
      return node.calls.get(WHOLE) ?? 0
    }
    assert.equal(await asked(), 1)
    assert.equal(await asked(), 0)
    node.quirk = both(
      noWhole,
      of(BLOCK, () => ({ http: 500 })),
    )
    assert.equal(await certain(reader.block(height, named)), null)
    clock.advance(PAUSE_MAX_MS)
    node.quirk = noWhole
    assert.equal(await asked(), 0)
    clock.advance(TRIED_AGAIN_FIRST_MS)
    assert.equal(await asked(), 1)
  })

  test('and a method that was there is remembered to be missing', async () => {
    await reader.block(height, named)
    node.quirk = noWhole
    for (const asked of [1, 0]) {
      node.calls.clear()
      await reader.block(height, named)
      assert.equal(node.calls.get(WHOLE) ?? 0, asked)
    }
  })

  test('and failures that do not say that they are for good are remembered after three in a row', async () => {
    node.quirk = of(WHOLE, () => ({ error: { code: -32_000, message: 'no' } }))
    const asked: number[] = []
    for (let i = 0; i < 5; i += 1) {
      node.calls.clear()
      await reader.block(height, named)
      asked.push(node.calls.get(WHOLE) ?? 0)
    }
    assert.deepEqual(asked, [2, 2, 2, 0, 0])
  })

  test('and filters that do not fit are computed from then on, in one reading', async () => {
    node.quirk = of(
      WHOLE,
      each((receipt) => ({ ...receipt, logsBloom: bloomOf([]) })),
    )
    const asked: number[] = []
    for (let i = 0; i < 3; i += 1) {
      node.calls.clear()
      await reader.block(height, unnamed)
      asked.push(node.calls.get(WHOLE) ?? 0)
    }
    assert.deepEqual(asked, [2, 1, 1])
  })

  const machines: readonly [what: string, end: Quirk][] = [
    ['down', () => ({ http: 502 })],
    ['out of order', () => ({ error: { code: -32_603, message: 'Internal error' } })],
    ['behind', () => ({ result: null })],
  ]
  for (const [what, broken] of machines) {
    for (const count of [2, 3]) {
      test(`one of ${count} machines behind an address is ${what}: the others answer`, async () => {
        for (let i = 0; i < 10; i += 1) node.add([tokenTo(ours, 1n)])
        const whole = await reader.blocks(0, node.height, named)
        const balanced = ethereumReader([node.url], { token: TOKEN, clock, confirmation: 1, batchMax: 1 })
        let calls = 0
        node.quirk = (call, own) => {
          calls += 1
          return calls % count === 0 ? broken(call, own) : own
        }
        try {
          await balanced.verify()
          assert.equal((await balanced.head()).latest, node.height)
          const found = []
          for (let next = 0; next <= node.height; next = (found.at(-1)?.height ?? 0) + 1)
            found.push(...(await balanced.blocks(next, node.height, named)))
          assert.deepEqual(found, whole)
          assert.equal(balanced.endpoints()[0]?.failures, 0)
        } finally {
          await balanced.close()
        }
      })
    }
  }

  test('a range is read one block at a time where it fails as a whole', async () => {
    for (let i = 0; i < 20; i += 1) node.add([tokenTo(ours, 1n)])
    node.quirk = of(BLOCK, (own, { params }) => (params[0] === '0xa' ? { http: 500 } : own))
    const blocks = []
    for (let next = 2; next < 10; next += blocks.at(-1)?.length ?? 1) {
      blocks.push(await reader.blocks(next, node.height, named))
    }
    assert.deepEqual(
      transfersOf(blocks.flat())
        .slice(truth.length)
        .map(({ amount }) => amount),
      Array(6).fill('1'),
    )
    assert.equal(reader.endpoints()[0]?.failures, 0)
  })

  test('a range is read by single receipts after a few blocks whose receipts fail', async () => {
    for (let i = 0; i < 10; i += 1) node.add([tokenTo(ours, 1n)])
    const whole = await reader.blocks(0, node.height, named)
    node.calls.clear()
    node.quirk = of(WHOLE, () => ({ http: 500 }))
    assert.deepEqual(await reader.blocks(0, node.height, named), whole)
    node.calls.clear()
    assert.deepEqual(await reader.blocks(0, node.height, named), whole)
    assert.equal(node.calls.get(WHOLE), undefined)
    // At first each block is asked for alone.
    const fresh = ethereumReader([node.url], { token: TOKEN, clock, confirmation: 1 })
    assert.deepEqual(await fresh.blocks(0, node.height, named), whole)
    await fresh.close()
    // Three blocks in each half of the range, each asked for twice.
    assert.ok((node.calls.get(WHOLE) ?? 0) <= 12, String(node.calls.get(WHOLE)))
  })

  test('a chain without filters is read by its receipts', async () => {
    const zero = `0x${'0'.repeat(512)}`
    node.quirk = both(
      of(BLOCK, (own) =>
        'result' in own && own.result !== null ? { result: { ...(own.result as object), logsBloom: zero } } : own,
      ),
      of(
        WHOLE,
        each((receipt) => ({ ...receipt, logsBloom: zero })),
      ),
    )
    assert.deepEqual(await seen(), Array(6).fill(truth))
  })

  test('transfers of a transaction that is in no list count where logs and its receipt tell of them', async () => {
    // As those of Polygon's bridge before its headers covered them.
    const outside = hashNumber(2, 99)
    const place = { blockHash: hashNumber(1, height), transactionHash: outside }
    const log = { ...tokenTo(ours, 8n).logs?.[0], ...place, removed: false }
    const receipt = { ...place, status: '0x1', logs: [log], logsBloom: bloomOf([]) }
    node.quirk = both(
      of(WHOLE, (own) => ('result' in own ? { result: [...(own.result as object[]), receipt] } : own)),
      of(SINGLE, (own, { params }) => (params[0] === outside ? { result: receipt } : own)),
      of(LOGS, (own) => ('result' in own ? { result: [...(own.result as object[]), log] } : own)),
    )
    assert.deepEqual((await reader.block(height, named))?.transfers, [...truth, tether(outside, 1, ours, 8n)])
  })

  test('logs of failed transactions, as Polygon and Tempo have them, are ignored', async () => {
    const fee = { address: COIN_CONTRACT, topics: [hashNumber(4)], data: word(1n) }
    node.add([{ isFailed: true, logs: [fee, ...(tokenTo(ours, 3n).logs ?? [])] }, { ...tokenTo(ours, 4n) }])
    const block = await reader.block(node.height, named)
    assert.deepEqual(block?.transfers, [tether(hashNumber(2, node.height, 1), 1, ours, 4n)])
  })
})
