import assert from 'node:assert/strict'
import { wallet } from './merchants.js'
import { quantile } from './quantile.js'
import { say, withService } from './service-process.js'

/*
 * How long the console's pages take, in the directories that `node dist/bench/upkeep.js fill <dir> <count>` has made:
 *
 *     node dist/bench/console.js <dir>...
 *
 * For each page its median and its longest time, ms.
 */

const REQUESTS = 20
/** As `upkeep.js fill` calls its first owner and invoice: the oldest, which a search comes to last. */
const OLDEST = { owner: 'shop-0', reference: 'filled-0' }

/** The pages by name. A search that finds nothing looks at as many records as one page may. */
const PAGES: Readonly<Record<string, string>> = {
  overview: '',
  'newest invoices': '/invoices',
  'invoices of an owner': `/invoices?owner=${OLDEST.owner}`,
  'the oldest invoice, by reference': `/invoices?reference=${OLDEST.reference}`,
  'paid invoices': '/invoices?state=paid',
  'void invoices, of which there is none': '/invoices?state=void',
  'newest deposits': '/deposits',
  'deposits of a transaction': `/deposits?transaction=0x${'0'.repeat(64)}`,
  'deposits of an owner': `/deposits?owner=${OLDEST.owner}`,
  'deposits to an address, of which there is none': `/deposits?address=${wallet('nobody', '').address}`,
  'newest deliveries': '/deliveries',
  'delivered webhooks, of which there is none': '/deliveries?state=delivered',
  wallets: '/wallets',
  'wallets that are in the pool, of which there is none': '/wallets?state=pool',
  keys: '/keys',
  networks: '/networks',
}

interface Visits {
  readonly console: string
  readonly cookie: string
}

/** Opens a page, and answers with its HTML. */
async function open({ console, cookie }: Visits, path: string): Promise<string> {
  const response = await fetch(`${console}${path}`, { headers: { cookie } })
  const html = await response.text()
  assert.equal(response.status, 200, `${path}: ${html}`)
  return html
}

async function timed(visits: Visits, path: string): Promise<string> {
  await open(visits, path)
  const times: number[] = []
  for (let i = 0; i < REQUESTS; i += 1) {
    const startedAt = performance.now()
    await open(visits, path)
    times.push(performance.now() - startedAt)
  }
  times.sort((a, b) => a - b)
  return `${quantile(times, 0.5).toFixed(1)}, ${quantile(times, 1).toFixed(1)}`
}

async function measure(directory: string): Promise<void> {
  // The callbacks of the filled store lead nowhere; trying them should not take the time of the pages.
  const settings = { BILLHOOK_METRICS_PORT: '0', BILLHOOK_WEBHOOK_CONCURRENCY: '1' }
  await withService(directory, settings, async ({ metricsUrl }) => {
    const console = (metricsUrl ?? assert.fail('there are no metrics')).replace(/\/metrics$/, '/console')
    const entered = await fetch(console)
    await entered.text()
    const visits = { console, cookie: entered.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
    const count = /<strong>([^<]*)<\/strong> <a href="\/console\/invoices">/.exec(await open(visits, ''))?.[1]
    say(`${count ?? 'no'} invoices: median and longest of ${REQUESTS}, ms`)
    for (const [name, path] of Object.entries(PAGES)) say(`  ${name}: ${await timed(visits, path)}`)
    const first = await open(visits, `/invoices?reference=${OLDEST.reference}`)
    const path = /href="\/console(\/invoices\/[0-9a-f]{32})"/.exec(first)?.[1] ?? assert.fail('no invoice is found')
    say(`  page of the oldest invoice: ${await timed(visits, path)}`)
  })
}

for (const directory of process.argv.slice(2)) await measure(directory)
