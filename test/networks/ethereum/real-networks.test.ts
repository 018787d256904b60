import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { NodeUnavailable } from '../../../src/networks/network-reader.js'
import { PAUSE_MAX_MS } from '../../../src/networks/node/endpoint.js'
import { anvilAbsence } from '../../support/anvil.js'
import { addressNumber, EthereumChain, hex } from '../../support/ethereum-chain.js'
import { type Fault, FaultyProxy } from '../../support/faulty-proxy.js'
import { ManualClock } from '../../support/manual-clock.js'
import { certain, ethereumReader, type ReaderVariant, tether, transfersOf, watching } from './fixture.js'

/** Blocks of the chain: a pruned history ends well below its head. */
const BLOCKS = 400
const PRUNED_BELOW = 237
/** A minute later than the head of the chain. */
const LATER_MS = 60_000

const ours = addressNumber(1)
const [named] = watching([ours])

describe('the Ethereum reader with what real nodes do', { skip: anvilAbsence }, () => {
  let chain: EthereumChain
  let proxy: FaultyProxy
  let token: string
  let clock: ManualClock

  before(async () => {
    chain = await EthereumChain.start(['--slots-in-an-epoch', '4'])
    token = await chain.deployToken()
    await chain.node.call('anvil_mine', hex(BigInt(BLOCKS)), '0x2')
    proxy = await FaultyProxy.start(chain.node.url)
  })
  after(async () => {
    await proxy?.close()
    await chain?.stop()
  })
  beforeEach(async () => {
    proxy.fault = {}
    proxy.requests = 0
    const head = await chain.block(await chain.height())
    clock = new ManualClock(Number(head?.timestamp) * 1000)
  })

  async function withReader(
    variant: Partial<ReaderVariant>,
    use: (reader: ReturnType<typeof ethereumReader>) => Promise<void>,
    urls: readonly string[] = [proxy.url],
  ): Promise<void> {
    const reader = ethereumReader(urls, { token, clock, ...variant })
    try {
      await use(reader)
    } finally {
      await reader.close()
    }
  }

  for (const tag of ['safe', 'finalized'] as const) {
    test(`takes ${tag} blocks for confirmed`, async () => {
      const block = (await chain.node.call('eth_getBlockByNumber', tag, false)) as { number: string }
      await withReader({ confirmation: tag }, async (reader) => {
        const { latest, confirmed } = await reader.head()
        assert.equal(confirmed, Number(block.number))
        assert.ok(confirmed > 0 && confirmed < latest)
      })
    })

    const lacking: readonly [string, { result: null } | { error: { code: number; message: string } }][] = [
      ['has none', { result: null }],
      ['refuses the tag', { error: { code: -32602, message: `invalid block tag ${tag}` } }],
    ]
    for (const [what, end] of lacking) {
      test(`says what is wrong with a node that ${what} where ${tag} confirms, and uses another`, async () => {
        proxy.fault = { alter: ({ params }, own) => (params[0] === tag ? end : own) }
        await withReader({ confirmation: tag }, async (reader) => {
          await assert.rejects(reader.head(), (error) => {
            assert.ok(error instanceof NodeUnavailable)
            assert.equal(error.problem?.reason, 'no_finality')
            assert.match(error.problem.message, new RegExp(`tag "${tag}"`))
            return true
          })
          assert.equal(reader.endpoints()[0]?.problem?.reason, 'no_finality')
          proxy.fault = {}
          clock.advance(PAUSE_MAX_MS)
          await reader.head()
          assert.equal(reader.endpoints()[0]?.problem, null)
        })
        proxy.fault = { alter: ({ params }, own) => (params[0] === tag ? end : own) }
        await withReader(
          { confirmation: tag },
          async (reader) => {
            assert.ok((await reader.head()).confirmed > 0)
            assert.deepEqual(
              reader.endpoints().map(({ problem }) => problem?.reason ?? null),
              ['no_finality', null],
            )
          },
          [proxy.url, chain.node.url],
        )
      })
    }
  }

  const pruned: readonly [name: string, fault: Fault][] = [
    ['blocks', { alter: ({ method, params }, end) => (isOld(method, params) ? { result: null } : end) }],
    [
      'blocks, by an error,',
      {
        alter: ({ method, params }, end) =>
          isOld(method, params) ? { error: { code: 4444, message: 'pruned history unavailable' } } : end,
      },
    ],
    [
      'receipts',
      {
        alter: ({ method, params }, end) => {
          if (method === 'eth_getLogs') return { result: [] }
          const isReceipt = method === 'eth_getTransactionReceipt'
          return isReceipt || (method === 'eth_getBlockReceipts' && isOld(method, params)) ? { result: null } : end
        },
      },
    ],
  ]
  function isOld(method: string, params: readonly unknown[]): boolean {
    return /^eth_getBlock/.test(method) && Number(params[0]) < PRUNED_BELOW
  }
  for (const [name, fault] of pruned) {
    test(`says from which height on a node has its ${name} where it has pruned them`, async () => {
      proxy.fault = fault
      // The token was deployed in the first block, so the second has a log of it.
      const [, unnamed] = watching([ours])
      await withReader({}, async (reader) => {
        await assert.rejects(reader.blocks(2, 5, unnamed), (error) => {
          assert.ok(error instanceof NodeUnavailable)
          assert.equal(error.problem?.reason, 'pruned', error.message)
          assert.match(error.problem.message, new RegExp(`begins at block ${PRUNED_BELOW}, and block 2 is needed`))
          return true
        })
        clock.advance(PAUSE_MAX_MS)
        const blocks = await reader.blocks(PRUNED_BELOW, PRUNED_BELOW + 3, unnamed)
        assert.equal(blocks[0]?.height, PRUNED_BELOW)
        assert.equal(reader.endpoints()[0]?.problem, null)
      })
    })
  }

  test('a node that lacks a block near its head has not pruned it', async () => {
    const height = await chain.height()
    proxy.fault = {
      alter: ({ method, params }, end) =>
        method === 'eth_getBlockByNumber' && params[0] === hex(BigInt(height - 5)) ? { result: null } : end,
    }
    await withReader({}, async (reader) => {
      await assert.rejects(reader.blocks(height - 5, height, named), (error) => {
        assert.ok(error instanceof NodeUnavailable)
        assert.equal(error.problem, null)
        return true
      })
    })
  })

  test('several new blocks are read at once, as far as the node has them and they follow each other', async () => {
    const height = await chain.height()
    await withReader({}, async (reader) => {
      const heights = async (from: number, to: number) =>
        (await reader.fresh(from, to, named)).map((block) => block.height)
      assert.deepEqual(await heights(height - 3, height), [height - 3, height - 2, height - 1, height])
      assert.deepEqual(await heights(height - 1, height + 5), [height - 1, height])
      assert.deepEqual(await heights(height + 1, height + 5), [])
      const all = await reader.fresh(height - 3, height, named)
      assert.deepEqual(all, await reader.blocks(height - 3, height, named))
      proxy.fault = {
        alter: ({ method, params }, end) =>
          method === 'eth_getBlockByNumber' && params[0] === hex(BigInt(height - 1)) && 'result' in end
            ? { result: { ...(end.result as object), parentHash: `0x${'ab'.repeat(32)}` } }
            : end,
      }
      assert.deepEqual(await heights(height - 3, height), [height - 3, height - 2], 'another branch')
    })
  })

  test('a refusal for the rate is no failure of the node, and nothing is asked during its pause', async () => {
    const limited = { code: -32005, message: 'rate limited', data: { rate: { backoff_seconds: 30 } } }
    proxy.fault = { alter: () => ({ error: limited }) }
    await withReader({}, async (reader) => {
      assert.equal(await certain(reader.blocks(1, 50, named)), null)
      assert.equal(proxy.requests, 1)
      assert.deepEqual([reader.endpoints()[0]?.limited, reader.endpoints()[0]?.failures], [1, 0])
      assert.equal(reader.problem()?.reason, 'limited')
      clock.advance(30_000)
      assert.equal(await certain(reader.blocks(1, 50, named)), null)
      assert.equal(proxy.requests, 1)
    })
  })

  test('a network whose newest block grows old is stalled, and a node alone when another goes on', async () => {
    await withReader(
      {},
      async (reader) => {
        await reader.head()
        assert.equal(reader.problem(), null)
        // Only now the second is asked too.
        clock.advance(10 * LATER_MS)
        await reader.head()
        assert.deepEqual(
          [reader.problem()?.reason, ...reader.endpoints().map(({ problem }) => problem?.reason)],
          ['stalled', 'stalled', 'stalled'],
        )
        assert.match(reader.problem()?.message ?? '', /newest block of SEP is 600 s old/)
      },
      [proxy.url, chain.node.url],
    )
    const standing = Number((await chain.block(10))?.timestamp) * 1000
    proxy.fault = {
      alter: async ({ method, params }, end, forward) =>
        method === 'eth_getBlockByNumber' && params[0] === 'latest'
          ? { result: await forward(method, ['0xa', false]) }
          : end,
    }
    await withReader(
      { clock: new ManualClock(standing + 200_000) },
      async (reader) => {
        assert.equal((await reader.head()).latest, await chain.height())
        assert.equal(reader.problem(), null)
        assert.deepEqual(
          reader.endpoints().map(({ problem }) => problem?.reason ?? null),
          ['stalled', null],
        )
      },
      [proxy.url, chain.node.url],
    )
  })

  test('behind a balancer: what one of its nodes lacks is read from it later, and never counts as nothing', async () => {
    const hash = await chain.sendCall(token, 'transfer(address,uint256)', [ours, 5n])
    await chain.mine()
    const height = await chain.height()
    const truth = [tether(hash, 1, ours, 5n)]
    const later: readonly [string, Fault][] = [
      [
        'the head goes back',
        {
          alter: async ({ method, params }, end, forward) =>
            method === 'eth_getBlockByNumber' && params[0] === 'latest'
              ? { result: await forward(method, [hex(BigInt(height - 3)), false]) }
              : end,
        },
      ],
      ['no block yet', { alter: ({ params }, end) => (params[0] === hex(BigInt(height)) ? { result: null } : end) }],
      ['no receipts yet', { alter: ({ method }, end) => (method === 'eth_getBlockReceipts' ? { result: null } : end) }],
      [
        'receipts without logs yet',
        {
          alter: ({ method }, end) =>
            method === 'eth_getBlockReceipts' && 'result' in end
              ? { result: (end.result as object[]).map((receipt) => ({ ...receipt, logs: [] })) }
              : end,
        },
      ],
    ]
    for (const [name, fault] of later) {
      await withReader({ confirmation: 1 }, async (reader) => {
        assert.equal((await reader.head()).latest, height)
        proxy.fault = fault
        const head = await certain(reader.head())
        const block = await certain(reader.block(height, named))
        if (block !== null && block.value !== null) assert.deepEqual(block.value.transfers, truth, name)
        const range = await certain(reader.blocks(height, height, named))
        if (range !== null) assert.deepEqual(transfersOf(range.value), truth, name)
        assert.ok((head?.value.latest ?? height) <= height)
        proxy.fault = {}
        clock.advance(PAUSE_MAX_MS)
        assert.deepEqual((await reader.block(height, named))?.transfers, truth, name)
      })
    }
  })
})
