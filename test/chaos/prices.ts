import { Random } from '../simulation/random.js'
import { LeapingService, type StoreKind } from './leaping-service.js'
import { PersistentClient } from './persistent-client.js'
import { PricesBooks } from './prices-books.js'
import { networkEntries } from './prices-coins.js'
import { PricesFeed } from './prices-feed.js'
import { PricesModel } from './prices-model.js'
import { PricesQuotes } from './prices-quotes.js'
import { RatesModel } from './prices-rates.js'
import type { ModelOrder } from './prices-records.js'
import { PricesSource } from './prices-source.js'
import { PricesTrade } from './prices-trade.js'
import { PricesWorld } from './prices-world.js'
import { Stuck } from './shop-client.js'

const START_MS = Date.UTC(2027, 3, 1)
const MS_PER_SECOND = 1000
const MINUTE_MS = 60 * MS_PER_SECOND
const HOUR_MS = 60 * MINUTE_MS
/** The shop sells for a while, every few hours. */
const SESSIONS_A_DAY = 8
const SESSION_MS = (24 / SESSIONS_A_DAY) * HOUR_MS
const MINUTES = 18
const SELLING_MINUTES = 12
/** What happens in a minute is over by then: what expires does so half a minute after it. */
const BUSY_MS = 20 * MS_PER_SECOND

const LATE_DAYS = 4
const RATES = { jump: 10, maxAgeMs: 570 * MS_PER_SECOND }
/** Hundredths of a percent. */
const SPREAD = 125
const SETTINGS = {
  BILLHOOK_RATES: 'push',
  BILLHOOK_RATES_MAX_AGE_SECONDS: String(RATES.maxAgeMs / MS_PER_SECOND),
  BILLHOOK_RATES_JUMP: String(RATES.jump),
  BILLHOOK_RATES_SPREAD: String(SPREAD / 100),
  BILLHOOK_ORDER_EXPIRY_SECONDS: '930',
  BILLHOOK_LATE_DAYS: String(LATE_DAYS),
  // The run compares whole logs.
  BILLHOOK_EVENTS_DAYS: '365',
}
const CHANCES = { sale: 3 / 5, killed: 1 / 120 }

export interface PricesOptions {
  readonly days: number
  readonly seed: number
  /** How many percent may be missing of an order that is accepted by itself. */
  readonly underpayment: number
  readonly stores: readonly StoreKind[]
  readonly say: (line: string) => void
}

/**
 * A month of a shop whose prices are in euros and dollars, and whose customers pay in one coin or several. Rates move, stall, jump and
 * lie, payments come late, short, twice or never, and are taken back; the service is killed. Returns what was violated.
 */
export async function prices(options: PricesOptions): Promise<readonly string[]> {
  const violations: string[] = []
  for (const store of options.stores) {
    const month = await Month.begin(store, options)
    try {
      violations.push(...(await month.play()).map((violation) => `${store}: ${violation}`))
    } finally {
      await month.end()
    }
  }
  return violations
}

class Month {
  private readonly books: PricesBooks
  private readonly trade: PricesTrade
  private readonly source: PricesSource
  private heldBack = 0

  private constructor(
    private readonly store: StoreKind,
    private readonly options: PricesOptions,
    private readonly world: PricesWorld,
    private readonly feed: PricesFeed,
    private readonly random: Random,
  ) {
    this.books = new PricesBooks(world, feed)
    this.trade = new PricesTrade(world, random, SESSIONS_A_DAY * MINUTES)
    this.source = new PricesSource(new Random(options.seed, 2))
  }

  static async begin(store: StoreKind, options: PricesOptions): Promise<Month> {
    const service = await LeapingService.launch(store, START_MS, networkEntries(), {
      ...SETTINGS,
      BILLHOOK_UNDERPAYMENT: String(options.underpayment),
    })
    const orders = new PricesModel(LATE_DAYS, options.underpayment)
    const rates = new RatesModel(RATES)
    const models = { orders, rates, quotes: new PricesQuotes(rates, orders, SPREAD) }
    const violations = (violation: string) => world.violate(violation)
    const feed = new PricesFeed(orders, violations)
    const world = new PricesWorld(
      service,
      models,
      new PersistentClient(service, new Random(options.seed, 3), CHANCES.killed),
      feed,
    )
    return new Month(store, options, world, feed, new Random(options.seed, 1))
  }

  async play(): Promise<readonly string[]> {
    const { world, options } = this
    const startedMs = Date.now()
    try {
      await this.trade.open()
      const last = options.days * SESSIONS_A_DAY
      for (let session = 1; session <= last; session += 1) {
        for (let minute = 0; minute < MINUTES; minute += 1) {
          await this.minute(session, minute)
          if (world.violations.size > 0) throw new Stuck(`in minute ${minute} of session ${session} of ${last}`)
        }
        if (session % SESSIONS_A_DAY === 0) await this.books.lists()
      }
      await this.close()
    } catch (error) {
      world.violate(`the run ended: ${error instanceof Stuck || !(error instanceof Error) ? error : error.stack}`)
      for (const line of world.service.logged) options.say(`  ${line}`)
    }
    const seconds = Math.round((Date.now() - startedMs) / MS_PER_SECOND)
    const { orders, payments } = world.models.orders
    options.say(
      `  ${this.store}: ${options.days} days in ${seconds} s: ${orders.length} orders, ${payments.deposits.length} deposits, ` +
        `${this.trade.reorganisations} reorganisations, ${world.client.kills} kills, ${this.books.compared} orders compared`,
    )
    return [...world.violations]
  }

  async end(): Promise<void> {
    await this.world.service.stop()
  }

  private async minute(session: number, minute: number): Promise<void> {
    const { world, random, trade, source, books } = this
    const startMs = START_MS + session * SESSION_MS + minute * MINUTE_MS
    if (world.now() > startMs) throw new Stuck('the machine is too slow')
    await world.leap(startMs - world.now())
    for (const push of source.tick(world.now())) await world.pushRates(push)
    this.heldBack += world.models.rates.heldBack
    await books.rates()
    const number = session * MINUTES + minute
    const concerned: Set<ModelOrder> = new Set(await trade.act(number))
    if (minute < SELLING_MINUTES && random.chance(CHANCES.sale)) {
      for (const order of await trade.sell(number)) concerned.add(order)
    }
    await world.sync()
    for (const order of concerned) await books.order(order)
    if (world.now() - startMs > BUSY_MS) throw new Stuck('the machine is too slow')
  }

  /** Everything is over, and every book is closed. */
  private async close(): Promise<void> {
    const { world, books, feed, options } = this
    await world.leap(SESSION_MS)
    await world.sync()
    for (const order of world.models.orders.orders) await books.order(order)
    await books.lists()
    const told = feed.sequences()
    const { matched, unmatched } = await books.close()
    await books.check()
    await world.service.end('SIGTERM')
    await books.check()
    const statuses = new Map<string, number>()
    for (const order of world.models.orders.orders) count(statuses, world.models.orders.status(order))
    options.say(`  ${this.store}: ${told} events of orders, ${matched} deposits of an order, ${unmatched} of none`)
    options.say(`  ${this.store}: ${this.heldBack} rates held back; the source: ${listOf(this.source.moods)}`)
    options.say(`  ${this.store}: requests: ${listOf(world.refused)}; orders: ${listOf(statuses)}`)
    options.say(`  ${this.store}: payers: ${listOf(this.trade.habits)}`)
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

function listOf(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, number]) => `${number} ${name}`).join(', ')
}
