import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { pushEvents } from '../chaos/http-client.js'
import { addressNumber } from '../support/ethereum-chain.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const WALLETS_PER_PUSH = 1000
const LOOK_PAUSE_MS = 10
/** Of the gauge that the last block's height is read from. */
const CURSOR = /^billhook_network_cursor_block\{network="SEP"\} (\d+)$/m
const APPLIED = /^billhook_deposit_reports_total\{network="SEP",kind="confirmed",outcome="applied"\} (\d+)$/m
const BYTES_PER_KIB = 1024

export interface ServiceCatchUp {
  readonly wallets: number
  readonly seconds: number
  readonly deposits: number
  /** Of the service before it watched, and when it had caught up: all, and its own without the database file. */
  readonly residentBytesBefore: number
  readonly residentBytes: number
  readonly ownBytes: number
}

/**
 * How long a service of its own process takes from its first block to the last of a chain, with so many wallets: the first
 * of them are those of the history.
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
    const residentBytesBefore = memoryOf(pid, 'VmRSS')
    let text = ''
    while (Number(CURSOR.exec(text)?.[1] ?? -1) < to) {
      await pause(LOOK_PAUSE_MS)
      text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    }
    const seconds = (performance.now() - startedMs) / 1000
    const memory = { residentBytes: memoryOf(pid, 'VmRSS'), ownBytes: memoryOf(pid, 'RssAnon') }
    await service.end('SIGTERM')
    return { wallets, seconds, deposits: Number(APPLIED.exec(text)?.[1]), residentBytesBefore, ...memory }
  } finally {
    place.remove()
  }
}

async function addWallets(data: string, count: number): Promise<void> {
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

function memoryOf(pid: number, name: 'VmRSS' | 'RssAnon'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * BYTES_PER_KIB
}
