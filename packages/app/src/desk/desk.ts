import { BillhookError, type Invoice, type Order, type Rates, type ServiceInfo } from '@billhook/client'
import { signal } from '@preact/signals'
import { counted, EMPTY_TALLY, recent, type Tally } from '../events/day-totals.js'
import { type Followed, follow } from '../events/follower.js'
import { AskedBook, type AskedById } from '../invoices/asked-book.js'
import { InvoiceBook } from '../invoices/invoice-book.js'
import { type Creation, Outbox, type Pending, type Sender } from '../invoices/outbox.js'
import { askedOf, differences, type Recorded, recordedOf, type Suspicion, suspicionsOf } from '../invoices/suspicion.js'
import { OrderBook } from '../orders/order-book.js'
import { type OrderAsked, orderDraftOf } from '../orders/order-draft.js'
import { optionsFor, waysToPay } from '../orders/order-options.js'
import { orderAsked, orderRecorded } from '../orders/order-suspicion.js'
import type { Shop } from '../session/opening.js'
import type { Session } from '../session/session.js'
import { asFarAsKept } from '../storage/as-far-as-kept.js'
import type { Database } from '../storage/database.js'
import { Till } from '../till/till.js'
import { FIRST_STATE, type TillState } from '../till/till-state.js'
import type { Addresses } from '../wallets/known-wallets.js'
import { PoolKeeper, type PoolSizes } from '../wallets/pool-keeper.js'
import { WalletBook } from '../wallets/wallet-book.js'
import { keepUp } from './keep-up.js'
import { outboxPlace, remembers } from './places.js'
import { newKey, untilLookedAt } from './platform.js'

/** How often what has no answer is sent again, and the pool is looked at. */
const REPEAT_MS = 10_000

/** What an order of the till is called. Payers see it. */
const TILL_NAME = 'Till'

/** Everything that the screens of an open shop work with. */
export class Desk {
  readonly info: ServiceInfo
  readonly wallets: WalletBook
  readonly invoices: InvoiceBook
  readonly orders: OrderBook
  readonly till: Till
  readonly pool: PoolKeeper
  private readonly outbox: Outbox
  private readonly asked: AskedBook
  /** What was sent and has no answer. */
  readonly pending = signal<readonly Pending[]>([])
  /** Which rates are in force; none until they were read. */
  readonly rates = signal<Rates['rates']>({})
  /** What came by day, as far as the log was read. */
  readonly tally = signal<Tally>(EMPTY_TALLY)
  /** Whether news fail to come. */
  readonly isLost = signal(false)
  /** Whether payments can be simulated. */
  readonly isSandbox = signal(false)
  /** The base address of the service. */
  readonly url: string
  /** Why what has no answer cannot be sent again at the moment; null where nothing hinders it. */
  readonly trouble = signal<unknown>(null)
  /** Why the first lists could not be read. */
  readonly failure = signal<unknown>(null)

  constructor(
    readonly shop: Shop,
    session: Session,
    private readonly database: Database,
  ) {
    const { billhook, owner, identity, ended } = shop
    this.info = session.info
    this.url = session.url
    this.wallets = new WalletBook({
      billhook,
      ledger: this.info.ledger,
      identity: identity === null ? null : session.keys.signer('identity', identity),
      place: remembers<Addresses>(database, owner, 'addresses', {}),
      ended,
    })
    this.invoices = new InvoiceBook(billhook, ended)
    this.orders = new OrderBook(billhook, ended)
    this.till = new Till({
      statePlace: remembers<TillState>(database, owner, 'till', FIRST_STATE),
      unitPlace: remembers<string>(database, owner, 'unit', ''),
      newKey,
      create: (price, key) => this.createOrder({ price, name: TILL_NAME, orderNumber: '' }, key),
    })
    this.asked = new AskedBook(remembers<AskedById>(database, owner, 'asked', []))
    this.outbox = new Outbox(outboxPlace(database), Date.now, newKey)
    this.pool = new PoolKeeper({
      place: remembers<PoolSizes>(database, owner, 'pool', {}),
      wallets: () => this.wallets.list.value ?? [],
      open: () => this.invoices.open.value,
      get: (network) => this.wallets.get(network),
      alone: (work) =>
        navigator.locks.request(`billhook pool ${owner}`, { ifAvailable: true }, async (lock) => {
          if (lock !== null) await work()
        }),
      now: Date.now,
    })
  }

  /** Reads what there is, and goes on following what happens until the app is locked. */
  async open(): Promise<void> {
    this.failure.value = null
    try {
      await Promise.all([
        this.wallets.load(),
        this.invoices.load(),
        this.pool.load(),
        this.till.load(),
        this.asked.load(),
        this.showPending(),
      ])
    } catch (error) {
      if (!this.shop.ended.aborted) this.failure.value = error
      return
    }
    void this.lookForSandbox()
    void this.readRates()
    void this.followEvents()
    const { ended } = this.shop
    void keepUp({
      work: () => this.catchUp(),
      pause: () => untilLookedAt(REPEAT_MS, ended),
      onFailure: (error) => {
        this.trouble.value = error
      },
      ended,
    })
  }

