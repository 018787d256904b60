import { authorise, type Permission } from '../../src/domain/api-key.js'
import type { OwnerEvent } from '../../src/domain/event.js'
import type { Network } from '../../src/domain/network.js'
import type { QualifyingDeposit } from '../../src/domain/payment.js'
import type { Delivery } from '../../src/domain/webhook.js'
import { shownOrder } from '../../src/http/routes/orders.js'
import type { Awaitable, Page, PageOf } from '../../src/store/reading.js'
import type { Store } from '../../src/store/store.js'
import type { ModelEvent } from './model/events.js'
import type { Model } from './model/model.js'
import { namesOf } from './model/outbox.js'
import { orderNumberOf, ownerName, publicKey } from './names.js'
import type { ScriptNetworks } from './networks.js'
import type { Random } from './random.js'
import type { Touched } from './referee.js'
import { expectEqual, violate } from './violation.js'

export const OWNERS_MAX = 5
const PAGES_MAX = 10_000
const WHOLE: Page = { after: null, limit: 1_000_000 }
/** Invoices whose sums are looked at after a deposit to their wallet. */
const SAMPLES = 4
/** Deposits of an invoice that are asked for where not all are. */
const FEW = 3

/** A log of an owner, as it was read so far. */
interface ReadLog {
  last: string | null
  readonly events: ModelEvent[]
  agreed: number
  readonly payments: Payments
}

/** Compares what the store answers with what the model does. */
export class Comparison {
  /** What a reader has read so far who goes on where it stopped, by owner. */
  private readonly followed = new Map<string, OwnerEvent[]>()
  /** What the store has of each log, without payments; on the first `agreed` events the model has agreed. */
  private readonly logged = new Map<string, ReadLog>()

  constructor(
    private readonly model: Model,
    private readonly networks: ScriptNetworks,
    private readonly store: () => Store,
    private readonly now: () => number,
  ) {}

  /** Reads on in the logs of all owners, for `fits`. Call it when model and store agree but for what was just performed. */
  async readEvents(): Promise<void> {
    for (let owner = 0; owner < OWNERS_MAX; owner += 1) {
      const name = ownerName(owner)
      const log = this.logged.get(name) ?? { last: null, events: [], agreed: 0, payments: new Payments() }
      this.logged.set(name, log)
      log.agreed = log.events.length
      const { items } = await this.page(name, { ...WHOLE, after: log.last })
      log.last = items.at(-1)?.id ?? log.last
      log.events.push(...items.filter((event) => !log.payments.isOne(event)).map(told))
    }
  }

  /** What the model has done since is what the store has, as far as it has come. */
  fits(): void {
    for (const [owner, { events, agreed }] of this.logged) {
      const done = this.model.events.of(owner)
      for (let i = agreed; i < done.length; i += 1) expectEqual('an event of an owner', events[i], done[i], owner)
    }
  }

  /** What the store has told of each owner since model and store agreed, in order. */
  newEvents(): readonly string[] {
    return [...this.logged].flatMap(([owner, { events, agreed }]) => {
      const names = events
        .slice(agreed)
        .map(({ type, invoiceId, deposit }) => [type, invoiceId, deposit?.txHash].filter(Boolean).join(' '))
      return names.length === 0 ? [] : [`events of ${owner}: ${names.join(', ')}`]
    })
  }

  /** The model has done all that the store has. */
  hasDoneAll(): void {
    for (const [owner, { events }] of this.logged) {
      const done = this.model.events.of(owner)
      expectEqual('events that only the store has', events.slice(done.length), [], owner)
    }
  }

  /** What a call has changed, and some of what depends on it. */
  async afterwards(touched: Touched, random: Random): Promise<void> {
    const { model } = this
    const store = this.store()
    switch (touched.what) {
      case 'invoice':
        return this.invoice(touched.id)
      case 'order':
        return this.order(touched.id)
      case 'wallet':
        return this.wallet(touched.id)
      case 'delivery':
        return this.delivery(touched.id)
      case 'webhook':
        return expectEqual('a webhook', await store.webhooks.find(touched.id), model.outbox.configuration(touched.id))
      case 'keys':
        return this.keys(touched.id)
      case 'chain':
        return this.chain(touched.network)
      case 'deposit': {
        const { network, txHash, index } = touched
        const deposit = model.deposits.find(network, txHash, index)?.record
        expectEqual('a deposit record', await store.deposits.find(network, txHash, index), deposit)
        for (let n = 0; n < SAMPLES && model.invoices.count > 0; n += 1) {
          await this.invoice(model.invoices.at(random.below(model.invoices.count))?.id ?? '')
        }
        return
      }
    }
  }

