import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createDatabase } from '../test/support/postgres-harness.js'
import { PostgresServer } from '../test/support/postgres-server.js'
import { temporaryDirectory } from '../test/support/temporary-directory.js'
import { chooseLoadGenerator } from './load/choose-load-generator.js'
import { OPTIONS, type OrderCost, type OrderCostTask, orderCost } from './order-cost.js'
import { OrderRates } from './order-rates.js'
import { MEASURED_SETTINGS } from './ordinary/postgres.js'
import { plainNumber } from './report-parts/figure.js'
import { median } from './results.js'
import { say } from './service-process.js'

/*
 * Measures on both engines what orders cost beside plain invoices, in turns: orders of ten options beside ten times as many invoices, in
 * the store alone; and how many signed orders of three options a service creates in a second.
 *
 *     node dist/bench/orders.js [--orders 10000] [--wallets 5000] [--rounds 3] [--warm-up 1] [--seconds 4] [--store lmdb|postgres]
 *       [--only cost|rate]
 */

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '10000' },
    wallets: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '3' },
    'warm-up': { type: 'string', default: '1' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '256' },
    store: { type: 'string' },
    only: { type: 'string' },
  },
})

const rounds = Number(values.rounds)
const wallets = Number(values.wallets)
const STORES = (['lmdb', 'postgres'] as const).filter((store) => values.store === undefined || values.store === store)
const TIMES = { create: 'created', read: 'read one by one', listed: 'listed', expire: 'expired' } as const
const SIZES = { memoryMib: 'memory, MiB', diskMib: 'on disk, MiB' } as const

const directory = temporaryDirectory()
const server = STORES.includes('postgres')
  ? await PostgresServer.start({ isDurable: true, settings: MEASURED_SETTINGS })
  : null
try {
  for (const store of STORES) {
    if (values.only !== 'rate') await compareCosts(store)
    if (values.only !== 'cost') await compareRates(store)
  }
} finally {
  await server?.stop()
  directory.remove()
}

async function compareCosts(store: OrderCostTask['store']): Promise<void> {
  const orders = Number(values.orders)
  say(`${store}: ${orders} orders of ${OPTIONS} options beside ${orders * OPTIONS} plain invoices`)
  const of = { invoices: [] as OrderCost[], orders: [] as OrderCost[] }
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of ['invoices', 'orders'] as const) {
      const place = await placeFor(store, `${kind}-${round}`)
      of[kind].push(await orderCost({ store, kind, orders, wallets, place }))
      if (store === 'lmdb') rmSync(place, { recursive: true })
    }
  }
  const compare = (words: string, figureOf: (cost: OrderCost) => number) =>
    sayRatio(words, median(of.orders.map(figureOf)), median(of.invoices.map(figureOf)))
  // The entries of a record have its names.
  for (const [name, words] of Object.entries(TIMES) as [keyof typeof TIMES, string][]) {
    compare(`${words}, ms`, (cost) => cost[name].wall)
    compare(`${words}, ms of the processor`, (cost) => cost[name].processor)
  }
  for (const [name, words] of Object.entries(SIZES) as [keyof typeof SIZES, string][]) {
    compare(words, (cost) => cost[name])
  }
}

async function compareRates(store: OrderCostTask['store']): Promise<void> {
  say(`${store}: signed creations in a second, of orders of three options beside plain invoices`)
  const rates = new OrderRates({
    directory: directory.path,
    loadGenerator: chooseLoadGenerator(),
    warmUpSeconds: Number(values['warm-up']),
    seconds: Number(values.seconds),
    connections: Number(values.connections),
    wallets,
  })
  const of = { invoices: [] as number[], orders: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of ['invoices', 'orders'] as const) {
      const place = await placeFor(store, `${kind}-rate-${round}`)
      of[kind].push(await rates.measure(kind, store === 'lmdb' ? {} : { BILLHOOK_STORE: place }))
    }
  }
  sayRatio('created in a second', median(of.orders), median(of.invoices))
}

async function placeFor(store: OrderCostTask['store'], name: string): Promise<string> {
  if (store === 'postgres' && server !== null) return createDatabase(server)
  const place = join(directory.path, name)
  mkdirSync(place, { recursive: true })
  return place
}

function sayRatio(what: string, orders = Number.NaN, plain = Number.NaN): void {
  say(`  ${what}: orders ${plainNumber(orders)}, plain ${plainNumber(plain)}, ratio ${(orders / plain).toFixed(2)}`)
}
