import { Random } from '../simulation/random.js'
import { LeapingService, type StoreKind } from './leaping-service.js'
import { decimalOf } from './shop-amounts.js'
import { ShopBooks } from './shop-books.js'
import { ShopEvm, ShopTron } from './shop-chains.js'
import { ONBOARDING_NAME, ShopClient, Stuck } from './shop-client.js'
import { STEP_MS, STEPS_A_DAY } from './shop-customers.js'
import { type ModelInvoice, ShopModel } from './shop-model.js'
import { ShopReceiver } from './shop-receiver.js'
import { BAZAAR, HEIR, LATE_DAYS, ORCHARD, OWNERS, ShopTrade, STALL } from './shop-trade.js'
import { ShopViews } from './shop-views.js'
import { ShopWorld } from './shop-world.js'

const START_MS = Date.UTC(2027, 2, 1)
const MS_PER_SECOND = 1000
const HOUR_SECONDS = 3600

const SETTINGS = {
  BILLHOOK_WEBHOOK_ATTEMPTS: '5',
  BILLHOOK_LATE_DAYS: String(LATE_DAYS),
  // The run compares whole logs.
  BILLHOOK_EVENTS_DAYS: '365',
}
/** Where every request is signed. Webhooks go to the same machine, which is no public address. */
const STRICT_SETTINGS = {
  BILLHOOK_STRICT: 'on',
  BILLHOOK_ONBOARDING_NAME: ONBOARDING_NAME,
  BILLHOOK_CALLBACK_ALLOW: '127.0.0.1/32',
}

/** What may go wrong while something is done, and how often. */
const CHANCES = { kill: 1 / 40, reorganisation: 1 / 12, down: 1 / 40 }
/** Of a chain whose blocks confirm what is new in them before the shops look at it, and before there are others. */
const CONFIRMED = { atOnce: 3 / 5, before: 4 / 5 }
const PAYLOADS: Readonly<Record<string, string>> = { [BAZAAR]: 'events', [ORCHARD]: 'with-invoice' }
const VIEWED_A_STEP = 4
const SEARCHED_A_DAY = 4
/** Between two runs of `billhook check` beside the service. */
const CHECKED_DAYS = 10
/** When something happens once, as a part of the month. */
const NEWS = { rotation: 0.2, orchardAway: 0.3, inheritance: 0.5, bazaarAway: 0.6 }

export interface ShopOptions {
  readonly days: number
  readonly seed: number
  /** Percent of an amount that may be missing: BILLHOOK_UNDERPAYMENT. */
  readonly underpayment: number
  /** Whether the service is strict: BILLHOOK_STRICT. */
  readonly isStrict: boolean
  readonly stores: readonly StoreKind[]
  readonly say: (line: string) => void
}

/**
 * A month of four shops. Customers pay too little, too much, twice, late, in the wrong coin or not at all; blocks are replaced, the
 * service is killed, and each receiver of webhooks is away for a day. Returns what was violated.
 */
