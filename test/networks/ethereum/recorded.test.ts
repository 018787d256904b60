import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { addressTopic, TRANSFER_TOPIC } from '../../../src/networks/ethereum/filter.js'
import { type NetworkReader, NodeUnavailable } from '../../../src/networks/network-reader.js'
import { addressNumber } from '../../support/ethereum-chain.js'
import { FaultyProxy } from '../../support/faulty-proxy.js'
import { ManualClock } from '../../support/manual-clock.js'
import { projectRoot } from '../../support/project-root.js'
import { ethereumReader, type ReaderVariant, tether, transfersOf, watching } from './fixture.js'
import {
  bloomOf,
  hashNumber,
  type ScriptedCall,
  type ScriptedEnd,
  type ScriptedLog,
  ScriptedNode,
  STRANGER,
  TOKEN,
  tokenTo,
} from './scripted-node.js'

interface Recorded {
  readonly impl: string
  readonly method: string
  readonly params: readonly unknown[] | null
  readonly status: number
  readonly body: string
}

/**
 * What an answer has to lead to.
 *
 * - `head`: it is the newest and the final block.
 * - `block`: it is a block without transfers.
 * - `no tag`: as the final block, it means that there is none.
 * - `paid`, `nothing`: as the receipt of a transaction, the transfers that it tells, or none.
 * - `no method`: as all receipts of a block, it means that the node never gives them; they are read one by one from then on.
 * - `otherwise`: as all receipts of a block, or as the answer to a batch, it is read in another way.
 * - `no answer`: as a block, it is none, such as one that was cut off.
 * - `no token`: as the answer of the token, it means that there is none at this address.
 * - `traced`, `no traces`: as the traces of a block or a transaction.
 */
type Outcome =
  | 'head'
  | 'block'
  | 'no tag'
  | 'paid'
  | 'nothing'
  | 'no method'
  | 'otherwise'
  | 'no answer'
  | 'no token'
  | 'traced'
  | 'no traces'

const BLOCK = 'eth_getBlockByNumber'
const WHOLE = 'eth_getBlockReceipts'
const SINGLE = 'eth_getTransactionReceipt'
const LOGS = 'eth_getLogs'
const CALL = 'eth_call'
const TRACES = 'debug_traceBlockByHash'
const TRACE = 'debug_traceTransaction'

/** By implementation and method, in the order of the file. */
const OUTCOMES: Readonly<Record<string, Readonly<Record<string, readonly Outcome[]>>>> = {
  hardhat: {
    // Its pending block has no number.
    [BLOCK]: ['no answer', 'no answer', 'no tag', 'no tag', 'block'],
    [WHOLE]: ['no method', 'no method', 'no method', 'no method'],
    [SINGLE]: ['paid', 'nothing'],
    eth_getTransactionByHash: ['otherwise'],
    [LOGS]: ['no answer', 'otherwise'],
    [CALL]: ['no token', 'no token'],
    [TRACES]: ['no traces'],
    [TRACE]: ['traced'],
    no_such_method: ['no method'],
    eth_sendRawTransaction: ['otherwise'],
    '(empty batch)': ['otherwise'],
    '(no id)': ['otherwise'],
    '(not JSON)': ['otherwise'],
  },
  'besu-pos': {
    [BLOCK]: [
      ...(['head', 'block', 'block', 'no answer', 'no answer', 'head', 'head', 'head', 'block'] as const),
      ...(['block', 'block', 'no tag', 'no tag'] as const),
    ],
    [WHOLE]: ['no answer'],
    [SINGLE]: ['paid', 'nothing'],
    [LOGS]: ['otherwise', 'otherwise'],
    [CALL]: ['no token', 'no token'],
    [TRACES]: ['no answer'],
    [TRACE]: ['traced'],
    eth_sendRawTransaction: ['otherwise'],
    '(batch of 50)': ['otherwise'],
    '(batch of 2000)': ['otherwise'],
    '(empty batch)': ['otherwise'],
    '(no id)': ['otherwise'],
    '(not JSON)': ['otherwise'],
  },
  'besu-qbft': {
    [BLOCK]: [
      ...(['head', 'block', 'block', 'no answer', 'no answer', 'no tag', 'no tag'] as const),
      ...(['head', 'block', 'block', 'block'] as const),
    ],
    [WHOLE]: ['no answer'],
    '(batch of 50)': ['otherwise'],
  },
  ethereumjs: {
    [BLOCK]: [
      ...(['head', 'block', 'block', 'no answer', 'no answer', 'head', 'head', 'no tag', 'block', 'block'] as const),
      ...(['no tag', 'no tag', 'no tag'] as const),
    ],
    [WHOLE]: ['no answer', 'otherwise'],
    [SINGLE]: ['paid', 'nothing'],
    eth_getTransactionByHash: ['otherwise'],
    [LOGS]: ['otherwise', 'otherwise'],
    [CALL]: ['no token', 'no token'],
    [TRACES]: ['no traces'],
    [TRACE]: ['no traces'],
    eth_sendRawTransaction: ['otherwise'],
    '(batch of 50)': ['otherwise'],
    '(not JSON)': ['otherwise'],
  },
  ganache: {
    [BLOCK]: [
      ...(['head', 'block', 'block', 'no answer', 'no answer', 'head', 'head', 'head', 'block'] as const),
      ...(['block', 'block', 'no tag', 'no tag'] as const),
    ],
    [WHOLE]: ['no method', 'no method', 'no method', 'no method'],
    [SINGLE]: ['paid', 'nothing', 'paid', 'paid'],
    eth_getTransactionByHash: ['otherwise'],
    [LOGS]: ['no answer', 'otherwise'],
    [CALL]: ['no token', 'no token'],
    [TRACES]: ['no traces'],
    [TRACE]: ['no answer'],
    no_such_method: ['no method'],
    eth_sendRawTransaction: ['otherwise'],
    '(batch of 50)': ['otherwise'],
    '(empty batch)': ['otherwise'],
    '(no id)': ['otherwise'],
    '(not JSON)': ['otherwise'],
  },
}

