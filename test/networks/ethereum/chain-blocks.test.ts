import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { formatAmount } from '../../../src/domain/amount.js'
import type { ObservedTransfer } from '../../../src/domain/block.js'
import {
  ARBITRUM_201326592,
  BASE_26293517,
  BNB_26803,
  type ChainBlock,
  OP_GOERLI_8381743,
  POLYGON_9013766,
  POLYGON_9013767,
  POLYGON_23887160,
} from './chain-blocks.js'
import { ethereumReader, tether, watching } from './fixture.js'
import { ScriptedNode } from './scripted-node.js'

const BLOOM_BYTES = 256
const [POLYGON, OP_GOERLI, BASE, ARBITRUM, BNB] = [137, 420, 8453, 42_161, 56]
/** Bridged USDC on Polygon, of which block 9013767 has a transfer. */
const USDC = '0x2791bca1f2de4661ed88a30c99a7a9449aa84174'
/** The token that the swap of block 23887160 takes, its pool, its router and its sender, and who gets the fee. */
const SWAPPED = '0xa247b0476c11dab0be132e91fe63b2b7085d7c0e'
const POOL = '0xb1f30b7df529845ab92dfd39e3eefeadc37f9fcc'
const ROUTER = '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45'
const SENDER = '0x94b09601b04269b4329ca9c011e71a8105ba8e3f'
const PRODUCER = '0x7c7379531b2aee82e4ca06d4175d13b9cbeafd49'
const PAID_OUT = 0x47c4_8141_2e37_b77fn
/** Somebody that these blocks do not pay. */
const NOBODY = `0x${'0e'.repeat(20)}`
const HOLDER = '0xa48ee028dee3e4c691381a9bae7f16e710cd7154'

interface Case {
  readonly name: string
  readonly chainId: number
  readonly block: ChainBlock
  readonly token?: string
  readonly watched: readonly string[]
  readonly transfers: readonly ObservedTransfer[]
}

const [swap, conversion] = [POLYGON_23887160, POLYGON_9013767].map(({ transactions }) => transactions[0]?.hash ?? '')

const CASES: readonly Case[] = [
  {
    name: 'an empty block of Polygon',
    chainId: POLYGON,
    block: POLYGON_9013766,
    watched: [NOBODY],
    transfers: [],
  },
  {
    name: 'a token on Polygon, and none of the logs of fees',
    chainId: POLYGON,
    block: POLYGON_9013767,
    token: USDC,
    watched: [HOLDER, '0x5973918275c01f50555d44e92c9d9b353cadad54'],
    transfers: [tether(conversion ?? '', 2, HOLDER, 0x092e_1942n)],
  },
  {
    name: 'a token and the coin that a contract of Polygon sends, and not the fee of the block',
    chainId: POLYGON,
    block: POLYGON_23887160,
    token: SWAPPED,
    watched: [POOL, ROUTER, SENDER, PRODUCER],
    transfers: [
      tether(swap ?? '', 2, POOL, 0x1_5bf2_6d45_d535_e38an),
      coin(swap ?? '', 5, ROUTER),
      coin(swap ?? '', 7, SENDER),
    ],
  },
  {
    name: 'the deposit of type 0x7e of an OP-stack block',
    chainId: OP_GOERLI,
    block: OP_GOERLI_8381743,
    watched: ['0x4200000000000000000000000000000000000015'],
    transfers: [],
  },
  {
    name: 'the deposit of a block of Base',
    chainId: BASE,
    block: BASE_26293517,
    watched: [NOBODY],
    transfers: [],
  },
  {
    name: 'the transaction of type 0x6a of a block of Arbitrum',
    chainId: ARBITRUM,
    block: ARBITRUM_201326592,
    watched: ['0x00000000000000000000000000000000000a4b05'],
    transfers: [],
  },
  { name: 'an empty block of BNB Smart Chain', chainId: BNB, block: BNB_26803, watched: [NOBODY], transfers: [] },
]

