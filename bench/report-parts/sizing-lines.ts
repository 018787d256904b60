import { CREATED_AND_PAID, CREATED_ONLY, CREATION, DEPOSIT, type DISK } from '../names.js'
import type { Results } from '../results.js'
import { figure, NOT_MEASURED, plainNumber } from './figure.js'
import { type Align, table } from './markdown.js'
import { KEPT_DAYS, type RateFigures, type RateSizing, SizingFigures } from './sizing-figures.js'

/** What an operator must decide, as a list of five in Markdown. */
export function fiveLines(results: Results): string {
  const sizing = new SizingFigures(results)
  const { cores } = results.machine
  const busiest = sizing.rates.findLast(({ paid }) => Number.isFinite(paid.allThreads))
  const lines = [
    `**How many services?** One of them creates ${rounded(sizing.createdPerSecond)} signed, durable invoices a second, or takes ${rounded(sizing.paidPerSecond)} a second from creation to payment, with two webhooks each. Plan for half of that, and divide merchants among several services beyond it.`,
    `**Which processor?** ${cores} cores were measured, with the load generator on them. ${busiest === undefined ? '' : `At ${plainNumber(busiest.perSecond)} paid invoices a second, a service uses ${inCores(busiest.paid.allThreads)}, of which the main thread is ${inCores(busiest.paid.mainThread)}. `}The main thread saturates first, so fast cores count more than many.`,
    `**How much memory?** ${rounded(sizing.idleMib, 'MiB')} when idle, and ${rounded(sizing.ownMibAfter, 'MiB')} of its own after ${whole(sizing.invoicesOfMemory)} invoices at full speed. An idle connection takes ${figure(sizing.connectionKib, 'KiB', 2)}. All memory beyond that is a cache of the database.`,
    `**How much disk?** A paid invoice takes ${rounded(sizing.bytesForEver + sizing.bytesForAWhile, 'bytes')}: ${rounded(sizing.bytesForEver, 'bytes')} for ever, and the rest, its webhooks and events, for ${KEPT_DAYS} days (\`BILLHOOK_KEEP_DAYS\`). A wallet of its own takes ${rounded(sizing.bytesOf.wallet, 'bytes')} more.`,
    `**Which latency to expect?** 99 of 100 creations are answered within ${figure(sizing.p99AtHalf, 'ms', 2)} at half of the peak rate${latencies(sizing.rates)}. Webhooks leave at up to ${rounded(sizing.webhooksPerSecond)} a second.`,
  ]
  return lines.map((line, n) => `${n + 1}. ${line}`).join('\n')
}

function latencies(rates: readonly RateSizing[]): string {
  const slow = rates.filter(({ perSecond }) => perSecond <= 1000).at(-1)
  if (slow === undefined) return ''
  return `, and within ${figure(slow.created.p99, 'ms', 2)} at ${plainNumber(slow.perSecond)} a second`
}

/** A table with a column for each rate. */
export function ratesTable(results: Results): string {
  const { rates } = new SizingFigures(results)
  const columns = [
    { title: 'Invoices a second', align: 'left' as Align },
    ...rates.map(({ perSecond }) => ({ title: plainNumber(perSecond), align: 'right' as const })),
  ]
  const row = (name: string, of: (rate: RateSizing) => string) => [name, ...rates.map(of)]
  const rows = [
    row('Services, if all invoices are paid', ({ services }) => whole(services)),
    row('Processor, created only', ({ created }) => processor(created)),
    row('Processor, created, paid and notified', ({ paid }) => processor(paid)),
    row('Latency of a creation, p50 / p99', ({ created }) => latency(created)),
    row('The same while all are paid', ({ paid }) => latency(paid)),
    row('Own memory (`RssAnon`)', ({ created, paid }) => figure(higher(created.memory, paid.memory), 'MiB', 2)),
    row('Network, creations alone', ({ perSecond, created }) => megabits(perSecond * created.network)),
    row('Webhooks a second', ({ webhooksPerSecond }) => whole(webhooksPerSecond)),
    row('Disk in a day, all paid', ({ gbPerDay }) => gigabytes(gbPerDay)),
    row('Disk after a year, all paid', ({ gbInAYear }) => gigabytes(gbInAYear)),
  ]
  return table(columns, rows)
}

/** Two digits that count: figures of another machine differ by more. */
function rounded(value: number, unit: 'MiB' | 'bytes' | '' = ''): string {
  if (!Number.isFinite(value)) return NOT_MEASURED
  const number = Number(value.toPrecision(2)).toLocaleString('en-GB')
  return unit === '' ? number : `${number} ${unit}`
}

function whole(value: number): string {
  return Number.isFinite(value) ? plainNumber(value) : NOT_MEASURED
}

function inCores(share: number): string {
  return share > 1 ? `${plainNumber(share, 2)} cores` : `${plainNumber(share, 2)} of a core`
}

function processor({ mainThread, allThreads }: RateFigures): string {
  if (!Number.isFinite(allThreads)) return NOT_MEASURED
  return `${plainNumber(allThreads, 2)} cores, main thread ${plainNumber(mainThread, 2)}`
}

function latency({ p50, p99 }: RateFigures): string {
  if (!Number.isFinite(p99)) return NOT_MEASURED
  return `${plainNumber(p50, 2)} / ${figure(p99, 'ms', 2)}`
}

