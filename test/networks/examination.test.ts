import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { anvilAbsence } from '../support/anvil.js'
import { EthereumChain } from '../support/ethereum-chain.js'
import { type Fault, FaultyProxy, type ProxiedEnd } from '../support/faulty-proxy.js'
import { ManualClock } from '../support/manual-clock.js'
import { ethereumReader, type ReaderVariant } from './ethereum/fixture.js'

/** The newest block with a transaction: the token was made in the first ones. */
const BUSY_BEHIND = 40

describe('the examination of an Ethereum node', { skip: anvilAbsence }, () => {
  let chain: EthereumChain
  let proxy: FaultyProxy
  let token: string
  let clock: ManualClock

  before(async () => {
    chain = await EthereumChain.start(['--slots-in-an-epoch', '4'])
    token = await chain.deployToken()
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
    const reader = ethereumReader([url], { token, clock, confirmation: 'finalized', traces: true, ...variant })
    try {
      const [node] = await reader.examine()
      assert.equal(node?.endpoint, url)
      return node.facts.map(({ verdict, text }) => `${verdict}: ${text}`)
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
  const METHOD_NOT_FOUND: ProxiedEnd = { error: { code: -32601, message: 'the method does not exist' } }

  test('tells all that a sound node offers', async () => {
    const height = await chain.height()
    assert.deepEqual(await examined(), [
      'ok: is of chain 11155111, and its token calls itself USDT with 6 decimals',
      `ok: is at block ${height}, which is 2 s old, and confirmed up to ${height - 8}`,
      'ok: has a safe block, 4 blocks behind the newest',
      'ok: has a finalized block, 8 blocks behind the newest',
      'ok: returns all receipts of a block at once',
      `ok: has receipts that fit its newest busy block, ${BUSY_BEHIND} blocks behind`,
      'ok: takes batches of 50 calls',
      'ok: gives 20 blocks for one question',
      `ok: traces block ${height - BUSY_BEHIND}`,
    ])
  })

  const lacks: readonly [name: string, lack: () => void, fact: RegExp][] = [
    [
      'receipts of blocks',
      () => answering(['eth_getBlockReceipts'], METHOD_NOT_FOUND),
      /^warning: does not return all rec/,
    ],
    [
      'receipts in any way',
      () => answering(['eth_getBlockReceipts', 'eth_getTransactionReceipt'], METHOD_NOT_FOUND),
      /^failed: has receipts that cannot be used: .*does not exist/,
    ],
    [
      'logs in its receipts',
      () => answering(['eth_getBlockReceipts', 'eth_getTransactionReceipt', 'eth_getLogs'], { result: [] }),
      /^failed: has receipts that cannot be used: /,
    ],
    [
      'traces',
      () => answering(['debug_traceBlockByHash', 'debug_traceTransaction'], METHOD_NOT_FOUND),
      /^failed: refuses traces: .*error -32601/,
    ],
    [
      'the tag that confirms',
      () => {
        proxy.fault = { alter: ({ params }, end) => (params[0] === 'finalized' ? { result: null } : end) }
      },
      /^failed: has no finalized block/,
    ],
    [
      'a tag that nothing depends on',
      () => {
        proxy.fault = { alter: ({ params }, end) => (params[0] === 'safe' ? { result: null } : end) }
      },
      /^ok: has no safe block/,
    ],
    [
      'large batches',
      () => {
        proxy.fault = { answer: (response, _text, calls) => calls.length > 12 && !!response.writeHead(413).end() }
      },
      /^warning: takes batches of 12 calls, fewer than 50/,
    ],
    [
      'batches',
      () => {
        proxy.fault = { answer: (response, _text, calls) => calls.length > 1 && !!response.writeHead(400).end() }
      },
      /^warning: takes no batches, fewer than 50/,
    ],
    ['a clock like ours', () => clock.advance(-60_000), /^warning: is at block \d+, which is 58 s in the future/],
    ['new blocks', () => clock.advance(600_000), /^failed: is at block \d+, which is 602 s old/],
    [
      'a head of this decade',
      () => clock.advance(4 * 365 * 86_400_000),
      /^failed: is at block \d+, which is \d{9} s old/,
    ],
    ['a clock of today', () => clock.advance(-86_400_000), /^failed: is at block \d+, which is 86398 s in the future/],
    [
      'transactions to examine',
      () => {
        proxy.fault = objects('eth_getBlockByNumber', (block) => ({ ...block, transactions: [] }))
      },
      /^warning: has no transaction in its newest 20 blocks, nor .*: receipts were not tried/,
    ],
  ]
  for (const [name, lack, fact] of lacks) {
    test(`tells that a node lacks ${name}`, async () => {
      lack()
      const facts = await examined()
      assert.equal(facts.filter((one) => fact.test(one)).length, 1, facts.join('\n'))
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
