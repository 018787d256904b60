import { setTimeout as pause } from 'node:timers/promises'
import { GATEWAY_SECRET } from '../support/service-fixture.js'
import { memoryOf, NODE_FLAGS, ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { pushEvents } from './http-client.js'
import { type LongChain, LongNode } from './long-chain.js'
import { LongEvm } from './long-evm.js'
import { LongTron } from './long-tron.js'
import type { ScenarioOptions } from './overload.js'

/** Above the service that waits for the block. */
const MEMORY_MAX_MIB = 64
const LONG_HEIGHT = 12
const LOOK_MS = 5
const STEP_MS = 250
const IDLE_LOOKS = 40
const MIB = 2 ** 20
const CURSOR = /^billhook_network_cursor_block\{.*\} (\d+)$/m

/** In each case one answer, at least, has 200 MB. */
const CHAINS: readonly (readonly [name: string, chainOf: () => LongChain])[] = [
  ['500,000 transactions', () => new LongEvm({ height: LONG_HEIGHT, transactions: 500_000, logs: 0 })],
  ['373,000 logs of one transaction', () => new LongEvm({ height: LONG_HEIGHT, transactions: 2, logs: 373_000 })],
  [
    '250,000 transactions and 200,000 logs',
    () => new LongEvm({ height: LONG_HEIGHT, transactions: 250_000, logs: 200_000 }),
  ],
  ['720,000 logs of one transaction on TRON', () => new LongTron({ height: LONG_HEIGHT, logs: 720_000 })],
]

/** A service whose node has a block of 200 MB of JSON reads it, finds what is paid in it, and takes little memory for it. */
export async function longAnswers({ verdicts, say }: Pick<ScenarioOptions, 'verdicts' | 'say'>): Promise<void> {
  for (const [name, chainOf] of CHAINS) {
    const { beforeMib, mostMib, longestMib, seconds } = await read(chainOf())
    const figures = `${beforeMib.toFixed(0)} MiB before, at most ${(mostMib - beforeMib).toFixed(0)} more`
    say(`${name}: answers of up to ${longestMib.toFixed(0)} MiB, ${seconds.toFixed(1)} s, own memory ${figures}`)
    verdicts.judge(`${name}: at most ${MEMORY_MAX_MIB} MiB`, mostMib - beforeMib <= MEMORY_MAX_MIB)
  }
}

/** Resolves when the payments of the long block are confirmed. */
async function read(chain: LongChain) {
  const confirmed = new RegExp(
    `^billhook_deposit_reports_total\\{network="${chain.network}",kind="confirmed",outcome="applied"\\} ${chain.payments}$`,
    'm',
  )
  const place = temporaryDirectory()
  const node = await LongNode.start(chain)
  const service = await ServiceProcess.launch({
    data: place.path,
    nodeFlags: NODE_FLAGS,
    environment: {
      BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET,
      BILLHOOK_VERIFY_THREADS: '1',
      BILLHOOK_LOG: 'warn',
      BILLHOOK_METRICS_PORT: '0',
      ...chain.settings(node.url),
    },
  })
  try {
    const wallet = { id: 'wallet-1', address: chain.wallet, network: chain.network }
    await pushEvents(service.url, [{ id: 'wallet-1', type: 'wallet.assigned', wallet, owner: 'alice' }])
    while (chain.latest < LONG_HEIGHT - 1) {
      await pause(STEP_MS)
      chain.latest += 1
    }
    let beforeMib = 0
    for (let i = 0; i < IDLE_LOOKS; i += 1) {
      await pause(LOOK_MS)
      beforeMib = Math.max(beforeMib, memoryOf(service.pid).own)
    }
    const startedMs = performance.now()
    chain.latest += 1
    let mostMib = 0
    let lookedMs = startedMs
    for (;;) {
      await pause(LOOK_MS)
      mostMib = Math.max(mostMib, memoryOf(service.pid).own)
      if (performance.now() - lookedMs < STEP_MS) continue
      lookedMs = performance.now()
      const text = await (await fetch(`${service.metricsUrl}`)).text()
      if (confirmed.test(text)) break
      if (Number(CURSOR.exec(text)?.[1] ?? 0) >= chain.latest) chain.latest += 1
    }
    return { beforeMib, mostMib, longestMib: node.longestBytes / MIB, seconds: (performance.now() - startedMs) / 1000 }
  } finally {
    await service.stop()
    node.close()
    place.remove()
  }
}
