import type { Order, Price } from '../../../src/domain/order.js'
import type { OrderFields } from '../../../src/domain/order-fields.js'
import { ceiling, downTo, type Fraction, fractionText, NOTHING, sumOf, upTo } from '../../chaos/prices-amounts.js'
import { decimal, invoiceAtoms } from './amounts.js'
import type { ModelEvents } from './events.js'
import type { ModelInvoices, Told } from './invoices.js'
import { firstFree, type ModelQuote } from './quotes.js'

/** An order that a client asked for, as it stood in the request. */
export interface ModelOrderRequest {
  readonly owner: string
  readonly price: Price
  readonly options: readonly {
    readonly walletIds: readonly string[]
    readonly currency: string
    readonly fixed: string | null
  }[]
  readonly name: string
  readonly reference: string | null
  readonly fields: OrderFields
  readonly callbackUrl: string | null
  readonly isCallbackValid: boolean
  readonly expiresInSeconds: number
}

/** What is told of an order, but for the moment at which it was read. */
export interface ToldOrder {
  readonly order: Order
  readonly invoices: readonly Told[]
}

/** What is computed of an order when it is shown. */
export interface ShownOrder {
  readonly status: string
  readonly paid_fraction: string
  readonly voided_at: number | null
  readonly remaining: readonly string[]
}

/** A change of what has come for an option: whether it came, and is confirmed, or left. */
interface Cause {
  readonly invoiceId: string
  readonly isConfirmed: boolean
}

const OPTIONS_MAX = 10
const WHOLE = 10_000n
const MS_PER_SECOND = 1000
const PRICE_CURRENCY = /^[A-Z][A-Z0-9]{1,11}$/

/** Orders (decisions 15): what has come is added up for each question, in fractions of big integers. */
export class ModelOrders {
  private readonly orders: { record: Order }[] = []
  /** What has happened that a history of orders is played for. */
  readonly seen = new Set<string>()

  constructor(
    private readonly invoices: ModelInvoices,
    private readonly events: ModelEvents,
  ) {}

  get count(): number {
    return this.orders.length
  }

  /** From the newest one on. */
  recent(position: number): Order | undefined {
    return this.orders[this.orders.length - 1 - position]?.record
  }

  all(): readonly Order[] {
    return this.orders.map(({ record }) => record)
  }

  find(id: string): Order | undefined {
    return this.orders.find(({ record }) => record.id === id)?.record
  }

  /** Newest first. */
  of(owner: string): readonly Order[] {
    return this.all()
      .filter((record) => record.owner === owner)
      .sort((one, other) => (one.id < other.id ? 1 : -1))
  }

  byReference(reference: string): Order | undefined {
    return this.all().find((record) => record.reference === reference)
  }

  /** The code of the refusal of a body before wallets are looked at. */
  static shapeRefusal({ price, options }: Pick<ModelOrderRequest, 'price' | 'options'>): string | null {
    if (invoiceAtoms(price.amount) === null || !PRICE_CURRENCY.test(price.currency)) return 'invalid_price'
    if (options.length === 0 || options.length > OPTIONS_MAX) return 'invalid_options'
    const places = new Set<string>()
    for (const { walletIds, currency, fixed } of options) {
      if (!['native', 'USDT', 'USDC'].includes(currency)) return 'unsupported_currency'
      if (fixed !== null && invoiceAtoms(fixed) === null) return 'invalid_options'
      for (const place of new Set(walletIds.map((id) => `${currency} ${id}`))) {
        if (places.has(place)) return 'invalid_options'
        places.add(place)
      }
    }
    return null
  }