const MISSING: ScriptedEnd = { error: { code: -32601, message: 'the method does not exist' } }
const ours = addressNumber(1)
const [named] = watching([ours])

const text = readFileSync(join(projectRoot, 'test/networks/ethereum/recorded/answers.jsonl'), 'utf8')
const answers = text
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)

describe('recorded answers of other Ethereum nodes', () => {
  const seen = new Map<string, number>()
  for (const recorded of answers) {
    const key = `${recorded.impl} ${recorded.method}`
    const place = seen.get(key) ?? 0
    seen.set(key, place + 1)
    const outcome = OUTCOMES[recorded.impl]?.[recorded.method]?.[place]
    const asked = JSON.stringify(recorded.params ?? []).slice(0, 50)
    test(`${key} ${asked} (${place + 1}): ${outcome}`, async () => {
      assert.ok(outcome !== undefined, 'it is not said what it leads to')
      await play(recorded, outcome)
    })
  }

  test('all of them are there, each with what it has to lead to', () => {
    const expected = Object.values(OUTCOMES).flatMap((methods) => Object.values(methods).flat())
    assert.equal(answers.length, expected.length)
  })
})

describe('a node without traces', () => {
  let node: ScriptedNode
  beforeEach(async () => {
    node = await ScriptedNode.start()
  })
  afterEach(() => node.close())

  async function withReader(use: (reader: NetworkReader) => Promise<void>): Promise<void> {
    const reader = ethereumReader([node.url], { token: TOKEN, traces: true, clock: new ManualClock(1_700_000_100_000) })
    try {
      await use(reader)
    } finally {
      await reader.close()
    }
  }

  test('is one that traces a transaction step by step, as Ganache does, whatever tracer it is asked for', async () => {
    node.add([tokenTo(ours, 5n)])
    node.quirk = ({ method }, own) => {
      if (method === TRACES) return { error: { code: -32700, message: `The method ${TRACES} does not exist` } }
      return method === TRACE ? { result: { gas: '0xc93a', structLogs: [{ op: 'PUSH1' }], returnValue: '' } } : own
    }
    await withReader((reader) => hasProblem(reader.block(1, named), 'no_traces'))
  })

  const empty: readonly [what: string, own: ScriptedEnd, verdict: string][] = [
    ['has no such method', MISSING, 'warning'],
    ['traces it', { result: [] }, 'ok'],
  ]
  for (const [what, end, verdict] of empty) {
    test(`is not called one that has them by a doctor who found only blocks without transactions: it ${what}`, async () => {
      node.quirk = ({ method }, own) => (method === TRACES ? end : own)
      await withReader(async (reader) => {
        const facts = (await reader.examine()).flatMap((each) => each.facts)
        assert.equal(facts.find(({ text }) => /trace/.test(text))?.verdict, verdict, JSON.stringify(facts))
      })
    })
  }
})

