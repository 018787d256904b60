import type { ServiceInfo } from '@billhook/client'
import { signal } from '@preact/signals'
import { follow } from '../events/follower.js'
import { InvoiceBook } from '../invoices/invoice-book.js'
import { Outbox, type Pending, type Sender } from '../invoices/outbox.js'
import type { Suspicion } from '../invoices/suspicion.js'
import type { Session, Shop } from '../session/session.js'
import type { Database } from '../storage/database.js'
import type { Addresses } from '../wallets/known-wallets.js'
import { PoolKeeper, type PoolSizes } from '../wallets/pool-keeper.js'
import { WalletBook } from '../wallets/wallet-book.js'
import { outboxPlace, remembers } from './places.js'
import { newKey, untilLookedAt } from './platform.js'

/** How often what has no answer is sent again, and the pool is looked at. */
const REPEAT_MS = 10_000

/** Everything that the screens of an open shop work with. */
export class Desk {
  readonly info: ServiceInfo
  readonly wallets: WalletBook
  readonly invoices: InvoiceBook
  readonly pool: PoolKeeper
  private readonly outbox: Outbox
  /** What was sent and has no answer. */
  readonly pending = signal<readonly Pending[]>([])
  /** Whether news fail to come. */
  readonly isLost = signal(false)
  /** What differed between a request and its record, by invoice. */
  readonly suspicions = signal<ReadonlyMap<string, readonly Suspicion[]>>(new Map())
  /** Whether payments can be simulated. */
  readonly isSandbox = signal(false)
  /** The base address of the service. */
  readonly url: string
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
    this.invoices = new InvoiceBook(billhook, Date.now, ended)
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
      await Promise.all([this.wallets.load(), this.invoices.load(), this.pool.load(), this.showPending()])
    } catch (error) {
      if (!this.shop.ended.aborted) this.failure.value = error
      return
    }
    void this.lookForSandbox()
    void this.followEvents()
    void this.keepUp()
  }

  /** Creates an invoice once, and answers its id. */
  async create(draft: Pending['draft']): Promise<string> {
    try {
      return (await this.outbox.create(draft, this.sender())).id
    } finally {
      await this.showPending()
    }
  }

  /** Warns on the page of an invoice. */
  suspect(id: string, suspicions: readonly Suspicion[]): void {
    if (suspicions.length > 0) this.suspicions.value = new Map([...this.suspicions.value, [id, suspicions]])
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
      send: (draft, idempotencyKey) => billhook.createInvoice(draft, { idempotencyKey, signal: ended }),
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
      place: remembers<string | null>(this.database, owner, 'cursor', null),
      onNews: (events) => this.invoices.follow(events),
      onGap: () => this.invoices.load(),
      onConnection: (isLost) => {
        this.isLost.value = isLost
      },
      isVisible: () => document.visibilityState === 'visible',
      now: Date.now,
      pause: (ms) => untilLookedAt(ms, ended),
      ended,
    })
  }

  private async keepUp(): Promise<void> {
    const { ended } = this.shop
    while (!ended.aborted) {
      const { created } = await this.outbox.resume(this.sender())
      await this.showPending()
      for (const { id } of created) await this.invoices.read(id).catch(() => undefined)
      if (this.wallets.canGet) await this.pool.refill()
      await untilLookedAt(REPEAT_MS, ended)
    }
  }
}