export async function shop(options: ShopOptions): Promise<readonly string[]> {
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
  private readonly views: ShopViews
  private readonly books: ShopBooks
  private readonly trade: ShopTrade

  private constructor(
    private readonly store: StoreKind,
    private readonly options: ShopOptions,
    private readonly world: ShopWorld,
    private readonly random: Random,
  ) {
    this.views = new ShopViews(world)
    this.books = new ShopBooks(world)
    this.trade = new ShopTrade(world, random)
  }

  static async begin(store: StoreKind, options: ShopOptions): Promise<Month> {
    const random = (stream: number) => new Random(options.seed, stream)
    const chains = [await ShopTron.start(START_MS), await ShopEvm.start(START_MS)]
    const { underpayment, isStrict } = options
    const settings = {
      ...SETTINGS,
      ...(isStrict ? STRICT_SETTINGS : {}),
      BILLHOOK_UNDERPAYMENT: String(underpayment),
    }
    const entries = chains.map(({ entry }) => entry)
    const service = await LeapingService.launch(store, START_MS, entries, settings).catch(async (error) => {
      for (const chain of chains) await chain.close()
      throw error
    })
    const receiver = await ShopReceiver.open(random(2))
    const terms = { lateDays: LATE_DAYS, underpayment }
    const model = new ShopModel({ ...terms, hearEvents: new Set([BAZAAR]), hearInvoices: new Set([ORCHARD]) })
    const client = new ShopClient(service, isStrict)
    const world = new ShopWorld(service, client, model, chains, receiver, random(3), OWNERS)
    return new Month(store, options, world, random(1))
  }

  async play(): Promise<readonly string[]> {
    const { world, options } = this
    const startedMs = Date.now()
    try {
      await this.open()
      for (let step = 1; step <= options.days * STEPS_A_DAY; step += 1) {
        await this.step(step)
        if (world.violations.size > 0) throw new Stuck(`in step ${step} of ${options.days * STEPS_A_DAY}`)
      }
      await this.close()
    } catch (error) {
      if (!(error instanceof Stuck)) world.violate(`the run ended: ${error instanceof Error ? error.stack : error}`)
      else world.violate(`the run ended: ${error.message}`)
      for (const line of world.service.logged) options.say(`  ${line}`)
    }
    const { model, receiver } = world
    const seconds = Math.round((Date.now() - startedMs) / MS_PER_SECOND)
    options.say(
      `  ${this.store}: ${options.days} days in ${seconds} s: ${model.invoices.length} orders, ${model.deposits.length} deposits, ` +
        `${receiver.taken.length} webhooks and ${receiver.refused} refused, ${world.kills} kills, ${world.reorganisations} reorganisations, ${world.accepted} accepted by themselves`,
    )
    return [...world.violations]
  }

  async end(): Promise<void> {
    const { service, receiver, chains } = this.world
    await service.stop()
    await receiver.close()
    for (const chain of chains) await chain.close()
  }

  private async open(): Promise<void> {
    const { world } = this
    if (world.client.isStrict) for (const owner of OWNERS) await world.client.register(owner)
    for (const [number, id] of this.trade.wallets.entries()) {
      const [owner = '', network] = id.split('-')
      for (const chain of world.chains) {
        if (chain.id.toLowerCase() === network) await world.assign(id, owner, chain.id, chain.addressOf(1000 + number))
      }
    }
    for (const owner of [ORCHARD, BAZAAR, HEIR]) {
      const callbackUrl = world.receiver.urlOf(owner)
      world.callbacks.set(owner, callbackUrl)
      const payload = PAYLOADS[owner] ?? 'specified'
      await world.client.call(owner, 'PUT /api/users/:id/webhook', { body: { callbackUrl, payload } })
      await this.learnSecret(owner)
    }
  }

  /** Eight of them are a day. */
  private async step(step: number): Promise<void> {
    const { world, random, trade, views } = this
    const tasks = trade.takeTasks(step)
    const untilMs = START_MS + step * STEP_MS - world.now()
    // Expiries are far enough from what happens in a step, unless it takes hours.
    if (untilMs < -STEP_MS / 3) throw new Stuck('the machine is too slow')
    const chains = random.shuffled(world.chains)
    const down = random.chance(CHANCES.down) ? (chains[0] ?? null) : null
    if (down !== null) await world.payWhileDown(down, trade.paymentsOf(down, tasks), untilMs - STEP_MS / 2)
    await world.leap(Math.max(0, START_MS + step * STEP_MS - world.now()))
    await this.news(step)
    for (const chain of chains) {
      const payments = chain === down ? [] : trade.paymentsOf(chain, tasks)
      const mustConfirm = chain.confirmsSoon && payments.length > 0
      if (mustConfirm || random.chance(CONFIRMED.before)) await world.confirm(chain, random.chance(CHANCES.kill))
      if (payments.length > 0) await world.pay(chain, payments, this.trouble())
    }
    for (const { act, invoice } of tasks) if (act !== 'pay') await world.finish(invoice, act)
    await trade.sell(step)
    for (const chain of chains) if (random.chance(CONFIRMED.atOnce)) await world.confirm(chain)
    await world.sync()
    const sold = trade.sold.filter((one) => one.step === step)
    const touched = new Set([...tasks, ...sold].map(({ invoice }) => invoice))
    for (const invoice of random.shuffled([...touched]).slice(0, VIEWED_A_STEP)) await views.all(invoice)
    if (step % STEPS_A_DAY === 0) await this.endOfDay(step / STEPS_A_DAY)
  }

  /** What happens to the shops once. */
  private async news(step: number): Promise<void> {
    const { world, options, trade } = this
    const at = (part: number) => Math.max(1, Math.floor(options.days * part)) * STEPS_A_DAY
    const { away } = world.receiver
    for (const [owner, part] of [
      [ORCHARD, NEWS.orchardAway],
      [BAZAAR, NEWS.bazaarAway],
    ] as const) {
      if (step === at(part) + 1) away.add(owner)
      if (step !== at(part) + 1 + STEPS_A_DAY) continue
      away.delete(owner)
      await this.books.fetchMissing([owner])
    }
    if (step === at(NEWS.rotation)) {
      const body = { overlapSeconds: HOUR_SECONDS }
      await world.client.call(ORCHARD, 'POST /api/users/:id/webhook/rotate', { body })
      await this.learnSecret(ORCHARD)
    }
    if (step === at(NEWS.inheritance)) await trade.bequeath(step)
  }

  private trouble(): 'none' | 'kill' | 'reorganisation' {
    if (this.random.chance(CHANCES.reorganisation)) return 'reorganisation'
    return this.random.chance(CHANCES.kill) ? 'kill' : 'none'
  }

  /** A shop looks at its list, and support at what customers ask about. */
  private async endOfDay(day: number): Promise<void> {
    const { world, random, views } = this
    for (const owner of OWNERS) await views.list(owner)
    const { invoices, deposits } = world.model
    for (let n = 0; n < SEARCHED_A_DAY && invoices.length > 0; n += 1) {
      const invoice = invoices[random.below(invoices.length)]
      if (invoice !== undefined) await this.supportAsked(invoice)
      const deposit = deposits[random.below(deposits.length)]
      if (deposit === undefined || deposit.kind === 'dropped') continue
      const { network, txHash } = deposit
      const typed = random.pick([txHash, txHash.replace('0x', '').toUpperCase(), txHash.slice(0, 14)])
      await views.search(typed, `/console/deposits?network=${network}&amp;transaction=${txHash}`)
    }
    // The newest are looked at first, so this one is among the first.
    const newest = this.trade.sold.at(-1)?.invoice
    if (newest !== undefined)
      await views.search(`${decimalOf(newest.amount)} ${newest.coin}`, `/console/invoices/${newest.id}`)
    if (day % CHECKED_DAYS === 0) await this.books.check()
  }

  private async supportAsked(invoice: ModelInvoice): Promise<void> {
    const { id, orderNumber, reference, walletIds } = invoice
    const { random, views, world } = this
    const href = `/console/invoices/${id}`
    await views.all(invoice)
    const typed = [
      id,
      id.toUpperCase(),
      orderNumber ?? id,
      orderNumber?.toLowerCase() ?? id,
      reference?.slice(0, 10) ?? id,
    ]
    await views.search(random.pick([id, ...typed]), href)
    const wallet = world.model.wallets.get(random.pick([walletIds[0] ?? '', ...walletIds]))
    if (wallet === undefined) return
    await views.search(
      wallet.address.slice(0, random.between(12, wallet.address.length)),
      `/console/wallets?id=${wallet.id}`,
    )
  }

  /** Everything arrives, and every book is closed. */
  private async close(): Promise<void> {
    const { world, views, books, options } = this
    for (const chain of world.chains) await world.confirm(chain)
    world.receiver.away.clear()
    await world.sync()
    await books.fetchMissing(OWNERS)
    await world.sync()
    // It has no default URL, so its secret was made with its first webhook.
    await this.learnSecret(STALL)
    const specified = books.specified()
    const events = books.events(BAZAAR)
    this.paidIsTold()
    const { matched, unmatched } = await books.close(OWNERS)
    for (const invoice of world.model.invoices) await views.all(invoice)
    for (const deposit of world.model.deposits)
      if (deposit.match === null && deposit.kind !== 'dropped') await views.deposit(deposit)
    for (const owner of OWNERS) await views.list(owner)
    await books.check()
    await world.service.end('SIGTERM')
    await books.reconcile()
    await books.check()
    options.say(
      `  ${this.store}: ${specified} webhooks of deposits, ${events} of events, ${matched} deposits of an order, ${unmatched} of none, ${views.compared} sums compared`,
    )
    options.say(`  ${this.store}: ${[...this.trade.habits].map(([habit, count]) => `${count} ${habit}`).join(', ')}`)
  }

  /** A shop that ships by events has heard of every order that its own money paid. */
  private paidIsTold(): void {
    const { world } = this
    for (const invoice of world.model.invoices) {
      const { own } = world.model.payment(invoice)
      if (invoice.voidedAt !== null || invoice.acceptedAt !== null || own < invoice.amount) continue
      const isTold = world.feed
        .of(invoice.owner)
        .some(({ type, invoiceId }) => type === 'invoice.paid' && invoiceId === invoice.id)
      if (!isTold) world.violate(`${invoice.owner} has no event that ${invoice.id} is paid`)
    }
  }

  private async learnSecret(owner: string): Promise<void> {
    const { world } = this
    const { json } = await world.client.call(owner, 'GET /api/users/:id/webhook')
    const known = world.receiver.secrets.get(owner) ?? []
    if (json.secret !== null) world.receiver.secrets.set(owner, [...known, json.secret])
  }
}
