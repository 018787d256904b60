import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { type Exposition, parseExposition } from '../support/exposition.js'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { PostgresServer } from '../support/postgres-server.js'
import { memoryOf, NODE_FLAGS, ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import type { ListAttack, ListReport } from './crowd-attacker.js'
import { CrowdClient, depositTo, WALLETS, walletsOf } from './crowd-client.js'
import { Expiring, type Expiry, importAll, untilTold } from './crowd-expiring.js'
import { OrderPlays } from './crowd-orders.js'
import { quantile, runLoad } from './load-client.js'
import { httpRequest, peakMemory, push, unsignedCreate, walletOf } from './loaded-service.js'
import type { ScenarioOptions } from './overload.js'
import { JUDGED_SECONDS_MIN } from './verdicts.js'

const CROWD = 'crowd'
const SHOP = 'shop'
const PAYEE = 'payee'
const MIB = 1_048_576
const NS_PER_MS = 1_000_000
/** Of the smallest unit of USDT: as little as there is, and more than any invoice asks for. */
const DUST = '1'
const EVERYTHING = '900000000000'
/** Of everybody's p99 when the service is quiet. */
const SLOWER_MAX = 10
/** Below it a factor says more about the machine than about the service. */
const QUIET_P99_MIN_MS = 2
const P99_MAX_MS = 50
const HEALTH_MAX_MS = 100
const TURN_MAX_SECONDS = 0.01
const TURNS_QUANTILE = 0.999
const GROWTH_MAX_MIB = 200
const WARM_UP_MS = 1_000
/** How long after the beginning of a measurement what expires does. */
const EXPIRE_AFTER_MS = 500

/** How large the crowd is; less when nothing is judged. */
function sizesOf(seconds: number) {
  const isJudged = seconds >= JUDGED_SECONDS_MIN
  return {
    isJudged,
    lists: isJudged ? 1000 : 50,
    crowded: isJudged ? 2000 : 50,
    expiring: isJudged ? 10_000 : 100,
    settled: isJudged ? 20_000 : 200,
    unread: isJudged ? 600 : 20,
    /** What the import of what expires is given at first, ms. */
    importMs: isJudged ? 15_000 : 4000,
  }
}

const STORES = ['lmdb', 'postgres'] as const

/** What is played. */
export const CROWD_PLAYS = [
  'lists',
  'pages',
  'searches',
  'unread-lists',
  'unread-pages',
  'dust',
  'expiries',
  'settles',
  'order-lists',
  'order-pages',
  'order-expiries',
  'order-completions',
  'order-settles',
  'order-creations',
] as const

type Play = (typeof CROWD_PLAYS)[number]

export interface CrowdOptions extends ScenarioOptions {
  /** One store, one HTTP engine, one play; absent: all of them. */
  readonly store: string | undefined
  readonly http: string | undefined
  readonly play: string | undefined
}

/** One merchant with all the invoices, lists, dust and expiries that it may have, and what others notice of it. */
export async function crowd(options: CrowdOptions): Promise<void> {
  const chosen = <T extends string>(all: readonly T[], name: string | undefined): readonly T[] => {
    const found = all.filter((one) => name === undefined || one === name)
    assert.ok(found.length > 0, `${name} is none of ${all.join(', ')}`)
    return found
  }
  const plays = chosen(CROWD_PLAYS, options.play)
  for (const store of chosen(STORES, options.store)) {
    for (const engine of chosen(HTTP_ENGINES, options.http)) {
      if (store === 'lmdb') {
        await crowdOn(`LMDB, ${engine}`, { BILLHOOK_HTTP: engine }, plays, options)
        continue
      }
      const server = await PostgresServer.start({ isDurable: true })
      try {
        await crowdOn(`PostgreSQL, ${engine}`, { BILLHOOK_HTTP: engine, BILLHOOK_STORE: server.url() }, plays, options)
      } finally {
        await server.stop()
      }
    }
  }
}

async function crowdOn(
  name: string,
  settings: Readonly<Record<string, string>>,
  plays: readonly Play[],
  options: ScenarioOptions,
): Promise<void> {
  const place = temporaryDirectory()
  const flags = { NODE_OPTIONS: NODE_FLAGS.join(' ') }
  const quiet = { BILLHOOK_LOG: 'fatal', BILLHOOK_METRICS_PORT: '0', BILLHOOK_RATE_LIMIT: '0' }
  const environment = { ...flags, ...quiet, ...settings }
  const service = await ServiceProcess.start(place.path, environment)
  try {
    await new Crowd(name, service, place.path, options).run(plays)
  } finally {
    await service.end('SIGTERM')
    place.remove()
  }
}

type AskedLists = Pick<ListAttack, 'path' | 'connections' | 'reads'>

interface Load {
  readonly creationMs: number
  readonly paymentMs: number
  readonly healthMs: number
}

class Crowd {
  private readonly sizes: ReturnType<typeof sizesOf>
  private readonly client: CrowdClient
  private readonly orders: OrderPlays
  private quiet: Load = { creationMs: 0, paymentMs: 0, healthMs: 0 }
  private hasLists = false

  constructor(
    private readonly name: string,
    private readonly service: ServiceProcess,
    private readonly directory: string,
    private readonly options: ScenarioOptions,
  ) {
    this.sizes = sizesOf(options.seconds)
    const { url } = service
    this.client = new CrowdClient(url)
    this.orders = new OrderPlays({
      client: this.client,
      url,
      isJudged: this.sizes.isJudged,
      judged: (what, happen) => this.judged(what, happen),
      askLists: (what, path) => this.lists(what, { path, connections: 64, reads: true }),
      expire: (expiry) => this.expire(expiry),
    })
  }

  async run(plays: readonly Play[]): Promise<void> {
    for (const owner of [CROWD, SHOP, PAYEE, 'settled', 'expiring']) await this.client.assign(owner)
    await this.load(WARM_UP_MS)
    const before = await this.metrics()
    this.quiet = await this.load(this.durationMs)
    const turn = longTurn(before, await this.metrics())
    this.options.say(`${this.name}: quiet: ${shown(this.quiet)}; p99.9 of turns ≤ ${turn * 1000} ms`)
    for (const play of plays) await this.play(play)
  }

  private async play(play: Play): Promise<void> {
    const { lists, unread } = this.sizes
    const path = `/api/users/${CROWD}/invoices?include=payment`
    const page = `${path}&limit=1000`
    switch (play) {
      case 'lists': {
        const what = `64 lists at once of ${lists} invoices on ${WALLETS} wallets`
        return this.invoiceLists(what, { path, connections: 64, reads: true })
      }
      case 'pages':
        return this.invoiceLists('64 pages of them', { path: page, connections: 64, reads: true })
      case 'searches': {
        const search = `${path}&status=paid`
        return this.invoiceLists('64 searches for what is not there', { path: search, connections: 64, reads: true })
      }
      case 'unread-lists':
        return this.invoiceLists(`${unread} lists that nobody reads`, { path, connections: unread, reads: false })
      case 'unread-pages':
        return this.invoiceLists(`${unread} pages that nobody reads`, { path: page, connections: unread, reads: false })
      case 'dust':
        return this.dust()
      case 'expiries':
        return this.expiries()
      case 'settles':
        return this.settles()
      case 'order-lists':
        return this.orders.lists()
      case 'order-pages':
        return this.orders.pages()
      case 'order-expiries':
        return this.orders.expiries()
      case 'order-completions':
        return this.orders.completions()
      case 'order-settles':
        return this.orders.settles()
      case 'order-creations':
        return this.orders.creations()
    }
  }

  private get durationMs(): number {
    return this.options.seconds * 1000
  }

  private async invoiceLists(what: string, asked: AskedLists): Promise<void> {
    if (!this.hasLists) await this.client.createInvoices(CROWD, this.sizes.lists, walletsOf(CROWD))
    this.hasLists = true
    await this.lists(what, asked)
  }

  private async lists(what: string, asked: AskedLists): Promise<void> {
    await this.judged(what, async () => {
      const report = await this.attack(asked)
      return `${report.complete} lists, ${report.refused} refused, ${(report.receivedBytes / MIB).toFixed(0)} MiB`
    })
  }

  private async dust(): Promise<void> {
    await this.client.createInvoices(CROWD, this.sizes.crowded, walletsOf(CROWD))
    await this.judged(`dust on ${WALLETS} wallets with ${this.sizes.crowded} invoices and more`, async () => {
      const { status } = await this.deposits(walletsOf(CROWD), DUST)
      return `${status}`
    })
  }

  private async expiries(): Promise<void> {
    const { expiring } = this.sizes
    const wallets = walletsOf('expiring').slice(0, 1)
    await this.expire({
      what: `${expiring} invoices that expire together`,
      owner: 'expiring',
      recordsAt: (at) => new Expiring('expiring', at).invoices(expiring, wallets),
      told: { type: 'invoice.expired', count: expiring },
    })
  }

  private async expire({ what, owner, recordsAt, told }: Expiry): Promise<void> {
    let at = 0
    // What is imported too late to expire in the measurement is imported once more, with more time.
    for (let ms = this.sizes.importMs; Date.now() > at - EXPIRE_AFTER_MS; ms *= 2) {
      at = Date.now() + ms
      await importAll(this.directory, recordsAt(at))
    }
    await new Promise((resolve) => setTimeout(resolve, at - EXPIRE_AFTER_MS - Date.now()))
    await this.judged(what, async () => 'expired')
    await untilTold(this.service.url, owner, told)
  }

  private async settles(): Promise<void> {
    const [wallet = ''] = walletsOf('settled')
    await this.client.createInvoices('settled', this.sizes.settled, [wallet])
    await this.judged(`a deposit that pays ${this.sizes.settled} invoices, and dust behind it`, async () => {
      await this.deposits([wallet], EVERYTHING)
      const { status } = await this.deposits([wallet], DUST)
      return `${status}`
    })
  }

  /** What others notice of something, and what it costs. */
  private async judged(what: string, happen: () => Promise<string>): Promise<void> {
    const { verdicts, say } = this.options
    const { child } = this.service
    const pid = child.pid ?? 0
    const idle = memoryOf(pid).own
    const before = await this.metrics()
    const waited = waitedMs(pid)
    const { result, mostMiB } = await peakMemory(pid, async () => {
      const [load, happened] = await Promise.all([this.load(this.durationMs), happen()])
      return { load, happened }
    })
    const { load, happened } = result
    const turn = longTurn(before, await this.metrics())
    const growth = mostMiB - idle
    const title = `${this.name}, ${what}`
    const turns = `p99.9 of turns ≤ ${turn * 1000} ms, ${(waitedMs(pid) - waited).toFixed(0)} ms without a processor`
    say(`${title}: ${shown(load)}; ${turns}; +${growth.toFixed(0)} MiB; ${happened}`)
    const slowest = (quietMs: number) => Math.min(P99_MAX_MS, SLOWER_MAX * Math.max(quietMs, QUIET_P99_MIN_MS))
    verdicts.judge(`${title}: creations of others`, load.creationMs < slowest(this.quiet.creationMs))
    verdicts.judge(`${title}: payments of others`, load.paymentMs < slowest(this.quiet.paymentMs))
    verdicts.judge(`${title}: health within ${HEALTH_MAX_MS} ms`, load.healthMs < HEALTH_MAX_MS)
    verdicts.judge(`${title}: no turn over ${TURN_MAX_SECONDS * 1000} ms`, turn <= TURN_MAX_SECONDS)
    verdicts.judge(`${title}: at most ${GROWTH_MAX_MIB} MiB`, growth < GROWTH_MAX_MIB)
  }

  /** Others create invoices and are paid, and a supervisor asks for the health. */
  private async load(durationMs: number): Promise<Load> {
    const { url } = this.service
    const wallets = walletsOf(PAYEE)
    const run = (perSecond: number, next: () => string) => runLoad({ url, connections: 8, perSecond, durationMs, next })
    const [creations, payments, health] = await Promise.all([
      run(50, () => unsignedCreate(SHOP, walletOf(SHOP, this.client.next() % WALLETS))),
      run(20, () => push(depositTo(wallets[this.client.next() % WALLETS] ?? '', '1', this.client.next()))),
      run(20, () => httpRequest('GET', '/healthz')),
    ])
    assert.ok((creations.byStatus.get(201) ?? 0) > 0, 'nothing was created')
    return {
      creationMs: p99(creations.latenciesMs),
      paymentMs: p99(payments.latenciesMs),
      healthMs: quantile(health.latenciesMs, 1),
    }
  }

  private async attack(asked: AskedLists): Promise<ListReport> {
    const workerData: ListAttack = {
      ...asked,
      port: Number(new URL(this.service.url).port),
      durationMs: this.durationMs,
    }
    const worker = new Worker(new URL('./crowd-attacker.js', import.meta.url), { workerData })
    const [report] = await once(worker, 'message')
    return report
  }

  private deposits(wallets: readonly string[], amount: string): Promise<{ readonly status: number }> {
    return this.client.deposits(wallets.map((wallet) => depositTo(wallet, amount, this.client.next())))
  }

  private async metrics(): Promise<Exposition> {
    const { metricsUrl } = this.service
    return parseExposition(await (await fetch(metricsUrl ?? assert.fail('no metrics'))).text())
  }
}

function p99(sorted: readonly number[]): number {
  return sorted.length === 0 ? Number.POSITIVE_INFINITY : quantile(sorted, 0.99)
}

/**
 * How long the main thread of a process has waited for a processor that others had, in ms. Where that is much, long turns say nothing of
 * the service.
 */
function waitedMs(pid: number): number {
  const [, waitedNs = ''] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')
  return Number(waitedNs) / NS_PER_MS
}

/** The bound below which 99.9 % of the turns between two readings were, in seconds. */
function longTurn(before: Exposition, after: Exposition): number {
  const name = 'billhook_event_loop_delay_seconds'
  const since = (sample: string, labels: Readonly<Record<string, string>> = {}) =>
    (after.value(sample, labels) ?? 0) - (before.value(sample, labels) ?? 0)
  const all = since(`${name}_count`)
  const bounds = after.samples
    .filter((sample) => sample.name === `${name}_bucket`)
    .map(({ labels }) => labels['le'] ?? '')
  const bound = bounds.find((le) => since(`${name}_bucket`, { le }) >= TURNS_QUANTILE * all)
  return bound === undefined || bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound)
}

function shown({ creationMs, paymentMs, healthMs }: Load): string {
  const ms = (value: number) => value.toFixed(1)
  return `p99 of creations ${ms(creationMs)} ms, of payments ${ms(paymentMs)} ms; slowest health ${ms(healthMs)} ms`
}
