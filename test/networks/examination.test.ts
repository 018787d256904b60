import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { NodeFact } from '../../src/networks/node/node-fact.js'
import { anvilAbsence } from '../support/anvil.js'
import { EthereumChain } from '../support/ethereum-chain.js'
import { type Fault, FaultyProxy, type ProxiedEnd } from '../support/faulty-proxy.js'
import { ManualClock } from '../support/manual-clock.js'
import { ethereumReader, type ReaderVariant } from './ethereum/fixture.js'
import { HastyScheduler } from './hasty-scheduler.js'

/** The newest block with a transaction: the token was made in the first ones. */
const BUSY_BEHIND = 40
const FUTURE = /^Set the clock of this machine/
const STALE = /^Payments are not seen before the node has caught up/

describe('the examination of an Ethereum node', { skip: anvilAbsence }, () => {
  let chain: EthereumChain
  let proxy: FaultyProxy
  let token: string
  let clock: ManualClock

  before(async () => {
    chain = await EthereumChain.start(['--slots-in-an-epoch', '4'])
    token = await chain.deployToken()
    // The newest block with a transaction has a log of another token.
    await chain.deployToken()
    await chain.mine(40)
    proxy = await FaultyProxy.start(chain.node.url)
  })
  after(async () => {
    await proxy?.close()
    await chain?.stop()
  })
  beforeEach(async () => {
    proxy.fault = {}
    clock = new ManualClock(Number((await chain.block(await chain.height()))?.timestamp) * 1000 + 2000)
  })

  async function examined(variant: Partial<ReaderVariant> = {}, url = proxy.url): Promise<readonly string[]> {
    return (await examinedFacts(variant, url)).map(({ verdict, text }) => `${verdict}: ${text}`)
  }

  async function examinedFacts(variant: Partial<ReaderVariant> = {}, url = proxy.url): Promise<readonly NodeFact[]> {
    const reader = ethereumReader([url], { token, clock, confirmation: 'finalized', traces: true, ...variant })
    try {
      const [node] = await reader.examine()
      assert.equal(node?.endpoint, url)
      return node.facts
    } finally {
      await reader.close()
    }
  }

  const answering = (methods: readonly string[], end: ProxiedEnd) => {
    proxy.fault = { alter: (call, own) => (methods.includes(call.method) ? end : own) }
  }
  const objects = (method: string, change: (object: object) => object): Fault => ({
    alter: (call, end) =>
      call.method === method && 'result' in end && end.result !== null ? { result: change(end.result as object) } : end,
  })
  const eachReceipt = (change: (receipts: readonly object[]) => object) =>
    objects('eth_getBlockReceipts', (receipts) => change(receipts as readonly object[]))
  const METHOD_NOT_FOUND: ProxiedEnd = { error: { code: -32601, message: 'the method does not exist' } }

  test('tells all that a sound node offers', async () => {
    const height = await chain.height()
    assert.deepEqual(await examined(), [
      'ok: is of chain 11155111, and its token calls itself USDT with 6 decimals',
      `ok: is at block ${height}, which is 2 s old, and confirmed up to ${height - 8}`,
      'ok: has a safe block, 4 blocks behind the newest',
      'ok: has a finalized block, 8 blocks behind the newest',
      'ok: returns all receipts of a block at once',
      `ok: has receipts that fit its newest busy block, ${BUSY_BEHIND} blocks behind: payments in the coin and in tokens are seen`,
      'ok: takes batches of 50 calls',
      'ok: gives 20 blocks for one question',
      `ok: traces block ${height - BUSY_BEHIND}`,
    ])
  })

  const lacks: readonly [name: string, lack: () => void, fact: RegExp, advice: RegExp | null][] = [
    [
      'receipts of blocks',
      () => answering(['eth_getBlockReceipts'], METHOD_NOT_FOUND),
      /^warning: does not return all rec/,
      /a call for each transaction/,
    ],
    [
      'receipts in any way but one',
      () => answering(['eth_getBlockReceipts', 'eth_getLogs'], METHOD_NOT_FOUND),
      /^warning: does not return .*; what works is the receipts of its transactions one by one$/,
      /a call for each transaction/,
    ],
    [
      // The block has no log of the token, and no transaction that pays: without any receipt both would be missed.
      'receipts, although it has logs',
      () => answering(['eth_getBlockReceipts', 'eth_getTransactionReceipt'], METHOD_NOT_FOUND),
      /^failed: has receipts that cannot be used in .*, so NO payment in such a block is seen, neither in the coin nor/,
      /^Payments in such blocks are not seen through this node/,
    ],
    [
      'receipts that say whether a transaction succeeded',
      () => {
        const without = (receipt: object) => ({ ...receipt, status: undefined })
        const methods = ['eth_getBlockReceipts', 'eth_getTransactionReceipt']
        proxy.fault = {
          alter: ({ method }, end) => {
            if (!methods.includes(method) || !('result' in end)) return end
            const told = end.result as object | readonly object[]
            return { result: Array.isArray(told) ? told.map(without) : without(told) }
          },
        }
      },
      /^failed: has receipts that cannot be used in /,
      /^Payments in such blocks are not seen through this node/,
    ],
    [
      'logs to examine',
      () => {
        proxy.fault = {
          alter: ({ method }, end) => {
            if (!('result' in end)) return end
            const clear = (one: object) => ({ ...one, logs: [], logsBloom: `0x${'0'.repeat(512)}` })
            if (method === 'eth_getBlockByNumber') return { result: clear(end.result as object) }
            return method === 'eth_getBlockReceipts' ? { result: (end.result as object[]).map(clear) } : end
          },
        }
      },
      /^warning: has receipts that fit .*: .* those in tokens were not tried, because its header announces no logs$/,
      /when the network has transactions/,
    ],
    [
      'receipts in any way',
      () => answering(['eth_getBlockReceipts', 'eth_getTransactionReceipt', 'eth_getLogs'], METHOD_NOT_FOUND),
      /^failed: has receipts that cannot be used in .*, so NO payment .* is seen, neither .*: .*does not exist/,
      /^Payments in such blocks are not seen through this node/,
    ],
    [
      'logs in its receipts',
      () => answering(['eth_getBlockReceipts', 'eth_getTransactionReceipt', 'eth_getLogs'], { result: [] }),
      /^failed: has receipts that cannot be used in /,
      /^Payments in such blocks are not seen through this node/,
    ],
    [
      'traces',
      () => answering(['debug_traceBlockByHash', 'debug_traceTransaction'], METHOD_NOT_FOUND),
      /^failed: refuses traces: .*error -32601/,
      /debug_traceBlockByHash/,
    ],
    [
      'the tag that confirms',
      () => {
        proxy.fault = { alter: ({ params }, end) => (params[0] === 'finalized' ? { result: null } : end) }
      },
      /^failed: has no finalized block/,
      /a number of blocks for confirmations/,
    ],
    [
      'the head that is confirmed',
      () => {
        proxy.fault = { alter: ({ params }, end) => (params[0] === 'finalized' ? { result: null } : end) }
      },
      /^failed: does not report its newest block: /,
      /a number of blocks for confirmations/,
    ],
    [
      'a tag that nothing depends on',
      () => {
        proxy.fault = { alter: ({ params }, end) => (params[0] === 'safe' ? { result: null } : end) }
      },
      /^ok: has no safe block/,
      null,
    ],
    [
      'large batches',
      () => {
        proxy.fault = { answer: (response, _text, calls) => calls.length > 12 && !!response.writeHead(413).end() }
      },
      /^warning: takes batches of 12 calls, fewer than 50/,
      /BILLHOOK_SEP_BATCH/,
    ],
    [
      'batches',
      () => {
        proxy.fault = { answer: (response, _text, calls) => calls.length > 1 && !!response.writeHead(400).end() }
      },
      /^warning: takes no batches, fewer than 50/,
      /BILLHOOK_SEP_BATCH/,
    ],
    [
      'a clock like ours',
      () => clock.advance(-60_000),
      /^warning: is at block \d+, which is 58 s in the future/,
      FUTURE,
    ],
    ['new blocks', () => clock.advance(600_000), /^failed: is at block \d+, which is 602 s old/, STALE],
    [
      'a head of this decade',
      () => clock.advance(4 * 365 * 86_400_000),
      /^failed: is at block \d+, which is \d{9} s old/,
      STALE,
    ],
    [
      'a clock of today',
      () => clock.advance(-86_400_000),
      /^failed: is at block \d+, which is 86398 s in the future/,
      FUTURE,
    ],
    [
      'transactions to examine',
      () => {
        proxy.fault = objects('eth_getBlockByNumber', (block) => ({ ...block, transactions: [] }))
      },
      /^warning: has no transaction in its newest 20 blocks, nor .*: receipts were not tried/,
      /when the network has transactions/,
    ],
  ]
  for (const [name, lack, fact, advice] of lacks) {
    test(`tells that a node lacks ${name}, and what to do`, async () => {
      lack()
      const facts = await examinedFacts()
      const told = facts.filter(({ verdict, text }) => fact.test(`${verdict}: ${text}`))
      assert.equal(told.length, 1, JSON.stringify(facts))
      if (advice === null) assert.equal(told[0]?.advice, undefined)
      else assert.match(String(told[0]?.advice), advice)
    })
  }

  for (const [what, methods] of [
    ['receipts of blocks', ['eth_getTransactionReceipt', 'eth_getLogs']],
    ['single receipts', ['eth_getBlockReceipts', 'eth_getLogs']],
  ] as const) {
    test(`says that payments are seen where a node gives ${what} alone`, async () => {
      answering(methods, METHOD_NOT_FOUND)
      const fact = (await examined()).find((text) => text.includes('has receipts that'))
      assert.match(fact ?? '', /^ok: has receipts that fit .*: payments in the coin and in tokens are seen$/)
    })
  }

  test('says that payments are seen where a node gives logs, and the receipts of those who pay', async () => {
    let asked = 0
    proxy.fault = {
      alter: ({ method }, end) => {
        if (method === 'eth_getBlockReceipts') return METHOD_NOT_FOUND
        // The receipts of the whole block are asked for before its logs.
        if (method !== 'eth_getTransactionReceipt') return end
        asked += 1
        return asked === 1 ? METHOD_NOT_FOUND : end
      },
    }
    const facts = await examined()
    assert.ok(
      facts.some((text) => /what works is its logs, with the receipts of the transactions that pay$/.test(text)),
      facts.join('\n'),
    )
    assert.ok(facts.some((text) => text.startsWith('ok: has receipts that fit')))
  })

  test('does not say of receipts that a limit of the rate keeps back that they cannot be used', async () => {
    const limit: ProxiedEnd = { error: { code: -32005, message: 'daily request count exceeded' } }
    answering(['eth_getBlockReceipts', 'eth_getTransactionReceipt', 'eth_getLogs'], limit)
    // Longer than any pause.
    const timeoutMs = 600_000
    const facts = await examinedFacts({ scheduler: new HastyScheduler(clock, timeoutMs), timeoutMs })
    const told = facts.filter(({ text }) => text.includes('receipts'))
    assert.deepEqual(
      told.map(({ verdict }) => verdict),
      ['warning'],
    )
    assert.match(told[0]?.text ?? '', /^could not be asked for the receipts of its newest busy block/)
    assert.match(told[0]?.advice ?? '', /^Wait, or choose a plan/)
  })

  const odd: readonly [what: string, fault: () => Fault][] = [
    [
      'with empty filters',
      () => eachReceipt((receipts) => receipts.map((one) => ({ ...one, logsBloom: `0x${'0'.repeat(512)}` }))),
    ],
    [
      'with one of a transaction that the block does not have',
      () =>
        eachReceipt((receipts) => [...receipts, { ...receipts[0], transactionHash: `0x${'9'.repeat(64)}`, logs: [] }]),
    ],
  ]
  for (const [what, fault] of odd) {
    test(`does not take receipts of a block ${what} for a lack`, async () => {
      proxy.fault = fault()
      const facts = await examined()
      assert.ok(facts.includes('ok: returns all receipts of a block at once'), facts.join('\n'))
    })
  }

  test('has advice for each thing that is wrong, which says what it means for payments', async () => {
    const advices = new Set<string>()
    for (const [, lack] of lacks) {
      proxy.fault = {}
      lack()
      const reader = ethereumReader([proxy.url], { token, clock, confirmation: 'finalized', traces: true })
      const [node] = await reader.examine()
      await reader.close()
      for (const { verdict, text, advice } of node?.facts ?? []) {
        assert.equal(advice === undefined, verdict === 'ok', text)
        if (advice !== undefined) advices.add(advice)
        assert.ok(verdict !== 'failed' || !/\bworks\b/i.test(advice ?? ''), advice)
      }
    }
    assert.ok(advices.size >= 8, [...advices].join('\n'))
  })

  test('tells what is wrong with a node of another chain, and that one does not answer', async () => {
    assert.deepEqual(await examined({ chainId: 1 }), ['failed: fails: the chain id is 11155111, configured is 1'])
    assert.match(String(await examined({ decimals: 18 })), /^failed: fails: .* has 6 decimals, configured are 18/)
    assert.match(String(await examined({}, 'http://127.0.0.1:1')), /^failed: fails: ECONNREFUSED/)
  })
})