/** The answer to a call as it was recorded. */
function replayed({ status, body }: Recorded, { id }: Pick<ScriptedCall, 'id'>): ScriptedEnd {
  return { http: status, body: body.replace('"id":7', `"id":${id}`).replace('(512 digits)', `0x${'0'.repeat(512)}`) }
}

function resultOf({ body }: Recorded): Readonly<Record<string, unknown>> {
  return (JSON.parse(body) as { result: Readonly<Record<string, unknown>> }).result
}

async function play(recorded: Recorded, outcome: Outcome): Promise<void> {
  const node = await ScriptedNode.start()
  const proxy = await FaultyProxy.start(node.url)
  if (isOfRequest(recorded)) {
    proxy.fault = {
      answer: (response, _text, calls) => {
        if (calls.length < 2) return false
        response.writeHead(recorded.status, { 'content-type': 'application/json' }).end(recorded.body)
        return true
      },
    }
  }
  const url = isOfRequest(recorded) ? proxy.url : node.url
  const readers: NetworkReader[] = []
  const readerOf = (variant: Partial<ReaderVariant> = {}): NetworkReader => {
    const clock = new ManualClock(1_700_000_100_000)
    const reader = ethereumReader([url], { token: TOKEN, clock, confirmation: 1, ...variant })
    readers.push(reader)
    return reader
  }
  try {
    await PLAYS[outcome](node, recorded, readerOf)
  } finally {
    for (const reader of readers) await reader.close()
    await proxy.close()
    await node.close()
  }
}

/** Whether it answers a request as a whole: a batch, or what is no request. */
function isOfRequest({ method }: Recorded): boolean {
  return method.startsWith('(')
}

type Play = (
  node: ScriptedNode,
  recorded: Recorded,
  readerOf: (variant?: Partial<ReaderVariant>) => NetworkReader,
) => Promise<void>

/** A block with a payment of 5, and one with a payment of 6. */
async function countsBothPayments(node: ScriptedNode, reader: NetworkReader): Promise<void> {
  for (const amount of [5n, 6n]) {
    node.add([tokenTo(STRANGER, 1n), tokenTo(ours, amount)])
    const height = node.height
    const block = await reader.block(height, named)
    assert.deepEqual(block?.transfers, [tether(hashNumber(2, height, 1), 1, ours, amount)])
  }
}

async function hasProblem(asked: Promise<unknown>, reason: string): Promise<void> {
  await assert.rejects(asked, (error) => {
    assert.ok(error instanceof NodeUnavailable, String(error))
    assert.equal(error.problem?.reason, reason, error.message)
    return true
  })
}

const PLAYS: Readonly<Record<Outcome, Play>> = {
  head: async (node, recorded, readerOf) => {
    node.quirk = (call, own) => (call.method === BLOCK ? replayed(recorded, call) : own)
    const height = Number(resultOf(recorded)['number'])
    const { latest, confirmed } = await readerOf({ confirmation: 'finalized' }).head()
    assert.deepEqual({ latest, confirmed }, { latest: height, confirmed: height })
  },
  block: async (node, recorded, readerOf) => {
    node.quirk = (call, own) => (call.method === BLOCK ? replayed(recorded, call) : own)
    const { number, hash, parentHash, timestamp } = resultOf(recorded)
    const [height, timeMs] = [Number(number), Number(timestamp) * 1000]
    const expected = { height, hash, parentHash, timeMs, timeEndMs: timeMs + 999, transfers: [] }
    for (const watched of watching([ours])) assert.deepEqual(await readerOf().block(height, watched), expected)
  },
  'no tag': async (node, recorded, readerOf) => {
    node.quirk = (call, own) => (call.params[0] === 'finalized' ? replayed(recorded, call) : own)
    await hasProblem(readerOf({ confirmation: 'finalized' }).head(), 'no_finality')
  },
  paid: (node, recorded, readerOf) => readsReceipt(node, recorded, readerOf, 1),
  nothing: (node, recorded, readerOf) => readsReceipt(node, recorded, readerOf, 0),
  'no method': async (node, recorded, readerOf) => {
    node.quirk = (call, own) => (call.method === WHOLE ? replayed(recorded, call) : own)
    await countsBothPayments(node, readerOf())
    assert.equal(node.calls.get(WHOLE), 1)
  },
  otherwise: async (node, recorded, readerOf) => {
    node.quirk = (call, own) => (call.method === WHOLE && !isOfRequest(recorded) ? replayed(recorded, call) : own)
    const reader = readerOf()
    await countsBothPayments(node, reader)
    const both = [tether(hashNumber(2, 1, 1), 1, ours, 5n), tether(hashNumber(2, 2, 1), 1, ours, 6n)]
    const first = await reader.blocks(1, 2, named)
    const rest = first.length === 2 ? [] : await reader.blocks(2, 2, named)
    assert.deepEqual(transfersOf([...first, ...rest]), both)
  },
  'no answer': async (node, recorded, readerOf) => {
    node.add([tokenTo(ours, 5n)])
    node.quirk = (call, own) => (call.method === BLOCK && call.params[1] === true ? replayed(recorded, call) : own)
    await assert.rejects(readerOf().block(1, named), NodeUnavailable)
  },
  'no token': async (node, recorded, readerOf) => {
    node.quirk = (call, own) => (call.method === CALL ? replayed(recorded, call) : own)
    await assert.rejects(readerOf().verify(), { name: 'WrongNode', message: /is no token/ })
  },
  traced: async (node, recorded, readerOf) => {
    node.quirk = (call, own) => (call.method === TRACE ? replayed(recorded, call) : own)
    await countsBothPayments(node, readerOf({ traces: true }))
  },
  'no traces': async (node, recorded, readerOf) => {
    node.add([tokenTo(ours, 5n)])
    node.quirk = (call, own) => (call.method === recorded.method ? replayed(recorded, call) : own)
    await hasProblem(readerOf({ traces: true }).block(1, named), 'no_traces')
  },
}

