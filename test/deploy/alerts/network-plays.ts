import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { CONFIRMATIONS, unreadable, WatchedChain } from '../../service/watched-chain.js'
import { anvilAbsence } from '../../support/anvil.js'
import { ownWallet, type Plays, quiet, SECOND_MS, scrapeUntil } from './play.js'
import { Watched } from './watched.js'

/** Nobody listens there. */
const DEAD_URL = 'http://127.0.0.1:1'
const TOKENS = {
  BILLHOOK_SEP_TOKEN: `0x${'12'.repeat(20)}`,
  BILLHOOK_TRX_NILE_TOKEN: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
}

export const networkPlays: Plays = {
  'a network of which no node has ever answered': {
    alerts: ['BillhookNetworkBehind', 'BillhookNodeUnused'],
    play: async (t) => {
      const watched = await Watched.start(t, { BILLHOOK_SEP_URLS: DEAD_URL, ...TOKENS })
      await watched.scrape()
      assert.ok(!watched.firing().includes('BillhookNetworkBehind'))
      watched.pass(301 * SECOND_MS)
      await watched.scrape()
      return watched
    },
  },
  'a network whose only node is of another one': {
    alerts: ['BillhookNetworkStopped', 'BillhookNodeUnfit'],
    play: async (t) => {
      const url = await serve(t, (_, response) =>
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x1' })),
      )
      const settings = { BILLHOOK_SEP_URLS: url, BILLHOOK_TRX_NILE_URLS: DEAD_URL, ...TOKENS }
      const watched = await Watched.start(t, settings)
      await scrapeUntil(watched, 'billhook_endpoint_problem', {}, 1)
      return watched
    },
  },
  'a network that stands still': {
    alerts: ['BillhookNetworkStalled'],
    skip: anvilAbsence,
    play: async (t) => {
      const { watched } = await watchedChain(t)
      watched.pass(181 * SECOND_MS)
      await scrapeUntil(watched, 'billhook_network_problem', { reason: 'stalled' }, 1)
      return watched
    },
  },
  'a network that does not get past a block': {
    alerts: ['BillhookNetworkStanding'],
    skip: anvilAbsence,
    play: async (t) => {
      const { watched, world } = await watchedChain(t)
      world.proxy.fault = {
        alter: ({ params }, end) => (params[1] === true ? { error: { code: -32_000, message: 'no' } } : end),
      }
      await world.chain.mine(CONFIRMATIONS)
      await scrapeUntil(watched, 'billhook_endpoint_used', {}, 0)
      watched.pass(61 * SECOND_MS)
      await scrapeUntil(watched, 'billhook_degraded', { reason: 'network_standing' }, 1)
      return watched
    },
  },
  'a network that goes on without a block': {
    alerts: ['BillhookBlocksSetAside'],
    skip: anvilAbsence,
    play: async (t) => {
      const { watched, world } = await watchedChain(t, () => ({ BILLHOOK_SKIP_AFTER: '1' }))
      const height = (await world.chain.height()) + 1
      // Before the block is there, so that nobody reads it in time.
      world.proxy.fault = { answer: (response) => !!response.destroy() }
      await world.chain.mine()
      const block = await world.chain.block(height)
      world.proxy.fault = unreadable(height, String(block?.hash))
      await world.chain.mine(CONFIRMATIONS)
      await scrapeUntil(watched, 'billhook_blocks_set_aside', { network: 'SEP' }, 1)
      return watched
    },
  },
  'two nodes that disagree': {
    alerts: ['BillhookNodesDisagree'],
    skip: anvilAbsence,
    play: async (t) => {
      const { watched, world } = await watchedChain(t, (one) => ({
        BILLHOOK_SEP_URLS: `${one.chain.node.url},${one.proxy.url}`,
      }))
      world.proxy.fault = {
        alter: ({ method, params }, end) =>
          method === 'eth_getBlockByNumber' && params[1] === false && params[0] !== 'latest' && 'result' in end
            ? { result: { ...(end.result as object), hash: `0x${'ab'.repeat(32)}` } }
            : end,
      }
      await world.chain.mine(CONFIRMATIONS + 1)
      await scrapeUntil(watched, 'billhook_network_problem', { reason: 'disagreement' }, 1)
      return watched
    },
  },
  'a reorganisation of confirmed blocks': {
    alerts: ['BillhookConfirmedBlocksGone'],
    skip: anvilAbsence,
    play: async (t) => {
      const { watched, world } = await watchedChain(t)
      // While there is no wallet, no block is kept that could be undone.
      await ownWallet(watched)
      await world.chain.mine(CONFIRMATIONS + 3)
      await scrapeUntil(watched, 'billhook_network_cursor_block', {}, await world.chain.height())
      await world.chain.node.call('anvil_reorg', CONFIRMATIONS + 2, [])
      await world.chain.mine()
      await watched.scrapeUntil((samples) =>
        samples.some(({ name, value }) => name === 'billhook_network_confirmed_blocks_undone_total' && value > 0),
      )
      return watched
    },
  },
  'a node that leaves transfers out until their block is confirmed, without a trace': {
    alerts: ['BillhookIncompleteBlocks'],
    skip: anvilAbsence,
    play: async (t) => {
      const { watched, world } = await watchedChain(t)
      await world.openInvoice(watched.fixture.url, '25')
      await world.pay(25n)
      world.proxy.fault = { alter: (_, end) => ('result' in end ? { result: withoutLogs(end.result) } : end) }
      const height = (await world.chain.height()) + 1
      await world.chain.mine()
      await scrapeUntil(watched, 'billhook_network_cursor_block', {}, height)
      world.proxy.fault = {}
      await world.chain.mine(CONFIRMATIONS)
      await scrapeUntil(watched, 'billhook_network_repairs_total', {}, 1)
      return watched
    },
  },
  'a node that refuses most calls, because there are too many': {
    alerts: ['BillhookNetworkLimited'],
    skip: anvilAbsence,
    play: async (t) => {
      const { watched, world } = await watchedChain(t)
      let requests = 0
      world.proxy.fault = {
        answer: (response) => ++requests % 3 !== 0 && !!response.writeHead(429, { 'Retry-After': '1' }).end(),
      }
      await scrapeUntil(watched, 'billhook_network_problem', { reason: 'limited' }, 1)
      return watched
    },
  },
}

/** A service that has read all of a chain. */
async function watchedChain(
  t: TestContext,
  more: (world: WatchedChain) => Readonly<Record<string, string>> = () => ({}),
) {
  const world = await WatchedChain.start(t)
  await world.chain.mine(CONFIRMATIONS + 3)
  const watched = await Watched.start(t, world.environment(more(world)))
  await scrapeUntil(watched, 'billhook_network_lag_blocks', {}, 0)
  assert.deepEqual(quiet(watched), [])
  watched.pass(1)
  return { watched, world }
}

/** A block or receipts as of a block in which no contract has logged anything. */
function withoutLogs(value: unknown): unknown {
  const told = JSON.stringify(value, (name, one) => {
    if (name === 'logsBloom') return `0x${'00'.repeat(256)}`
    return name === 'logs' ? [] : one
  })
  return JSON.parse(told)
}

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
