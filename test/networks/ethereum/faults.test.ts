import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { ObservedBlock, WatchedAddresses } from '../../../src/domain/block.js'
import type { NetworkReader } from '../../../src/networks/network-reader.js'
import { PAUSE_MAX_MS } from '../../../src/networks/node/endpoint.js'
import { anvilAbsence } from '../../support/anvil.js'
import { addressNumber, EthereumChain, hex } from '../../support/ethereum-chain.js'
import { type Fault, FaultyProxy, type ProxiedCall, type ProxiedEnd } from '../../support/faulty-proxy.js'
import { heightsOf } from '../../support/heights.js'
import { ManualClock } from '../../support/manual-clock.js'
import { ManualScheduler } from '../../support/manual-scheduler.js'
import {
  ANSWER_LIMIT_BYTES,
  byRanges,
  CONFIRMATIONS,
  certain,
  ether,
  ethereumReader,
  oneByOne,
  TIMEOUT_MS,
  tether,
  transfersOf,
  watching,
} from './fixture.js'

/** Heights with transfers, and the height at which a lagging replica stands. */
const BLOCKS = 18
const LAGGING_AT = 12
const HOUR_MS = 3_600_000
const BY_BLOCK = 'eth_getBlockReceipts'

const [ours, alsoOurs, theirs] = [addressNumber(1), addressNumber(2), addressNumber(3)]
const METHOD_NOT_FOUND: ProxiedEnd = { error: { code: -32601, message: 'the method does not exist' } }

/** `truth`: a reader with only this endpoint tells the truth all the same. `unavailable`: it says that it cannot. */
type Expected = 'truth' | 'unavailable'