interface RecordedReceipt {
  readonly blockHash: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly logsBloom: string
  readonly logs: readonly (ScriptedLog & { readonly data: string })[]
}

/** Reads the block of a receipt that was recorded, in which others come before it that say nothing. */
async function readsReceipt(
  node: ScriptedNode,
  recorded: Recorded,
  readerOf: (variant?: Partial<ReaderVariant>) => NetworkReader,
  transfers: number,
): Promise<void> {
  const receipt = resultOf(recorded) as unknown as RecordedReceipt
  const place = { blockHash: receipt.blockHash, blockNumber: receipt.blockNumber }
  const height = Number(receipt.blockNumber)
  const before = Array.from({ length: Number(receipt.transactionIndex) }, (_, i) => ({
    ...place,
    transactionHash: hashNumber(4, i),
    transactionIndex: `0x${i}`,
    status: '0x1',
    logs: [],
    logsBloom: bloomOf([]),
  }))
  // Ganache's filters were not kept: those of its logs are what they have to be.
  const logsBloom = bloomOf(receipt.logs)
  const own = { ...receipt, logsBloom }
  if (receipt.logsBloom !== '(512 digits)') assert.equal(receipt.logsBloom, logsBloom)
  const all = [...before, own]
  const receipts = new Map<unknown, unknown>(all.map((each) => [each.transactionHash, each]))
  const block = {
    number: place.blockNumber,
    hash: place.blockHash,
    parentHash: hashNumber(5),
    timestamp: '0x6553f100',
    transactionsRoot: hashNumber(6),
    logsBloom,
    transactions: all.map(({ transactionHash, transactionIndex }) => ({
      ...place,
      hash: transactionHash,
      transactionIndex,
      from: STRANGER,
      to: STRANGER,
      value: '0x0',
    })),
  }
  node.quirk = ({ method, params }, end) => {
    if (method === BLOCK) return { result: block }
    if (method === SINGLE) return { result: receipts.get(params[0]) ?? null }
    return method === WHOLE ? MISSING : end
  }
  const expected = receipt.logs.flatMap(({ topics, data }, i) => {
    const receiver = `0x${topics[2]?.slice(-40)}`
    const isPayment = topics[0] === TRANSFER_TOPIC && addressTopic(receiver) === topics[2] && transfers > 0
    return isPayment ? [tether(receipt.transactionHash, i + 1, receiver, BigInt(data))] : []
  })
  assert.equal(expected.length, transfers)
  const token = receipt.logs[0]?.address ?? assert.fail()
  const watched = watching(transfers > 0 ? expected.map(({ toAddress }) => toAddress) : [ours])
  for (const each of watched) {
    assert.deepEqual((await readerOf({ token }).block(height, each))?.transfers, expected)
  }
}