  /** What each option asks, or the code of the refusal: of all options before the next check. */
  judge(
    request: ModelOrderRequest,
    quotes: readonly (ModelQuote | string)[],
    nowMs: number,
  ): readonly ModelQuote[] | string {
    const { owner, options, reference } = request
    const { invoices } = this
    if (!options.every(({ walletIds }) => invoices.arePayable(walletIds, owner))) return 'wallet_not_owned'
    if (!options.every(({ walletIds, currency }) => invoices.areIn(walletIds, currency))) return 'unsupported_currency'
    if (options.some(({ walletIds, currency }) => currency === 'native' && invoices.coinsOf(walletIds).size > 1)) {
      return 'mixed_native_coins'
    }
    const priced: ModelQuote[] = []
    for (const quote of quotes) {
      if (typeof quote === 'string') return this.note(quote)
      priced.push(quote)
    }
    if (!request.isCallbackValid) return 'invalid_callback_url'
    const isTaken = (_: unknown, i: number) => invoices.byReference(`${reference}/${i + 1}`) !== undefined
    if (reference !== null && options.some(isTaken)) return 'reference_in_use'
    const free: ModelQuote[] = []
    for (const [i, quote] of priced.entries()) {
      const { walletIds = [], currency = '' } = options[i] ?? {}
      const isAsked = (atoms: bigint) => invoices.isAsked({ owner, walletIds, currency, atoms }, nowMs)
      const found = firstFree(quote, isAsked)
      if (found === null) return this.note('amount_in_use')
      if (found.amount !== quote.amount) this.note('a raised amount')
      free.push({ ...quote, ...found })
    }
    const sets = options.map(({ walletIds }) => walletIds)
    return sets.some((ids, i) => invoices.areCrowded(ids, owner, sets.slice(0, i), nowMs))
      ? 'too_many_wallet_sets'
      : free
  }

  /** What creating it now gives; the ids are the service's. */
  create(
    request: ModelOrderRequest,
    asked: readonly ModelQuote[],
    id: string,
    invoiceIds: readonly string[],
    nowMs: number,
  ): Order {
    const { owner, price, name, reference, fields, callbackUrl, expiresInSeconds } = request
    const shared = { owner, name, description: null, callbackUrl, isCallbackValid: true, order: fields }
    for (const [i, { amountText }] of asked.entries()) {
      const { walletIds = [], currency = '' } = request.options[i] ?? {}
      const one = {
        ...shared,
        walletIds,
        currency,
        amountText,
        expiresInSeconds,
        reference: `${reference ?? id}/${i + 1}`,
      }
      this.invoices.create(one, invoiceIds[i] ?? '', nowMs, id)
    }
    const record: Order = {
      ...{ id, owner, price, name, description: null, reference, fields, callbackUrl, createdAt: nowMs },
      ...{ expiresAt: nowMs + expiresInSeconds * MS_PER_SECOND, voidedAt: null, acceptedAt: null },
      ...{ isExpiryDecided: false, standing: 'none', isLeaning: false },
      options: asked.map(({ rate, isFixed, decimals }, i) => {
        return { invoiceId: invoiceIds[i] ?? '', rate, isFixed, decimals, isVoidedByOrder: false }
      }),
    }
    this.orders.push({ record })
    this.log('order.created', record, null)
    // Deposits that are dated ahead may have come.
    this.review(id, null, 0, nowMs)
    return record
  }

  /** Behind a change of what has come for one of its options, or behind its creation. */
  review(id: string, cause: Cause | null, underpayment: number, nowMs: number): void {
    this.endBefore(id, nowMs)
    const before = this.get(id)
    const share = this.share(before, 'confirmed')
    const standing = isWhole(share) ? 'paid' : share.over > 0n ? 'partly' : 'none'
    this.put({ ...before, standing, isLeaning: this.countsUnmatched(before) })
    if (before.acceptedAt === null) {
      if (standing !== before.standing) {
        const isMore = standing === 'paid' || before.standing === 'none'
        this.log(isMore ? `order.${standing === 'paid' ? 'paid' : 'partly'}` : 'order.unpaid', before, cause)
      }
      if (standing === 'paid') this.voidOthers(id, nowMs)
      else if (before.standing === 'paid') this.takeBack(id, nowMs)
      const isNear = share.over < share.under && share.over * WHOLE >= share.under * (WHOLE - BigInt(underpayment))
      const mayBeAccepted = cause?.isConfirmed === true && underpayment > 0 && this.get(id).voidedAt === null
      if (mayBeAccepted && isNear) this.acceptNow(id, nowMs)
    }
    if (cause?.isConfirmed !== true || share.over <= share.under) return
    const option = before.options.find(({ invoiceId }) => invoiceId === cause.invoiceId)
    const excess = ((share.over - share.under) * this.invoices.atomsOf(cause.invoiceId)) / share.under
    if (downTo(option?.decimals ?? 0, excess) > 0n) this.log('order.overpaid', before, cause)
  }

