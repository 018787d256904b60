import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { addressNumber } from '../test/support/ethereum-chain.js'
import { memoryOf, ServiceProcess } from '../test/support/service-process.js'
import { temporaryDirectory } from '../test/support/temporary-directory.js'
import { Child } from './child.js'
import { processorTimeOf } from './processor-time.js'
import { CHAIN_ID, TOKEN } from './second-layer/chain.js'
import type { NodeTask } from './second-layer/node-child.js'
import { addWallets, CURSOR } from './service-catch-up.js'

/*
 * Measures how fast a whole service reads and records full blocks of a second layer: first confirmed ones, then as many that
 * wait for their finality. The node, which makes the blocks up, runs on the same machine.
 *
 *     node dist/bench/second-layer.js [--blocks 2000] [--transfers 200] [--wallets 1000]
 */

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '2000' },
    transfers: { type: 'string', default: '200' },
    wallets: { type: 'string', default: '1000' },
  },
})

const LOOK_PAUSE_MS = 10
const BLOCKS_PER_SECOND = 4
const blocks = Number(values.blocks)
const count = Number(values.wallets)

const task: NodeTask = {
  transfersPerBlock: Number(values.transfers),
  wallets: Array.from({ length: count }, (_, i) => addressNumber(i)),
  height: 2 * blocks,
  blocksPerSecond: BLOCKS_PER_SECOND,
  unfinalized: blocks,
}
const place = temporaryDirectory()
const node = Child.start('./second-layer/node-child.js', task)
try {
  const { url } = await node.message<{ readonly url: string }>()
  await addWallets(place.path, count)
  const metricsPort = String(20_000 + (process.pid % 20_000))
  const service = await ServiceProcess.start(place.path, {
    BILLHOOK_METRICS_PORT: metricsPort,
    BILLHOOK_SEP_URLS: url,
    BILLHOOK_SEP_TOKEN: TOKEN,
    BILLHOOK_SEP_CHAIN_ID: String(CHAIN_ID),
    BILLHOOK_SEP_START: '1',
    BILLHOOK_SEP_CONFIRMATIONS: 'finalized',
    BILLHOOK_SEP_POLL_MS: '1000',
  })
  const cursor = async (): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    return Number(CURSOR.exec(text)?.[1] ?? 0)
  }
  const pid = service.child.pid ?? 0
  /** Blocks a second until the service has read a height, and the time of its main thread for each. */
  const rateUntil = async (height: number): Promise<string> => {
    const from = await cursor()
    const startedMs = performance.now()
    const { mainThread } = processorTimeOf(pid)
    let at = from
    for (; at < height; at = await cursor()) await pause(LOOK_PAUSE_MS)
    const perSecond = ((at - from) * 1000) / (performance.now() - startedMs)
    const ms = (processorTimeOf(pid).mainThread - mainThread) / 1000 / (at - from)
    return `${perSecond.toFixed(0)} blocks/s, ${ms.toFixed(2)} ms of the main thread a block`
  }
  const confirmed = await rateUntil(blocks)
  const unconfirmed = await rateUntil(2 * blocks)
  const { own } = memoryOf(pid)
  await service.end('SIGTERM')
  process.stdout.write(
    `${blocks} confirmed blocks of ${values.transfers} transfers: ${confirmed}\n` +
      `${blocks} unconfirmed ones: ${unconfirmed}\nown memory ${own.toFixed(0)} MiB\n`,
  )
} finally {
  await node.stop()
  place.remove()
}
