import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { WalletCommand } from '../src/store/commands.js'
import type { Store } from '../src/store/store.js'
import { START_MS } from '../test/support/manual-clock.js'
import { administer } from '../test/support/postgres-database.js'
import { openBenchDatabase, openBenchStore, SteppingClock } from './bench-store.js'
import { wallet } from './merchants.js'
import {
  EXPIRY_SECONDS,
  OPTIONS,
  type OrderCost,
  type OrderCostTask,
  orderOf,
  plainOf,
  type WorkTime,
  walletsOf,
} from './order-cost.js'
import { argument, tell } from './parent.js'

/*
 * Measures what orders, or as many plain invoices as they have options, cost a store: in a process of its own, so that its memory is theirs
 * alone.
 */

const INVOICES_AT_ONCE = 250
const PAGE = 100
const KIB = 1024
const MIB = KIB * KIB
const MS_PER_SECOND = 1000
const US_PER_MS = 1000

const task = argument<OrderCostTask>()
const wallets = walletsOf(task)
const clock = new SteppingClock(0, START_MS)
const store = await openStore()
const cost = await measure()
await store.close()
tell(cost)

async function measure(): Promise<OrderCost> {
  await addWallets()
  const before = ownMemoryMib()
  const isOrders = task.kind === 'orders'
  const ids: string[] = []
  const create = await timed(async () => {
    const atOnce = isOrders ? INVOICES_AT_ONCE / OPTIONS : INVOICES_AT_ONCE
    const count = isOrders ? task.orders : task.orders * OPTIONS
    for (let from = 0; from < count; from += atOnce) {
      const numbers = Array.from({ length: Math.min(atOnce, count - from) }, (_, n) => from + n)
      ids.push(
        ...(await perform(numbers.map((n): WalletCommand => (isOrders ? orderOf(n, wallets) : plainOf(n, wallets))))),
      )
    }
  })
  const afterCreation = ownMemoryMib()
  const read = await timed(async () => {
    for (const id of ids) {
      const found = isOrders ? await store.orders.findWithOptions(id) : await store.invoices.findWithPayment(id)
      if (found === undefined) throw new Error('what was created is lost')
    }
  })
  const listed = await timed(list)
  const afterReads = ownMemoryMib()
  const diskMib = (await bytesOnDisk()) / MIB
  clock.current += EXPIRY_SECONDS * MS_PER_SECOND
  const expire = await timed(async () => {
    while (await store.commands.catchUp());
  })
  await assertExpired(ids)
  const memoryMib = Math.max(afterCreation, afterReads, ownMemoryMib()) - before
  return { create, read, listed, expire, memoryMib, diskMib }
}

async function list(): Promise<void> {
  for (const owner of new Set(wallets.map((one) => one.owner))) {
    let after: string | null = null
    do {
      const page: { readonly next: string | null } =
        task.kind === 'orders'
          ? await store.orders.page(owner, { after, limit: PAGE / OPTIONS }, { orderNumber: null })
          : await store.invoices.pageWithPayment(owner, { after, limit: PAGE })
      after = page.next
    } while (after !== null)
  }
}

/** The first, the last and some between. */
async function assertExpired(ids: readonly string[]): Promise<void> {
  for (const id of [ids[0], ids[Math.floor(ids.length / 2)], ids.at(-1)]) {
    const found =
      task.kind === 'orders'
        ? (await store.orders.find(id ?? ''))?.voidedAt
        : (await store.invoices.findWithPayment(id ?? ''))?.voidedAt
    if (typeof found !== 'number') throw new Error('something has not expired')
  }
}

async function perform(commands: readonly WalletCommand[]): Promise<readonly string[]> {
  return (await store.commands.perform(commands)).map((fate) => {
    if (fate.status === 'rejected') throw fate.reason
    const { value } = fate
    if (value.type === 'order' && value.outcome.ok) return value.outcome.value.order.id
    if (value.type === 'invoice' && value.outcome.ok) return value.outcome.value.id
    throw new Error(`it was not created: ${JSON.stringify(value)}`)
  })
}

async function addWallets(): Promise<void> {
  for (let from = 0; from < wallets.length; from += INVOICES_AT_ONCE) {
    const facts = wallets.slice(from, from + INVOICES_AT_ONCE).map(({ id, owner }) => {
      const { address, network } = wallet(id, owner)
      return { eventId: null, fact: { type: 'wallet.assigned', id, address, network, owner } as const }
    })
    await store.ledger.applyFacts(facts)
  }
}

async function bytesOnDisk(): Promise<number> {
  if (task.store === 'lmdb') return statSync(join(task.place, 'data.mdb')).size
  await administer(task.place, 'VACUUM')
  const [row] = await administer(task.place, 'SELECT pg_database_size(current_database())::text AS bytes')
  return Number((row as { readonly bytes: string }).bytes)
}

function openStore(): Promise<Store> {
  return task.store === 'lmdb' ? openBenchStore(task.place, clock) : openBenchDatabase(task.place, clock)
}

/** Both times of some work, in ms: of the clock, and of the processor in this process. */
async function timed(work: () => Promise<void>): Promise<WorkTime> {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { wall: performance.now() - startedAt, processor: (user + system) / US_PER_MS }
}

/** Without the mapped pages of the database file, as the kernel of Linux tells it. */
function ownMemoryMib(): number {
  return Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? Number.NaN) / KIB
}