  /** A confirmed deposit that was matched to nobody has left a wallet: those are judged again that counted such money there. */
  unmatchedLeft(walletId: string, currency: string, nowMs: number): void {
    const isThere = ({ options }: Order) =>
      options.some(({ invoiceId }) => this.invoices.isOn(invoiceId, walletId, currency))
    const leaning = this.all().filter((order) => order.isLeaning && isThere(order))
    for (const { id } of leaning.sort((one, other) => (one.id < other.id ? -1 : 1))) {
      this.note('a deposit of nobody that takes something from an order')
      this.review(id, null, 0, nowMs)
    }
  }

  /** Decides the expiries that are due, behind those of invoices. */
  expire(nowMs: number): void {
    const due = this.all()
      .filter(({ isExpiryDecided, expiresAt }) => !isExpiryDecided && expiresAt <= nowMs)
      .sort((one, other) => one.expiresAt - other.expiresAt || (one.id < other.id ? -1 : 1))
    for (const { id } of due) this.decideExpiry(id, nowMs)
  }

  /** Voids an order: null when it is void then, or the code of the refusal. */
  void(id: string, owner: string, nowMs: number): string | null {
    const order = this.toEnd(id, nowMs)
    if (order === undefined) return 'order_not_found'
    if (order.owner !== owner) return 'not_order_owner'
    if (order.voidedAt !== null) return null
    if (order.acceptedAt !== null || isWhole(this.share(order, 'seen'))) return 'order_paid'
    for (const { invoiceId } of order.options) this.invoices.voidNow(invoiceId, nowMs)
    this.endIfNoneIsLeft(id, nowMs)
    return null
  }

  /** Accepts an order, likewise. */
  accept(id: string, owner: string, nowMs: number): string | null {
    const order = this.toEnd(id, nowMs)
    if (order === undefined) return 'order_not_found'
    if (order.owner !== owner) return 'not_order_owner'
    if (order.acceptedAt !== null) return null
    if (order.voidedAt !== null) return 'order_void'
    this.acceptNow(id, nowMs)
    return null
  }

  /** One of its invoices was voided or accepted by itself. */
  optionEnded(id: string, how: 'void' | 'accept', nowMs: number): void {
    if (how === 'void') return this.endIfNoneIsLeft(id, nowMs)
    if (this.get(id).acceptedAt === null) this.acceptNow(id, nowMs)
  }

  /** What still completes an order in the coin of an option, atoms. */
  remaining(order: Order, option: number): bigint {
    const { invoiceId = '', decimals = 0 } = order.options[option] ?? {}
    const { over, under } = this.share(order, 'confirmed')
    if (order.acceptedAt !== null || over >= under) return 0n
    return upTo(decimals, ceiling((under - over) * this.invoices.atomsOf(invoiceId), under))
  }

  /** By the clock. */
  told(id: string, nowMs: number): ToldOrder | undefined {
    const order = this.find(id)
    if (order === undefined) return undefined
    const invoices = order.options.map(({ invoiceId }) => this.invoices.told(invoiceId, nowMs))
    return { order, invoices: invoices.filter((one) => one !== undefined) }
  }

  shown(id: string, nowMs: number): ShownOrder {
    const order = this.get(id)
    const share = this.share(order, 'confirmed')
    const ends = order.options.map(({ invoiceId }) => this.invoices.told(invoiceId, nowMs)?.voidedAt ?? null)
    const voidedAt = this.voidedAtBy(order, ends, nowMs)
    const isPaid = order.acceptedAt !== null || isWhole(share)
    const ended = voidedAt === null ? 'unpaid' : voidedAt >= order.expiresAt ? 'expired' : 'void'
    return {
      status: isPaid ? 'paid' : share.over > 0n ? 'partly' : ended,
      paid_fraction: fractionText(share),
      voided_at: voidedAt,
      remaining: order.options.map((_, i) => decimal(this.remaining(order, i))),
    }
  }

  private toEnd(id: string, nowMs: number): Order | undefined {
    const order = this.find(id)
    if (order !== undefined && !order.isExpiryDecided && order.expiresAt <= nowMs) this.decideExpiry(id, nowMs)
    return this.find(id)
  }

  private decideExpiry(id: string, nowMs: number): void {
    this.put({ ...this.get(id), isExpiryDecided: true })
    this.endIfNoneIsLeft(id, nowMs)
  }

  private acceptNow(id: string, nowMs: number): void {
    this.put({ ...this.get(id), acceptedAt: nowMs })
    this.log('order.accepted', this.get(id), null)
    this.voidOthers(id, nowMs)
  }