describe('blocks of other chains that were recorded', () => {
  let node: ScriptedNode
  beforeEach(async () => {
    node = await ScriptedNode.start()
  })
  afterEach(() => node.close())

  for (const { name, chainId, block, token = USDC, watched, transfers } of CASES) {
    test(`are read: ${name}`, async () => {
      serve(node, chainId, [block])
      const reader = ethereumReader([node.url], { token, chainId })
      const { hash, parentHash, timestamp } = block
      const height = Number(block.number)
      const timeMs = Number(timestamp) * 1000
      const expected = { height, hash, parentHash, timeMs, timeEndMs: timeMs + 999, transfers }
      try {
        for (const each of watching(watched)) {
          assert.deepEqual(await reader.block(height, each), expected)
          assert.deepEqual(await reader.blocks(height, height, each), [expected])
        }
        for (const nobody of watching([])) assert.deepEqual((await reader.block(height, nobody))?.transfers, [])
      } finally {
        await reader.close()
      }
    })
  }

  test('are read in a range, the empty one and its child', async () => {
    serve(node, POLYGON, [POLYGON_9013766, POLYGON_9013767])
    const reader = ethereumReader([node.url], { token: USDC, chainId: POLYGON })
    try {
      const from = Number(POLYGON_9013766.number)
      const first = await reader.fresh(from, from + 1, watching([HOLDER])[0])
      assert.deepEqual(
        first.map(({ hash, transfers }) => [hash, transfers.length]),
        [
          [POLYGON_9013766.hash, 0],
          [POLYGON_9013767.hash, 1],
        ],
      )
    } finally {
      await reader.close()
    }
  })
})

function coin(txHash: string, index: number, toAddress: string): ObservedTransfer {
  return { txHash, index, toAddress, currency: '#native', amount: formatAmount(PAID_OUT) }
}

/** Makes the node one of this chain that has these blocks. */
function serve(node: ScriptedNode, chainId: number, blocks: readonly ChainBlock[]): void {
  node.quirk = ({ method, params }, own) => {
    const asked = blocks.find(({ number }) => number === params[0])
    switch (method) {
      case 'eth_chainId':
        return { result: `0x${chainId.toString(16)}` }
      case 'eth_getBlockByNumber':
        return asked === undefined ? own : { result: blockOf(asked) }
      case 'eth_getBlockReceipts':
        return asked === undefined ? own : { result: receiptsOf(asked) }
      case 'eth_getTransactionReceipt': {
        const receipts = blocks.flatMap(receiptsOf)
        return { result: receipts.find(({ transactionHash }) => transactionHash === params[0]) ?? null }
      }
      default:
        return own
    }
  }
}

function blockOf({ filter, transactions, more, ...header }: ChainBlock) {
  return {
    ...header,
    ...more,
    logsBloom: hexOf(filter),
    transactions: transactions.map(({ status: _status, logs: _logs, more: own, ...transaction }, i) => ({
      ...transaction,
      ...own,
      ...placeOf(header, i),
    })),
  }
}

function receiptsOf({ transactions, number, hash }: ChainBlock) {
  let logIndex = -1
  return transactions.map(({ hash: transactionHash, type, from, to, status, logs }, i) => {
    const place = { transactionHash, ...placeOf({ number, hash }, i) }
    const whole = logs.map((log) => {
      logIndex += 1
      return { data: '0x', ...log, ...place, logIndex: `0x${logIndex.toString(16)}`, removed: false }
    })
    return { ...place, type, from, to, status, logs: whole }
  })
}

function placeOf({ number, hash }: Pick<ChainBlock, 'number' | 'hash'>, i: number) {
  return { blockHash: hash, blockNumber: number, transactionIndex: `0x${i.toString(16)}` }
}

function hexOf(filter: readonly number[]): string {
  const bytes = Buffer.alloc(BLOOM_BYTES)
  for (const bit of filter)
    bytes[BLOOM_BYTES - 1 - (bit >> 3)] = (bytes[BLOOM_BYTES - 1 - (bit >> 3)] ?? 0) | (1 << (bit & 7))
  return `0x${bytes.toString('hex')}`
}