describe('the Ethereum reader behind faults', { skip: anvilAbsence }, () => {
  // Far enough ahead for every head to be old, so that all endpoints are asked for theirs.
  const clock = new ManualClock(Date.now() + HOUR_MS)
  const scheduler = new ManualScheduler()
  const [named, unnamed] = watching([ours, alsoOurs])
  let chain: EthereumChain
  let proxy: FaultyProxy
  let token: string
  let height: number
  let truth: readonly ObservedBlock[]

  before(async () => {
    chain = await EthereumChain.start()
    token = await chain.deployToken()
    const expected = []
    for (let n = 1n; n <= BLOCKS; n += 1n) {
      if (n % 2n === 0n) {
        const hash = await chain.send({ to: ours, value: n * 10n ** 18n })
        expected.push(ether(hash, ours, n.toString()))
      }
      if (n % 3n === 0n) {
        const args = [[theirs, ours, alsoOurs], n]
        const hash = await chain.sendCall(token, 'transferToMany(address[],uint256)', args)
        expected.push(tether(hash, 2, ours, n), tether(hash, 3, alsoOurs, n))
      }
      if (n % 5n === 0n) await chain.sendCall(token, 'transferAndFail(address,uint256)', [ours, n])
      if (n % 7n === 0n) await chain.sendCall(token, 'transfer(address,uint256)', [theirs, n])
      await chain.mine()
    }
    height = await chain.height()
    proxy = await FaultyProxy.start(chain.node.url)
    const reader = ethereumReader([chain.node.url], { token })
    truth = await oneByOne(reader, 0, height, named)
    await reader.close()
    assert.deepEqual(transfersOf(truth), expected)
  })

  after(async () => {
    await proxy?.close()
    await chain?.stop()
  })

  const only = (method: string, end: ProxiedEnd): Fault => ({
    methods: [method],
    alter: ({ method: m }, e) => (m === method ? end : e),
  })

  function whole(answer: (response: ServerResponse, text: string) => void): Fault {
    return {
      answer: (response, text) => {
        answer(response, text)
        return true
      },
    }
  }

  /** Changes the parsed answer to a batch. */
  function batch(change: (answers: { id: number }[]) => unknown): Fault {
    return {
      answer: (response, text, calls) => {
        if (calls.length === 1) return false
        response.end(JSON.stringify(change(JSON.parse(text))))
        return true
      },
    }
  }

  /** Changes each object of a result, in lists too. */
  function objects(method: string, change: (object: Record<string, unknown>, i: number) => unknown): Fault {
    return {
      methods: [method],
      alter: (call, end) => {
        if (call.method !== method || 'error' in end || end.result === null) return end
        return {
          result: Array.isArray(end.result) ? end.result.map(change) : change(end.result as Record<string, unknown>, 0),
        }
      },
    }
  }

  const lagging: Fault = {
    alter: async ({ method, params }, end, forward) => {
      const seen = 'result' in end ? (end.result as { number?: string; blockNumber?: string } | null) : null
      if (method === 'eth_getBlockByNumber' && params[0] === 'latest') {
        return { result: await forward(method, [hex(BigInt(LAGGING_AT)), params[1]]) }
      }
      const at = seen?.number ?? seen?.blockNumber ?? (method === 'eth_getBlockReceipts' ? params[0] : '0x0')
      return Number(at) > LAGGING_AT ? { result: null } : end
    },
  }

  const flood = Buffer.alloc(65_536, '[')
  function endless(response: ServerResponse): void {
    const write = () => {
      while (!response.destroyed && response.write(flood)) {}
    }
    response.on('drain', write)
    write()
  }

  const hash = `0x${'ab'.repeat(32)}`
  const receiptless = (receipt: Record<string, unknown>) => ({ ...receipt, logs: [] })

  /** The same on a node without any other way to read a block. */
  function alone({ alter = (_call, end) => end }: Fault): Fault {
    return {
      alter: (call, end, forward) => {
        const isOther = call.method === 'eth_getTransactionReceipt' || call.method === 'eth_getLogs'
        return isOther ? METHOD_NOT_FOUND : alter(call, end, forward)
      },
    }
  }

  /** What a node leaves out of the receipts of a block. */
  const spoilt: readonly [name: string, fault: Fault][] = [
    ['blocks without receipts', only(BY_BLOCK, { result: [] })],
    ['unknown blocks', only(BY_BLOCK, { result: null })],
    ['receipts without logs', objects(BY_BLOCK, receiptless)],
    ['receipts of another block', objects(BY_BLOCK, (each) => ({ ...each, blockHash: hash }))],
    ['receipts of another transaction', objects(BY_BLOCK, (each) => ({ ...each, transactionHash: hash }))],
    ['receipts without a status', objects(BY_BLOCK, (each) => ({ ...each, status: undefined }))],
    ['receipts with half of the logs', objects(BY_BLOCK, (each) => ({ ...each, logs: (each['logs'] as []).slice(1) }))],
    [
      'logs that were removed',
      objects(BY_BLOCK, (each) => ({
        ...each,
        logs: (each['logs'] as object[]).map((log) => ({ ...log, removed: true })),
      })),
    ],
  ]

  const faults: readonly [name: string, fault: Fault, expected: Expected][] = [
    ...spoilt.flatMap(([name, fault]): [string, Fault, Expected][] => [
      [name, fault, 'truth'],
      [`${name}, and without another way`, alone(fault), 'unavailable'],
    ]),
    ['nothing wrong', {}, 'truth'],
    ['an inner error', whole((response) => response.writeHead(500).end()), 'unavailable'],
    ['a page of a balancer', whole((response) => response.writeHead(502).end('<html>Bad gateway')), 'unavailable'],
    ['403', whole((response) => response.writeHead(403).end('{}')), 'unavailable'],
    ['a connection that ends', whole((response) => response.destroy()), 'unavailable'],
    ['half of the text', whole((response, text) => response.end(text.slice(0, text.length / 2))), 'unavailable'],
    [
      'a body that breaks off',
      whole((response, text) => {
        response.writeHead(200, { 'content-length': text.length }).write(text.slice(0, -1))
        setImmediate(() => response.destroy())
      }),
      'unavailable',
    ],
    ['no answer', whole(() => scheduler.pass(TIMEOUT_MS)), 'unavailable'],
    [
      'an answer that drips',
      whole((response) => {
        response.write(' ')
        scheduler.pass(TIMEOUT_MS)
      }),
      'unavailable',
    ],
    ['an endless answer', whole(endless), 'unavailable'],
    ['too deep an answer', whole((response) => response.end('['.repeat(100) + ']'.repeat(100))), 'unavailable'],
    ['a page', whole((response) => response.end('<html></html>')), 'unavailable'],
    ...['', 'null', '42', '"text"', '[]', '{}', '[null]', '{"jsonrpc":"2.0","id":1}', '{"id":1,"result":{}}'].map(
      (text): [string, Fault, Expected] => [
        `the answer ${JSON.stringify(text)}`,
        whole((response) => response.end(text)),
        'unavailable',
      ],
    ),
    [
      'too long answers to more than five calls',
      {
        answer: (response, text, calls) => calls.length > 5 && !!response.end(text + ' '.repeat(ANSWER_LIMIT_BYTES)),
      },
      'truth',
    ],
    [
      '413 for more than three calls',
      { answer: (response, _text, calls) => calls.length > 3 && !!response.writeHead(413).end() },
      'truth',
    ],
    ['no batches', batch(() => ({ id: null, error: { code: -32600, message: 'no batches' } })), 'truth'],
    ['batches in another order', batch((answers) => answers.reverse()), 'truth'],
    ['batches with an answer missing', batch((answers) => answers.slice(1)), 'truth'],
    ['batches with an answer twice', batch((answers) => [...answers.slice(1), answers[1]]), 'truth'],
    ['batches with other ids', batch((answers) => answers.map((each) => ({ ...each, id: each.id + 1 }))), 'truth'],
    ['batches answered by one result', batch(([first]) => first), 'truth'],
    [
      'batches whose later calls are refused',
      batch((answers) =>
        answers.map(({ id }, i) => (i < 2 ? answers[i] : { id, error: { code: -32003, message: 'too large' } })),
      ),
      'truth',
    ],
    ['errors only', { alter: () => ({ error: { code: -32000, message: 'no' } }) }, 'unavailable'],
    ['an error of no form', { alter: () => ({ error: 'no' as never }) }, 'unavailable'],
    ['no receipts of blocks', only('eth_getBlockReceipts', METHOD_NOT_FOUND), 'truth'],
    [
      'receipts of blocks that are refused',
      only('eth_getBlockReceipts', { error: { code: -1, message: 'no' } }),
      'truth',
    ],
    [
      'single receipts without logs',
      {
        alter: (call, end) => {
          if (call.method === 'eth_getBlockReceipts') return METHOD_NOT_FOUND
          if (call.method !== 'eth_getTransactionReceipt' || 'error' in end) return end
          return { result: receiptless(end.result as Record<string, unknown>) }
        },
      },
      'unavailable',
    ],
    [
      'no single receipts',
      {
        alter: (call, end) => {
          if (call.method === 'eth_getBlockReceipts') return METHOD_NOT_FOUND
          return call.method === 'eth_getTransactionReceipt' ? { result: null } : end
        },
      },
      'unavailable',
    ],
    [
      'blocks without transactions',
      objects('eth_getBlockByNumber', (each) => ({ ...each, transactions: [] })),
      'unavailable',
    ],
    [
      'blocks with hashes only',
      objects('eth_getBlockByNumber', (each) => ({
        ...each,
        transactions: (each['transactions'] as { hash: string }[]).map((t) => t.hash),
      })),
      'truth',
    ],
    [
      'blocks of another height',
      {
        alter: async ({ method, params }, end, forward) => {
          if (method !== 'eth_getBlockByNumber' || params[0] === 'latest') return end
          return { result: await forward(method, [hex(BigInt(String(params[0])) ^ 1n), params[1]]) }
        },
      },
      'unavailable',
    ],
    [
      'blocks without a filter of logs',
      objects('eth_getBlockByNumber', (each) => ({ ...each, logsBloom: `0x${'0'.repeat(512)}` })),
      'truth',
    ],
    [
      'blocks whose filter claims everything',
      objects('eth_getBlockByNumber', (each) => ({ ...each, logsBloom: `0x${'f'.repeat(512)}` })),
      'truth',
    ],
    ['no blocks', only('eth_getBlockByNumber', { result: null }), 'unavailable'],
    ['a lagging replica', lagging, 'unavailable'],
  ]

  /** Whether a reader tells the truth in every question; when it does not, it says so, and never tells anything else. */
  async function isTruthful(reader: NetworkReader, watched: WatchedAddresses): Promise<boolean> {
    let uncertain = 0
    const judge = <T>(answer: { readonly value: T } | null, expected: T): void => {
      clock.advance(PAUSE_MAX_MS)
      if (answer === null || answer.value === null) uncertain += 1
      else assert.deepEqual(answer.value, expected)
    }
    const head = await certain(reader.head())
    const latest = head?.value.latest ?? 0
    const heights = head === null ? null : { value: heightsOf(head.value) }
    judge(heights, { latest, confirmed: latest - CONFIRMATIONS + 1 })
    if (head?.value.latest !== height) uncertain += 1
    for (const at of [0, 1, height - 4, height - 1, height]) {
      judge(await certain(reader.block(at, watched)), truth[at] as ObservedBlock | null)
    }
    judge(await certain(byRanges(reader, 0, height, watched)), truth)
    return uncertain === 0
  }

  for (const [name, fault, expected] of faults) {
    test(`${expected === 'truth' ? 'tells the truth' : 'tells nothing wrong'} in spite of ${name}`, async () => {
      const variant = { token, clock, scheduler }
      const alone = ethereumReader([proxy.url], variant)
      const helped = ethereumReader([proxy.url, chain.node.url], variant)
      proxy.fault = fault
      try {
        assert.equal(await isTruthful(alone, named), expected === 'truth')
        assert.equal(await isTruthful(helped, unnamed), true, 'with another endpoint')
        proxy.fault = {}
        assert.equal(await isTruthful(alone, unnamed), true, 'when the fault is over')
      } finally {
        await alone.close()
        await helped.close()
      }
    })
  }

  test('reads one block of a range that is no chain', async () => {
    const reader = ethereumReader([proxy.url], { token, clock, scheduler })
    try {
      proxy.fault = objects('eth_getBlockByNumber', (block) =>
        Number(block['number']) === 7 ? { ...block, parentHash: hash } : block,
      )
      assert.deepEqual(await reader.blocks(6, 7, named), [truth[6]])
    } finally {
      await reader.close()
    }
  })

  test('asks another endpoint for a newer head when the first has stood still', async () => {
    proxy.fault = lagging
    const newest = Number((await chain.block(LAGGING_AT))?.timestamp) * 1000
    const own = new ManualClock(newest)
    const reader = ethereumReader([proxy.url, chain.node.url], { token, clock: own, scheduler })
    try {
      assert.equal((await reader.head()).latest, LAGGING_AT)
      own.advance(10 * 60_000)
      assert.equal((await reader.head()).latest, height)
      assert.deepEqual(
        reader.endpoints().map(({ failures }) => failures),
        [0, 0],
      )
    } finally {
      await reader.close()
    }
  })

  /** Every place of an answer where a value stands: in objects, and in the first element of lists. */
  function placesOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
    if (typeof value !== 'object' || value === null) return [path]
    const entries = Array.isArray(value) ? Object.entries(value.slice(0, 1)) : Object.entries(value)
    return [path, ...entries.flatMap(([key, each]) => placesOf(each, [...path, key]))]
  }

  function withValueAt(value: unknown, path: readonly string[], replacement: unknown): unknown {
    const [key, ...rest] = path
    if (key === undefined) return replacement
    const changed = withValueAt((value as Record<string, unknown>)[key], rest, replacement)
    return Array.isArray(value) ? value.with(Number(key), changed) : { ...(value as object), [key]: changed }
  }

  const wrongValues: readonly unknown[] = [{}, -1, 'x', 1e300, true, [{}], '0x', '0xg', `0x${'f'.repeat(10_000)}`]
  const TELLING_VALUES = 3

  for (const method of ['eth_getBlockByNumber', 'eth_getBlockReceipts', 'eth_getTransactionReceipt']) {
    test(`tells nothing wrong whatever stands in place of a value of ${method}`, async () => {
      const at = height
      assert.equal(truth[at]?.transfers.length, 3)
      const reader = ethereumReader([proxy.url], { token, clock, scheduler })
      const param = method === 'eth_getTransactionReceipt' ? truth[at]?.transfers.at(-1)?.txHash : hex(BigInt(at))
      const answer = await chain.node.call(method, param, ...(method === 'eth_getBlockByNumber' ? [true] : []))
      const isUnknown = (call: ProxiedCall) =>
        method === 'eth_getTransactionReceipt'
          ? call.method === BY_BLOCK
          : call.method === 'eth_getTransactionReceipt' && method === BY_BLOCK
      let refused = 0
      let asked = 0
      try {
        for (const path of placesOf(answer)) {
          let isRead = false
          for (const [n, wrong] of wrongValues.entries()) {
            // Where an object, a number and a text change nothing, nothing is read.
            if (n === TELLING_VALUES && !isRead) break
            proxy.fault = {
              alter: (call, end) => {
                if (isUnknown(call)) return METHOD_NOT_FOUND
                if (call.method !== method || !call.params.includes(param)) return end
                asked += 1
                return { result: withValueAt(answer, path, wrong) }
              },
            }
            const block = await certain(reader.block(at, named))
            if (block === null) {
              refused += 1
              isRead = true
            } else assert.deepEqual(block.value, truth[at], `${path.join('.')}: ${JSON.stringify(wrong).slice(0, 20)}`)
            clock.advance(PAUSE_MAX_MS)
          }
        }
      } finally {
        await reader.close()
      }
      assert.ok(refused > 0 && refused < asked, `${refused} of ${asked} refused`)
    })
  }
})