  private voidOthers(id: string, nowMs: number): void {
    const order = this.get(id)
    const options = order.options.map((option) => {
      const { invoiceId } = option
      if (this.invoices.ownOf(invoiceId).confirmed >= this.invoices.atomsOf(invoiceId)) return option
      return this.invoices.voidNow(invoiceId, nowMs) ? { ...option, isVoidedByOrder: true } : option
    })
    this.put({ ...order, options })
  }

  /** What the completion had voided lives again, unless it has expired meanwhile, or its amount is another's by now. */
  private takeBack(id: string, nowMs: number): void {
    const order = this.get(id)
    for (const { invoiceId, isVoidedByOrder } of order.options) {
      if (!isVoidedByOrder) continue
      const { confirmed, pending } = this.invoices.ownOf(invoiceId)
      const isPast = order.expiresAt <= nowMs
      if (isPast && confirmed + pending === 0n) this.note('an option that expired while its order was paid')
      else if (!this.invoices.reviveIfFree(invoiceId, isPast, nowMs)) this.note('an option whose amount is taken')
      else this.note(isPast ? 'an option that lives again with what came' : 'an option that lives again')
    }
    const options = order.options.map((option) => ({ ...option, isVoidedByOrder: false }))
    this.put({ ...order, options })
    this.endIfNoneIsLeft(id, nowMs)
  }

  /** Its time may have been over before something came, when nobody has decided that yet. */
  private endBefore(id: string, nowMs: number): void {
    const { standing, expiresAt } = this.get(id)
    if (standing !== 'paid' && expiresAt <= nowMs) this.endIfNoneIsLeft(id, nowMs, NOTHING)
  }

  /** `share`: what has come, as far as it decides. */
  private endIfNoneIsLeft(id: string, nowMs: number, share?: Fraction): void {
    const order = this.get(id)
    const ends = order.options.map(({ invoiceId }) => this.invoices.voidedAtOf(invoiceId))
    const voidedAt = this.voidedAtBy(order, ends, nowMs, share)
    const isOver = order.voidedAt === null && order.acceptedAt === null && !ends.includes(null)
    if (isOver && voidedAt === null && order.standing !== 'paid') {
      // What is matched to nobody has paid it, and nobody had to find that out before.
      this.put({ ...order, standing: 'paid', isLeaning: this.countsUnmatched(order) })
      this.log('order.paid', order, null)
    }
    if (voidedAt === order.voidedAt) return
    this.put({ ...order, voidedAt })
    this.log((voidedAt ?? 0) >= order.expiresAt ? 'order.expired' : 'order.voided', order, null)
  }

  /** As soon as none of its invoices can be paid, unless it is paid or accepted. */
  private voidedAtBy(
    order: Order,
    ends: readonly (number | null)[],
    nowMs: number,
    share = this.share(order, 'confirmed'),
  ): number | null {
    const { voidedAt, acceptedAt, expiresAt } = order
    if (voidedAt !== null || acceptedAt !== null || isWhole(share)) return voidedAt
    let last = 0
    for (const end of ends) {
      if (end === null) return null
      last = Math.max(last, end)
    }
    return expiresAt <= nowMs ? expiresAt : last
  }

  private share({ options }: Order, what: 'confirmed' | 'seen'): Fraction {
    return options.reduce<Fraction>((sum, { invoiceId }) => {
      const { confirmed, pending } = this.invoices.ownOf(invoiceId)
      const over = what === 'confirmed' ? confirmed : confirmed + pending
      return sumOf(sum, { over, under: this.invoices.atomsOf(invoiceId) })
    }, NOTHING)
  }

  private countsUnmatched({ options }: Order): boolean {
    return options.some(({ invoiceId }) => this.invoices.unmatchedOf(invoiceId) > 0n)
  }

  private get(id: string): Order {
    const order = this.find(id)
    if (order === undefined) throw new Error('the model lacks an order')
    return order
  }

  private put(order: Order): void {
    const known = this.orders.find(({ record }) => record.id === order.id)
    if (known !== undefined) known.record = order
  }

  private log(type: Parameters<ModelEvents['addOrder']>[0], order: Order, cause: Cause | null): void {
    this.note(type)
    this.events.addOrder(type, order, cause?.invoiceId ?? null)
  }

  private note<T extends string>(what: T): T {
    this.seen.add(what)
    return what
  }
}

function isWhole({ over, under }: Fraction): boolean {
  return over >= under
}
