import { Agent, request } from 'node:http'
import { Billhook } from '@billhook/client'
import { processorTimeOf } from '../../../bench/processor-time.js'
import type { ServiceProcess } from '../../support/service-process.js'

/** How often an app asks that is looked at (`packages/app/src/events/follower.ts`). */
const LOOK_MS = 2000
/** Others write invoices beside, so that it is seen what they wait. */
const OTHERS_MS = 50
const US_PER_MS = 1000

export interface OpenAppsRound {
  readonly apps: number
  /** Of one core, in percent. */
  readonly processorPercent: number
  /** Requests of the apps in a second, and those that were refused. */
  readonly looksPerSecond: number
  readonly refused: number
  /** Of the creations of others. */
  readonly creationP50Ms: number
  readonly creationP99Ms: number
}

export interface ShopWithWallet {
  readonly owner: string
  readonly walletId: string
}

/** What apps of a shop cost that are open and idle: each on a connection of its own, for a time. Another shop writes invoices beside. */
export async function openApps(
  service: ServiceProcess,
  { idle, other }: { readonly idle: ShopWithWallet; readonly other: ShopWithWallet },
  apps: number,
  seconds: number,
): Promise<OpenAppsRound> {
  const { hostname, port } = new URL(service.url)
  const shop = new Billhook({ url: service.url, owner: other.owner, attempts: 1 })
  const idleShop = new Billhook({ url: service.url, owner: idle.owner })
  // Apps go on behind the last event.
  await idleShop.createInvoice({ walletIds: [idle.walletId], name: 'Before', amount: amount(), currency: 'USDT' })
  let cursor = ''
  for await (const { id } of idleShop.listEvents()) cursor = id
  let looks = 0
  let refused = 0
  let isOver = false
  const look = (agent: Agent) =>
    new Promise<void>((resolve) => {
      const path = `/api/users/${idle.owner}/events?limit=1000&after=${cursor}`
      const sent = request({ hostname, port, path, agent }, (answer) => {
        looks += 1
        if (answer.statusCode !== 200) refused += 1
        answer.resume().on('end', resolve)
      })
      sent.on('error', () => {
        refused += 1
        resolve()
      })
      sent.end()
    })
  const openApp = async (at: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await pause((at / Math.max(apps, 1)) * LOOK_MS)
    while (!isOver) {
      const begunAt = performance.now()
      await look(agent)
      await pause(Math.max(0, LOOK_MS - (performance.now() - begunAt)))
    }
    agent.destroy()
  }
  const running = Array.from({ length: apps }, (_, at) => openApp(at))
  // All are connected, and what was compiled for the first ones is.
  await pause(2 * LOOK_MS)
  const [looksBefore, processorBefore, begunAt] = [looks, processorTimeOf(service.pid), performance.now()]
  const waits: number[] = []
  while (performance.now() - begunAt < seconds * 1000) {
    const sentAt = performance.now()
    await shop.createInvoice({ walletIds: [other.walletId], name: 'Beside', amount: amount(), currency: 'USDT' })
    waits.push(performance.now() - sentAt)
    await pause(OTHERS_MS)
  }
  const elapsedMs = performance.now() - begunAt
  const usedMs = (processorTimeOf(service.pid).allThreads - processorBefore.allThreads) / US_PER_MS
  const looksPerSecond = (looks - looksBefore) / (elapsedMs / 1000)
  isOver = true
  await Promise.all(running)
  waits.sort((a, b) => a - b)
  const quantile = (part: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * part))] ?? Number.NaN
  return {
    apps,
    processorPercent: (usedMs / elapsedMs) * 100,
    looksPerSecond,
    refused,
    creationP50Ms: quantile(0.5),
    creationP99Ms: quantile(0.99),
  }
}

let amounts = 0

/** One wallet takes each amount but once. */
function amount(): string {
  amounts += 1
  return `${amounts}.000001`
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