function higher(a: number, b: number): number {
  return Number.isFinite(b) ? Math.max(a, b) : a
}

function megabits(bytesPerSecond: number): string {
  return `${rounded((bytesPerSecond * 8) / 1e6)} Mbit/s`
}

function gigabytes(gb: number): string {
  if (!Number.isFinite(gb)) return NOT_MEASURED
  return gb >= 1000 ? `${plainNumber(gb / 1000, 2)} TB` : `${plainNumber(gb, 2)} GB`
}

/** What the parts of a creation and of a payment take: the numbers of the model. */
export function modelTable(results: Results): string {
  const sizing = new SizingFigures(results)
  const { historySizeMax: many = Number.NaN } = results.parameters
  const columns = [
    { title: 'Part', align: 'left' },
    { title: 'µs', align: 'right' },
  ] as const
  const row = (part: string, us: number) => [part, figure(us, '', 2)]
  const invoices = ([CREATED_ONLY, CREATED_AND_PAID] as const).flatMap((what) => {
    const { perSecond, mainThread, allThreads } = sizing.invoiceUs(what)
    const head = `An invoice, ${what}, at ${whole(perSecond)} a second`
    return [row(`${head}: main thread`, mainThread), row(`${head}: all threads`, allThreads)]
  })
  return table(columns, [
    ...invoices,
    row('Verification, key that signs often: one thread', sizing.verificationUs.withTable),
    row('Verification, key that signs rarely: one thread', sizing.verificationUs.withoutTable),
    row('Creation in the store, new wallet', sizing.storeUs(CREATION, 0)),
    row(`Creation in the store, wallet with ${whole(many)} invoices`, sizing.storeUs(CREATION, many)),
    row(`Deposit with its webhook in the store, wallet with ${whole(many)} deposits`, sizing.storeUs(DEPOSIT, many)),
  ])
}

/** What each kind of record takes on disk, and how long. */
export function diskTable(results: Results): string {
  const { bytesOf } = new SizingFigures(results)
  const columns = [
    { title: 'Record', align: 'left' },
    { title: 'Bytes', align: 'right' },
    { title: 'Kept', align: 'left' },
  ] as const
  const kept = `${KEPT_DAYS} days (\`BILLHOOK_KEEP_DAYS\`)`
  const row = (name: string, kind: keyof typeof DISK, duration: string) => [name, rounded(bytesOf[kind]), duration]
  return table(columns, [
    row('Invoice, with a reference', 'invoice', 'for ever'),
    row('Deposit, pending and then confirmed', 'deposit', 'for ever'),
    row('Wallet', 'wallet', 'for ever'),
    row('Webhook', 'delivery', kept),
    row('Event of the gateway', 'event', kept),
    row('Event in the log of its owner', 'owner event', '30 days (`BILLHOOK_EVENTS_DAYS`)'),
    row('Idempotency key', 'idempotency key', '1 day'),
  ])
}

/** What work besides plain requests costs, as the rows of a table. */
export function workTable(results: Results): string {
  const columns = [
    { title: 'Work', align: 'left' },
    { title: 'Cost', align: 'left' },
  ] as const
  return table(columns, [
    ['TLS', tlsCost(results)],
    ['A [backup](operating/backup.md)', backupCost(results)],
  ])
}

function tlsCost(results: Results): string {
  const { createdPerSecond: plainly, createdWithTlsPerSecond: withTls } = new SizingFigures(results)
  const handshakes = 'Handshakes, which clients with open connections rarely make, were not measured.'
  if (!Number.isFinite(withTls)) return `The rate over HTTPS was not measured. ${handshakes}`
  const rates = `It creates ${rounded(withTls)} invoices a second over HTTPS where it creates ${rounded(plainly)} without (${percent(withTls / plainly)}).`
  return `${rates} ${handshakes} A proxy on the same machine needs processor time of its own.`
}

function backupCost(results: Results): string {
  const { withoutPerSecond, besidePerSecond, seconds, fileMibBefore, fileMibAfter } = new SizingFigures(results).backups
  const disk = 'It reads the database file once and writes as much, and `data.mdb` grows by what is written meanwhile.'
  if (!Number.isFinite(besidePerSecond)) return `${disk} What it costs others was not measured.`
  const rates = `While one backup follows the other, ${percent(besidePerSecond / withoutPerSecond)} of the creations remain (${rounded(besidePerSecond)} instead of ${rounded(withoutPerSecond)} a second); each takes ${figure(seconds, 's', 2)}.`
  return `${rates} ${disk} Here it grew from ${figure(fileMibBefore, 'MiB')} to ${figure(fileMibAfter, 'MiB')}.`
}

function percent(share: number): string {
  return `${plainNumber(100 * share, 2)} %`
}

/** The rates of one service in a paragraph. */
export function speedLines(results: Results): string {
  const sizing = new SizingFigures(results)
  const share = figure(sizing.shareOfVerifications, '', 1)
  return `About ${rounded(sizing.createdPerSecond)} signed, durable invoices a second on ${results.machine.cores} cores with the load generator, ${share} of what one thread of libsecp256k1 verifies, and about ${rounded(sizing.paidPerSecond)} a second from creation to payment, with two webhooks each.`
}
