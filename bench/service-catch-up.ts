import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { pushEvents } from '../test/chaos/http-client.js'
import { addressNumber } from '../test/support/ethereum-chain.js'
import { memoryOf, ServiceProcess } from '../test/support/service-process.js'
import { temporaryDirectory } from '../test/support/temporary-directory.js'

const WALLETS_PER_PUSH = 1000
const LOOK_PAUSE_MS = 10
/** The gauge of the last block that was read. */
export const CURSOR = /^billhook_network_cursor_block\{network="SEP"\} (\d+)$/m
const APPLIED = /^billhook_deposit_reports_total\{network="SEP",kind="confirmed",outcome="applied"\} (\d+)$/m

export interface ServiceCatchUp {
  readonly wallets: number
  readonly seconds: number
  readonly deposits: number
  /** The service's memory when it was ready. */
  readonly before: ReturnType<typeof memoryOf>
  /** The service's memory when it had caught up. */
  readonly after: ReturnType<typeof memoryOf>
}

/**
 * Measures how long a service takes from its start to the last block of a chain. Its first wallets are those of the
 * history.
 */
export async function measureServiceCatchUp(
  nodeUrl: string,
  token: string,
  to: number,
  wallets: number,
): Promise<ServiceCatchUp> {
  const place = temporaryDirectory()
  try {
    await addWallets(place.path, wallets)
    const metricsPort = String(20_000 + (process.pid % 20_000))
    const settings = {
      BILLHOOK_METRICS_PORT: metricsPort,
      BILLHOOK_SEP_URLS: nodeUrl,
      BILLHOOK_SEP_TOKEN: token,
      BILLHOOK_SEP_START: '0',
      BILLHOOK_SEP_CONFIRMATIONS: '1',
    }
    const startedMs = performance.now()
    const service = await ServiceProcess.start(place.path, settings)
    const pid = service.child.pid ?? 0
    const before = memoryOf(pid)
    let text = ''
    while (Number(CURSOR.exec(text)?.[1] ?? -1) < to) {
      await pause(LOOK_PAUSE_MS)
      text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    }
    const seconds = (performance.now() - startedMs) / 1000
    const after = memoryOf(pid)
    await service.end('SIGTERM')
    return { wallets, seconds, deposits: Number(APPLIED.exec(text)?.[1]), before, after }
  } finally {
    place.remove()
  }
}

/** Wallets with the first addresses of `addressNumber`, assigned to one owner. */
export async function addWallets(data: string, count: number): Promise<void> {
  const service = await ServiceProcess.start(data)
  for (let from = 0; from < count; from += WALLETS_PER_PUSH) {
    const events = Array.from({ length: Math.min(WALLETS_PER_PUSH, count - from) }, (_, i) => {
      const wallet = { id: `wallet-${from + i}`, address: addressNumber(from + i), network: 'SEP' }
      return { id: wallet.id, type: 'wallet.assigned', wallet, owner: 'alice' }
    })
    assert.equal((await pushEvents(service.url, events))?.status, 200)
  }
  await service.end('SIGTERM')
}