  /** Whether a key is accepted: now, and around the moment at which it expires. */
  async authorise(pick: number, permission: Permission): Promise<void> {
    const { keys } = this.model
    const bytes = keys.publicKeyAt(pick % (keys.count + 1)) ?? publicKey(pick)
    const record = await this.store().keys.find(bytes)
    expectEqual('a key record', record, keys.find(bytes))
    const expiresAt = record?.expires_at ?? 0
    for (const at of [this.now(), expiresAt, expiresAt + 1]) {
      const answer = authorise(record, permission, at)
      const expected = keys.refusalOf(bytes, permission, at)
      expectEqual('whether a key is accepted', answer.ok ? null : answer.failure.code, expected, [record, at])
    }
  }

  /** One owner's lists, page by page, and something of each other kind. */
  async look(random: Random): Promise<void> {
    const owner = ownerName(random.below(OWNERS_MAX))
    const limit = random.between(1, 40)
    await this.follow(owner, limit)
    switch (random.below(6)) {
      case 0:
        return this.invoices(owner, limit)
      case 1:
        await this.wallets(owner, limit)
        return this.pool()
      case 2:
        await this.keys(owner)
        return this.references(random.below(Math.max(1, this.model.invoices.count)))
      case 3:
        return this.deliveries(owner, limit)
      case 4:
        return this.orders(owner, limit)
      default:
        for (let n = 0; n < SAMPLES && this.model.invoices.count > 0; n += 1) {
          await this.invoice(this.model.invoices.at(random.below(this.model.invoices.count))?.id ?? '')
        }
    }
  }

  /** Everything. */
  async all(): Promise<void> {
    const { model } = this
    const store = this.store()
    for (let owner = 0; owner < OWNERS_MAX; owner += 1) {
      const name = ownerName(owner)
      await this.invoices(name, WHOLE.limit)
      await this.orders(name, WHOLE.limit)
      await this.wallets(name, WHOLE.limit)
      await this.keys(name)
      await this.deliveries(name, WHOLE.limit)
      await this.events(name)
      expectEqual('a webhook', await store.webhooks.find(name), model.outbox.configuration(name))
      expectEqual(
        'whether an identity is known',
        await store.identities.isKnown(name),
        model.wallets.isIdentityKnown(name),
        name,
      )
    }
    for (const { id } of model.invoices.all()) await this.invoice(id)
    for (const { id } of model.orders.all()) await this.order(id)
    for (const wallet of model.wallets.all()) {
      expectEqual('a wallet', await store.wallets.find(wallet.id), wallet)
      if (wallet.network !== null && wallet.address !== null) {
        expectEqual('the wallet at an address', await store.wallets.at(wallet.network, wallet.address), wallet)
      }
    }
    for (const { record } of model.deposits.all()) {
      expectEqual('a deposit record', await store.deposits.find(record.network, record.txHash, record.index), record)
    }
    for (const network of this.networks) {
      await this.chain(network)
      for (const { height, hash, parentHash, timeMs } of model.chains.blocks(network)) {
        expectEqual('a block', await store.chain.blockAt(network, height), { height, hash, parentHash, timeMs })
      }
    }
    await this.pool()
    expectEqual(
      'the lanes with something queued',
      namesOf(await store.outbox.queuedLanes()),
      model.outbox.queuedLanes(),
    )
    for (let i = 0; i < model.invoices.count; i += 1) await this.references(i)
  }

  private async chain(network: Network): Promise<void> {
    expectEqual(
      'where a watcher is',
      await this.store().chain.position(network),
      this.model.chains.position(network),
      network,
    )
  }

  private async invoice(id: string): Promise<void> {
    const expected = this.model.invoices.told(id, this.now())
    expectEqual('an invoice and its payment', await this.store().invoices.findWithPayment(id), expected, id)
    await this.qualifying(id)
  }