  /** Creates an invoice or an order once, and answers its id. */
  async create(creation: Creation, key: string = newKey()): Promise<string> {
    try {
      const { id } = await this.outbox.create(creation, this.sender(), key)
      await this.look(creation, id)
      return id
    } finally {
      // What cannot be read is told where it is sent again (`trouble`), and hides nothing that happened here.
      await this.showPending().catch(() => undefined)
    }
  }

  /** Reads what was created, so that it is known where it is shown. */
  private async look({ kind }: Creation, id: string): Promise<void> {
    try {
      await (kind === 'invoice' ? this.invoices : this.orders).read(id)
    } catch (error) {
      // It was created all the same; its screen reads it again.
      if (!(error instanceof BillhookError)) throw error
    }
  }

  /** Creates an order that can be paid in every coin that has a rate and a wallet. */
  async createOrder(asked: Omit<OrderAsked, 'options'>, key: string = newKey()): Promise<string> {
    const ways = waysToPay(this.info, this.rates.value, asked.price.currency)
    const options = optionsFor(ways, this.wallets.list.value ?? [], this.invoices.open.value)
    const draft = orderDraftOf({ ...asked, options }, `app-${newKey()}`)
    return this.create({ kind: 'order', draft }, key)
  }

  /** What is wrong with an invoice that the service shows. */
  suspicionsOf(invoice: Invoice): readonly Suspicion[] {
    const known = new Map((this.wallets.list.value ?? []).map((wallet) => [wallet.id, wallet]))
    return [...suspicionsOf(invoice, known), ...differences(this.askedFor(invoice.id), recordedOf(invoice))]
  }

  /** What is wrong with an order, or with one of the invoices that pay it. */
  orderSuspicionsOf(order: Order): readonly Suspicion[] {
    const ofOptions = order.options.flatMap(({ invoice }) => this.suspicionsOf(invoice))
    return [...ofOptions, ...differences(this.askedFor(order.id), orderRecorded(order))]
  }

  /** What was not asked for in this browser has at least to be of this shop. */
  private askedFor(id: string): Recorded {
    return this.asked.find(id) ?? { owner: this.shop.owner }
  }

  async removePending(key: string): Promise<void> {
    await this.outbox.remove(key)
    await this.showPending()
  }

  private async showPending(): Promise<void> {
    this.pending.value = await this.outbox.pending(this.shop.owner)
  }

  private sender(): Sender {
    const { owner, signedBy, billhook, ended } = this.shop
    return {
      owner,
      signedBy,
      send: async ({ kind, draft }, idempotencyKey) => {
        const created =
          kind === 'invoice'
            ? await billhook.createInvoice(draft, { idempotencyKey, signal: ended })
            : await billhook.createOrder(draft, { idempotencyKey, signal: ended })
        // Before the outbox forgets the draft.
        await this.asked.keep(created.id, kind === 'invoice' ? askedOf(draft, owner) : orderAsked(draft, owner))
        return created
      },
    }
  }

  /** Rates change by the minute; the service decides with those of its moment. */
  async readRates(): Promise<void> {
    const { billhook, ended } = this.shop
    try {
      this.rates.value = (await billhook.getRates({ signal: ended })).rates
    } catch {
      // Without rates there are prices in coins.
    }
  }

  private async lookForSandbox(): Promise<void> {
    const { billhook, ended } = this.shop
    try {
      await billhook.describeSandbox({ signal: ended })
      this.isSandbox.value = true
    } catch {
      // Every service that is none answers 404.
    }
  }

  private followEvents(): Promise<void> {
    const { billhook, owner, ended } = this.shop
    return follow({
      list: (after) => billhook.listEvents({ after, pageSize: 1000, signal: ended }),
      place: asFarAsKept(remembers<Followed | null>(this.database, owner, 'followed', null)),
      count: (tally, event) => counted(tally, event, this.info),
      onTally: (tally) => {
        this.tally.value = recent(tally, Date.now())
      },
      onNews: async (events) => {
        await this.invoices.follow(events)
        await this.orders.follow(events)
      },
      onGap: async () => {
        await this.invoices.load()
        await this.orders.choose(this.orders.filter.value)
      },
      onConnection: (isLost) => {
        this.isLost.value = isLost
      },
      isVisible: () => document.visibilityState === 'visible',
      pause: (ms) => untilLookedAt(ms, ended),
      ended,
    })
  }

  /** Sends what has no answer, and refills the pool. */
  private async catchUp(): Promise<void> {
    const { created, refused } = await this.outbox.resume(this.sender())
    await this.showPending()
    for (const { pending, id } of created) {
      await this.look(pending.creation, id)
      await this.till.onCreated(pending, id)
    }
    for (const { pending, error } of refused) await this.till.onRefused(pending, error)
    if (this.wallets.canGet) await this.pool.refill()
  }
}