  /** All of an invoice's deposits, and the newest few of them. */
  private async qualifying(id: string): Promise<void> {
    const found = await this.store().invoices.findWithDeposits(id, WHOLE.limit)
    if (found === undefined) return
    const { deposits } = found
    const { chains, invoices } = this.model
    const expected = invoices.qualifying(id, (deposit) => chains.confirmationsOf(deposit))
    expectEqual('the order of an invoice', found.orderId, invoices.orderIdOf(id), id)
    expectEqual('the deposits of an invoice', sorted(deposits), sorted(expected), id)
    for (const [i, { receivedAt }] of deposits.entries()) {
      if (receivedAt > (deposits[i - 1]?.receivedAt ?? receivedAt)) violate('deposits are newest first', deposits)
    }
    const few = await this.store().invoices.findWithDeposits(id, FEW)
    expectEqual('the newest deposits', few?.deposits, deposits.slice(0, FEW), id)
    expectEqual('whether there are more deposits', few?.hasMoreDeposits, deposits.length > FEW, id)
  }

  private async invoices(owner: string, limit: number): Promise<void> {
    const expected = this.model.invoices.of(owner)
    const read = (page: Page) => this.store().invoices.page(owner, page)
    expectEqual('the invoices of an owner', await walk(read, limit), expected, owner)
    const orderNumber = orderNumberOf(limit)
    const readNumbered = (page: Page) => this.store().invoices.page(owner, page, orderNumber)
    const numbered = this.model.invoices.numbered(owner, orderNumber)
    expectEqual('the invoices of an order number', await walk(readNumbered, limit), numbered, [owner, orderNumber])
    const paid = (await this.store().invoices.pageWithPayment(owner, { after: null, limit })).items.at(-1)
    if (paid !== undefined)
      expectEqual('an invoice in a list', paid, this.model.invoices.told(paid.invoice.id, this.now()))
  }

  /** An order with its invoices, and what is computed of it. */
  private async order(id: string): Promise<void> {
    const { orders } = this.model
    const now = this.now()
    const told = orders.told(id, now)
    const found = await this.store().orders.findWithOptions(id)
    expectEqual('an order', found, told === undefined ? undefined : { ...told, readAt: now }, id)
    if (found === undefined) return
    const { status, paid_fraction, voided_at, options } = shownOrder(found)
    const shown = { status, paid_fraction, voided_at, remaining: options.map(({ remaining }) => remaining) }
    expectEqual('an order as it is shown', shown, orders.shown(id, now), id)
    for (const { invoice } of found.invoices) await this.invoice(invoice.id)
  }

  private async orders(owner: string, limit: number): Promise<void> {
    const { orders } = this.model
    const expected = orders.of(owner)
    const listed = async (orderNumber: string | null) => {
      const read = (page: Page) => this.store().orders.page(owner, page, { orderNumber })
      return (await walk(read, limit)).map(({ order }) => order)
    }
    expectEqual('the orders of an owner', await listed(null), expected, owner)
    const orderNumber = orderNumberOf(limit)
    const numbered = expected.filter(({ fields }) => fields.orderNumber === orderNumber)
    expectEqual('the orders of an order number', await listed(orderNumber), numbered, [owner, orderNumber])
    const reference = expected[limit % Math.max(1, expected.length)]?.reference ?? 'unknown'
    const found = await this.store().orders.findByReference(reference)
    expectEqual('the order of a reference', found?.order, orders.byReference(reference), reference)
  }

  /** With its place among the others of its owner. */
  private async wallet(id: string): Promise<void> {
    const expected = this.model.wallets.find(id)
    expectEqual('a wallet', await this.store().wallets.find(id), expected)
    const owner = expected?.owner ?? null
    if (owner !== null) await this.wallets(owner, WHOLE.limit)
  }

  private async wallets(owner: string, limit: number): Promise<void> {
    const read = (page: Page) => this.store().wallets.page(owner, page)
    expectEqual('the wallets of an owner', await walk(read, limit), this.model.wallets.of(owner), owner)
  }

  private async keys(owner: string): Promise<void> {
    expectEqual(
      'the keys of an owner',
      await walk((page) => this.store().keys.page(owner, page), 7),
      this.model.keys.of(owner),
      owner,
    )
  }

  private async deliveries(owner: string, limit: number): Promise<void> {
    const read = (page: Page) => this.store().outbox.page(owner, page)
    expectEqual(
      'the deliveries of an owner',
      (await walk(read, limit)).map(plain),
      this.model.outbox.of(owner).map(plain),
      owner,
    )
  }

  /** Reads on behind the last event that was read. */
  private async follow(owner: string, limit: number): Promise<void> {
    const read = this.followed.get(owner) ?? []
    this.followed.set(owner, read)
    read.push(...(await this.page(owner, { after: read.at(-1)?.id ?? null, limit })).items)
  }

  private async events(owner: string): Promise<void> {
    const events = await walk((page) => this.page(owner, page), WHOLE.limit)
    const read = this.followed.get(owner) ?? []
    expectEqual('what a reader of events has read', read, events.slice(0, read.length), owner)
    const payments = paymentsIn(events)
    const others = events.filter((event) => !payments.has(event)).map(told)
    expectEqual('the events of an owner', others, this.model.events.of(owner), owner)
    for (const [i, { id, at }] of events.entries()) {
      const before = events[i - 1]
      if (before !== undefined && (before.id >= id || before.at > at)) violate('the order of events', [before.id, id])
    }
    // Also one that says that an invoice lives again, which the model tells.
    const judgements = events.filter(({ type }) => type === 'invoice.paid' || type === 'invoice.unpaid')
    for (const { invoiceId, type } of new Map(judgements.map((one) => [one.invoiceId, one])).values()) {
      const invoice = this.model.invoices.told(invoiceId ?? '', this.now())
      if (invoice === undefined || isOver(invoice) || type === 'invoice.unpaid') continue
      expectEqual('an invoice whose last event says that it is paid', invoice.payment.status, 'paid', invoiceId)
    }
    const last = new Map<string | null, string>()
    for (const event of events) {
      const { invoiceId, type } = event
      // An invoice that lives again may have been paid before.
      if (type === 'invoice.unpaid' && !payments.has(event)) last.delete(invoiceId)
      if (!payments.has(event)) continue
      const expected = last.get(invoiceId) === 'invoice.paid' ? 'invoice.unpaid' : 'invoice.paid'
      expectEqual('the payments of an invoice in turn', type, expected, invoiceId)
      last.set(invoiceId, type)
    }
  }

  /**
   * The deliveries of events are those of the log, in its order. `isExact`: all that were to be sent, and no others; where calls happen
   * at once, it is not known which of two came first.
   */
  async sentEvents(isExact: boolean): Promise<void> {
    for (let owner = 0; owner < OWNERS_MAX; owner += 1) {
      const name = ownerName(owner)
      const log = await walk((page) => this.page(name, page), WHOLE.limit)
      const sent = this.model.outbox
        .of(name)
        .filter(({ event }) => event !== null)
        .toReversed()
      const bodies = new Map(log.map(({ id, type, at, ...data }) => [id, JSON.stringify({ id, type, at, data })]))
      let before = ''
      for (const { event, body } of sent) {
        const id = event?.id ?? ''
        if (id <= before) violate('the order of events that are sent', [before, id])
        before = id
        expectEqual('the body of an event', body, bodies.get(id), name)
      }
      if (isExact) this.sentExactly(name, log, new Set(sent.map(({ event }) => event?.id ?? '')))
    }
  }

  /** When an expiry or a payment was noted the model does not know, so those may have been before a choice or behind it. */
  private sentExactly(owner: string, log: readonly OwnerEvent[], sent: ReadonlySet<string>): void {
    const followings = this.model.outbox.followingsOf(owner)
    const payments = new Payments()
    for (const [i, { id, type, delivery }] of log.filter((event) => !payments.isOne(event)).entries()) {
      if (type === 'invoice.expired') continue
      const isOfFailure = delivery?.event?.type === 'delivery.failed'
      const isOwed = followings.some(({ from, to, end }) => end !== 'dropped' && from <= i && i < to)
      const last = followings.findLastIndex(({ from }) => from <= i)
      // What was left and not sent yet when it was chosen again is sent with all that follows.
      const isBetween = followings[last]?.isJoined === true
      const mayBe = isBetween || followings.some(({ from, to }) => from <= i && i < to)
      if (isOwed && !isOfFailure && !sent.has(id)) violate('an event that was not sent', [owner, i, type, followings])
      if ((!mayBe || isOfFailure) && sent.has(id))
        violate('an event that was not to be sent', [owner, i, type, followings])
    }
  }

  /** Every invoice that is paid has been told to be, once nothing is left to catch up with. */
  async caughtUp(): Promise<void> {
    for (let owner = 0; owner < OWNERS_MAX; owner += 1) {
      const told = new Map<string | null, string>()
      for (const { invoiceId, type } of await walk((page) => this.page(ownerName(owner), page), WHOLE.limit)) {
        if (type === 'invoice.paid' || type === 'invoice.unpaid') told.set(invoiceId, type)
      }
      for (const { id } of this.model.invoices.of(ownerName(owner))) {
        const invoice = this.model.invoices.told(id, this.now())
        if (invoice === undefined || isOver(invoice)) continue
        const isPaid = told.get(id) === 'invoice.paid'
        expectEqual('whether an invoice was told to be paid', isPaid, invoice.payment.status === 'paid', id)
      }
    }
  }

  private async page(owner: string, page: Page): Promise<PageOf<OwnerEvent>> {
    const answer = await this.store().events.page(owner, page)
    return answer.ok ? answer.value : violate('a page of events', [owner, answer.failure])
  }

  private async delivery(id: string): Promise<void> {
    const found = await this.store().outbox.find(id)
    const expected = this.model.outbox.find(id)?.record
    expectEqual('a delivery', found && plain(found), expected && plain(expected), id)
  }

  private async references(position: number): Promise<void> {
    const reference = this.model.invoices.at(position)?.reference ?? 'unknown'
    const found = await this.store().invoices.findByReference(reference)
    expectEqual('the invoice of a reference', found, this.model.invoices.byReference(reference), reference)
  }

  private async pool(): Promise<void> {
    for (const network of this.networks) {
      const unassigned = await this.store().wallets.countUnassigned(network)
      expectEqual('unassigned wallets', unassigned, this.model.wallets.unassigned(network), network)
    }
  }
}

/** Nobody is told any more whether it is paid. */
function isOver({
  voidedAt,
  acceptedAt,
}: {
  readonly voidedAt: number | null
  readonly acceptedAt: number | null
}): boolean {
  return voidedAt !== null || acceptedAt !== null
}

/**
 * Tells apart, in the order of a log, what says that an invoice was paid or is paid no more, which may be noted later than it happens. An
 * invoice that was void, and lives again because the end of its order was taken back, is told as unpaid too, and at once.
 */
class Payments {
  private readonly ended = new Set<string | null>()

  isOne({ type, invoiceId }: OwnerEvent): boolean {
    if (type === 'invoice.voided' || type === 'invoice.expired') this.ended.add(invoiceId)
    if (type === 'invoice.unpaid' && this.ended.delete(invoiceId)) return false
    return type === 'invoice.paid' || type === 'invoice.unpaid'
  }
}

function paymentsIn(events: readonly OwnerEvent[]): ReadonlySet<OwnerEvent> {
  const payments = new Payments()
  return new Set(events.filter((event) => payments.isOne(event)))
}

/** What an event tells, without its id and its time. */
function told({ id: _, at: __, ...event }: OwnerEvent): ModelEvent {
  return event
}

/** Words for people in a result are not compared. */
function plain(delivery: Delivery): Delivery {
  const { result } = delivery
  return result?.kind === 'failed' ? { ...delivery, result: { ...result, detail: '' } } : delivery
}

/** Deposits in an order that does not depend on the store's numbers. */
function sorted(deposits: readonly QualifyingDeposit[]): readonly QualifyingDeposit[] {
  const nameOf = ({ network, txHash, index }: QualifyingDeposit) => `${network} ${index} ${txHash}`
  return deposits.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
}

async function walk<T>(read: (page: Page) => Awaitable<PageOf<T>>, limit: number): Promise<readonly T[]> {
  const items: T[] = []
  let after: string | null = null
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page: PageOf<T> = await read({ after, limit })
    items.push(...page.items)
    if (page.next === null) return items
    after = page.next
  }
  return violate('a list without an end', limit)
}
