import type { Currency } from '../../../src/domain/amount.js'
import type { Deposit, Sighting } from '../../../src/domain/deposit.js'
import type { Invoice } from '../../../src/domain/invoice.js'
import type { OrderFields } from '../../../src/domain/order-fields.js'
import type { Payment, QualifyingDeposit } from '../../../src/domain/payment.js'
import { currencyOf, symbolOf, tokenDecimalsOf } from '../networks.js'
import { decimal, invoiceAtoms, smallestUnit } from './amounts.js'
import type { ModelDeposit, ModelDeposits, ModelMatch } from './deposits.js'
import type { ModelEvents } from './events.js'
import type { ModelWallets } from './wallets.js'

/** An invoice that a client asked for, as it stood in the request. */
export interface ModelRequest {
  readonly owner: string
  readonly walletIds: readonly string[]
  readonly name: string
  readonly description: string | null
  readonly reference: string | null
  readonly amountText: string
  readonly currency: string
  readonly callbackUrl: string | null
  readonly isCallbackValid: boolean
  readonly order: OrderFields
  readonly expiresInSeconds: number | null
}

interface ModelInvoice {
  readonly record: Invoice
  /** The order that it is an option of; null for none. */
  readonly orderId: string | null
  readonly order: OrderFields
  readonly walletIds: readonly string[]
  readonly atoms: bigint
  readonly expiresAt: number | null
  voidedAt: number | null
  acceptedAt: number | null
  /** It was paid or being paid when its time to expire came. */
  hasOutlivedExpiry: boolean
}

/** What is told of an invoice. */
export interface Told {
  readonly invoice: Invoice
  readonly order: OrderFields
  readonly payment: Payment
  readonly own: Payment
  readonly voidedAt: number | null
  readonly acceptedAt: number | null
  readonly expiresAt: number | null
}

/** 30 days (decisions 6). */
const LATE_MS = 30 * 24 * 60 * 60 * 1000

/** Sets of wallets that may share a wallet (decisions 6). */
const SETS_MAX = 64

/** Invoices (specification, Invoice paid status, POST /api/invoices; decisions 4 and 6): nothing is kept that can be computed. */
export class ModelInvoices {
  private readonly invoices: ModelInvoice[] = []

  constructor(
    private readonly wallets: ModelWallets,
    private readonly deposits: ModelDeposits,
    private readonly defaultCallbackOf: (owner: string) => string | null,
    private readonly events: ModelEvents,
  ) {}

  get count(): number {
    return this.invoices.length
  }

  at(position: number): Invoice | undefined {
    return this.invoices[position]?.record
  }

  all(): readonly Invoice[] {
    return this.invoices.map(({ record }) => record)
  }

  find(id: string): Invoice | undefined {
    return this.invoices.find(({ record }) => record.id === id)?.record
  }

  byReference(reference: string): Invoice | undefined {
    return this.invoices.find(({ record }) => record.reference === reference)?.record
  }

  /** Newest first. */
  of(owner: string): readonly Invoice[] {
    return this.all()
      .filter((record) => record.owner === owner)
      .sort((one, other) => (one.id < other.id ? 1 : -1))
  }

  /** Those of an owner that have an order number, newest first. */
  numbered(owner: string, orderNumber: string): readonly Invoice[] {
    return this.of(owner).filter(({ id }) => this.orderOf(id)?.orderNumber === orderNumber)
  }

  /** What can be said of a request before its wallets are looked at. */
  static shapeRefusal(request: ModelRequest): string | null {
    if (invoiceAtoms(request.amountText) === null || request.walletIds.length === 0) return 'invalid_invoice'
    return ['native', 'USDT', 'USDC'].includes(request.currency) ? null : 'unsupported_currency'
  }

  /** The code of the refusal, null when it is created: ownership, currency, callback, reference, amount, in this order. */
  refusal(request: ModelRequest, nowMs: number): string | null {
    const { owner, walletIds, currency } = request
    if (!this.arePayable(walletIds, owner)) return 'wallet_not_owned'
    if (!this.areIn(walletIds, currency)) return 'unsupported_currency'
    if (!request.isCallbackValid) return 'invalid_callback_url'
    if (request.reference !== null && this.byReference(request.reference) !== undefined) return 'reference_in_use'
    const atoms = invoiceAtoms(request.amountText) ?? 0n
    if (this.isAsked({ owner, walletIds, currency, atoms }, nowMs)) return 'amount_in_use'
    return this.areCrowded(walletIds, owner, [], nowMs) ? 'too_many_wallet_sets' : null
  }

  /** Whether an owner may be paid on all of some wallets. */
  arePayable(walletIds: readonly string[], owner: string): boolean {
    return walletIds.every((id) => this.wallets.isPayable(id, owner))
  }

  /** Whether the networks of all of some wallets have a currency. */
  areIn(walletIds: readonly string[], currency: string): boolean {
    return walletIds.every((id) => this.isPayableIn(id, currency))
  }

  /** The coins of the networks of some wallets. */
  coinsOf(walletIds: readonly string[]): ReadonlySet<string | null> {
    const networks = walletIds.map((id) => this.wallets.find(id)?.network ?? null)
    return new Set(networks.map((network) => (network === null ? null : symbolOf(network, 'native'))))
  }

  private isPayableIn(walletId: string, currency: string): boolean {
    const network = this.wallets.find(walletId)?.network ?? null
    return currency === 'native' || (network !== null && tokenDecimalsOf(network, currency) !== null)
  }

  /** What creating it now gives; the id is the service's. `orderId`: the order that it is an option of. */
  create(request: ModelRequest, id: string, nowMs: number, orderId: string | null = null): Invoice {
    const record: Invoice = {
      id,
      owner: request.owner,
      wallet_id: request.walletIds[0] ?? '',
      wallet_ids: request.walletIds.join(','),
      name: request.name,
      description: request.description,
      reference: request.reference,
      amount: request.amountText,
      // Anything else was refused by its shape.
      currency: request.currency as Currency,
      callback_url: request.callbackUrl,
      created_at: nowMs,
    }
    this.events.noteInvoice(record, request.order, orderId)
    this.invoices.push({
      record,
      orderId,
      order: request.order,
      walletIds: request.walletIds,
      atoms: invoiceAtoms(request.amountText) ?? 0n,
      expiresAt: request.expiresInSeconds === null ? null : nowMs + request.expiresInSeconds * 1000,
      voidedAt: null,
      acceptedAt: null,
      hasOutlivedExpiry: false,
    })
    this.events.add(record.owner, 'invoice.created', record.id)
    return record
  }

  payment(id: string): Payment | undefined {
    const invoice = this.invoices.find(({ record }) => record.id === id)
    return invoice === undefined ? undefined : this.paymentOf(invoice)
  }

  orderOf(id: string): OrderFields | undefined {
    return this.row(id)?.order
  }

  /** The order that an invoice is an option of. */
  orderIdOf(id: string): string | null {
    return this.row(id)?.orderId ?? null
  }

  /** What an invoice asks, atoms. */
  atomsOf(id: string): bigint {
    return this.row(id)?.atoms ?? 0n
  }

  /** What has come that is not matched to another invoice, atoms. */
  ownOf(id: string): { readonly confirmed: bigint; readonly pending: bigint } {
    const invoice = this.row(id)
    if (invoice === undefined) return { confirmed: 0n, pending: 0n }
    return { confirmed: this.sum(invoice, 'confirmed', isOwn), pending: this.sum(invoice, 'pending', isOwn) }
  }

  /** What of its own confirmed money is matched to no invoice, atoms. */
  unmatchedOf(id: string): bigint {
    const invoice = this.row(id)
    return invoice === undefined ? 0n : this.sum(invoice, 'confirmed', (_, { invoiceId }) => invoiceId === null)
  }

  /** Whether an invoice is on a wallet and in a currency. */
  isOn(id: string, walletId: string, currency: string): boolean {
    const invoice = this.row(id)
    return invoice?.record.currency === currency && invoice.walletIds.includes(walletId)
  }

  /** When it became void, as it is decided. */
  voidedAtOf(id: string): number | null {
    return this.row(id)?.voidedAt ?? null
  }

  /** Voids an invoice for its order. False when it is void or accepted already. */
  voidNow(id: string, nowMs: number): boolean {
    const invoice = this.row(id)
    if (invoice === undefined || invoice.voidedAt !== null || invoice.acceptedAt !== null) return false
    invoice.voidedAt = nowMs
    this.events.add(invoice.record.owner, 'invoice.voided', id)
    return true
  }

  /** Has a void invoice be payable again, unless an unpaid one asks its amount. `isPast`: its time to expire is over. */
  reviveIfFree(id: string, isPast: boolean, nowMs: number): boolean {
    const invoice = this.row(id)
    if (invoice === undefined) return false
    const { record, walletIds, atoms } = invoice
    if (this.isAsked({ owner: record.owner, walletIds, currency: record.currency, atoms }, nowMs)) return false
    invoice.voidedAt = null
    invoice.hasOutlivedExpiry = isPast
    this.events.add(record.owner, 'invoice.unpaid', id)
    return true
  }

  private row(id: string): ModelInvoice | undefined {
    return this.invoices.find(({ record }) => record.id === id)
  }

  /** What is told of an invoice, judged by the clock. */
  told(id: string, nowMs: number): Told | undefined {
    const invoice = this.invoices.find(({ record }) => record.id === id)
    if (invoice === undefined) return undefined
    const voidedAt = this.voidedAtBy(invoice, nowMs)
    const { record, order, expiresAt } = invoice
    const payment = this.paymentOf(invoice)
    return {
      invoice: record,
      order,
      payment,
      own: this.ownPaymentOf(invoice),
      voidedAt,
      acceptedAt: invoice.acceptedAt,
      expiresAt,
    }
  }

  /** The deposits that its own money is the sum of, without their order; `confirmationsOf` knows the chains. */
  qualifying(id: string, confirmationsOf: (deposit: Deposit) => number | null): readonly QualifyingDeposit[] {
    const invoice = this.invoices.find(({ record }) => record.id === id)
    const deposits = invoice === undefined ? [] : [...this.counted(invoice)].filter((one) => isOwn(invoice, one))
    return deposits.map(({ record, atoms }) => {
      const { network, txHash, index, receivedAt } = record
      const isConfirmed = record.kind === 'confirmed'
      const confirmations = isConfirmed ? null : confirmationsOf(record)
      return { network, txHash, index, receivedAt, amount: decimal(atoms), isConfirmed, confirmations }
    })
  }

  /** Decides about every invoice whose time to expire has come. */
  expire(nowMs: number): void {
    const due = this.invoices
      .flatMap((invoice) => (invoice.expiresAt === null ? [] : [{ invoice, at: invoice.expiresAt }]))
      .filter(({ at }) => at <= nowMs)
      .sort((one, other) => one.at - other.at || (one.invoice.record.id < other.invoice.record.id ? -1 : 1))
    for (const { invoice } of due) {
      const wasVoid = invoice.voidedAt !== null
      invoice.voidedAt = this.voidedAtBy(invoice, nowMs)
      invoice.hasOutlivedExpiry = invoice.voidedAt === null
      const { record } = invoice
      if (!wasVoid && invoice.voidedAt !== null) this.events.add(record.owner, 'invoice.expired', record.id)
    }
  }

  /** Voids an invoice: what is told of it then, or the code of the refusal. */
  void(id: string, owner: string, nowMs: number): Told | string | undefined {
    const invoice = this.invoices.find(({ record }) => record.id === id)
    if (invoice === undefined) return 'invoice_not_found'
    if (invoice.record.owner !== owner) return 'not_invoice_owner'
    const isSettled = invoice.acceptedAt !== null || this.isCovered(invoice)
    if (invoice.voidedAt === null && isSettled) return 'invoice_paid'
    if (invoice.voidedAt === null) this.events.add(owner, 'invoice.voided', invoice.record.id)
    invoice.voidedAt ??= nowMs
    return this.told(id, nowMs)
  }

  /** Accepts an invoice, likewise. */
  accept(id: string, owner: string, nowMs: number): Told | string | undefined {
    const invoice = this.invoices.find(({ record }) => record.id === id)
    if (invoice === undefined) return 'invoice_not_found'
    if (invoice.record.owner !== owner) return 'not_invoice_owner'
    if (invoice.voidedAt !== null) return 'invoice_void'
    if (invoice.acceptedAt === null) this.events.add(owner, 'invoice.accepted', invoice.record.id)
    invoice.acceptedAt ??= nowMs
    return this.told(id, nowMs)
  }

  /** A deposit that is matched to an invoice has become `kind`: whether what is its own is nearly the amount (decisions 4). */
  judgeUnderpaid(id: string, kind: Deposit['kind'], underpayment: number, nowMs: number): void {
    const invoice = this.invoices.find(({ record }) => record.id === id)
    if (invoice === undefined || underpayment === 0 || invoice.orderId !== null) return
    const { atoms, expiresAt } = invoice
    if (invoice.acceptedAt !== null || this.voidedAtBy(invoice, nowMs) !== null) return
    const isNear = (sum: bigint) => sum < atoms && (atoms - sum) * 10_000n <= atoms * BigInt(underpayment)
    const confirmed = this.sum(invoice, 'confirmed', isOwn)
    const isNearlySeen = isNear(confirmed + this.sum(invoice, 'pending', isOwn))
    if (kind === 'confirmed' && isNear(confirmed)) {
      invoice.acceptedAt = nowMs
      this.events.add(invoice.record.owner, 'invoice.accepted', invoice.record.id)
    } else if (expiresAt !== null && expiresAt > nowMs && (isNearlySeen || kind === 'dropped')) {
      // It does not expire while that is to be confirmed.
      invoice.hasOutlivedExpiry = isNearlySeen
    }
  }

  /** The missing sum of an invoice, atoms. */
  missing(position: number): bigint {
    const invoice = this.invoices[position]
    return invoice === undefined ? 0n : this.remaining(invoice)
  }

  /** What the oldest unpaid invoice on a wallet misses but for `less` hundredths of a percent of its amount, atoms. */
  nearlyMissing(walletId: string, currency: Currency | null, less: number): bigint {
    const oldest = this.invoices.find(
      (one) =>
        one.walletIds.includes(walletId) &&
        one.record.currency === currency &&
        one.voidedAt === null &&
        one.acceptedAt === null &&
        this.remaining(one) > 0n,
    )
    if (oldest === undefined) return 0n
    const sum = this.remaining(oldest) - (oldest.atoms * BigInt(less)) / 10_000n
    return sum > 0n ? sum : 0n
  }

  /** Decisions 6: the invoice that a deposit is matched to; null for none. */
  match(sighting: Sighting, atoms: bigint): ModelMatch | null {
    const wallet = this.wallets.at(sighting.network, sighting.toAddress)
    const currency = currencyOf(sighting.network, sighting.currency)
    if (wallet === undefined || currency === null) return null
    const possible = this.invoices
      .filter(
        ({ record, walletIds }) =>
          record.owner === wallet.owner &&
          record.currency === currency &&
          record.created_at < sighting.receivedAt &&
          walletIds.includes(wallet.id),
      )
      .sort((one, other) => (one.record.id < other.record.id ? -1 : 1))
    const live = possible.filter(({ voidedAt, acceptedAt }) => voidedAt === null && acceptedAt === null)
    const unit = smallestUnit(sighting.network, currency)
    const asks = (one: ModelInvoice) => one.atoms > atoms - unit && one.atoms <= atoms
    const chosen = this.chosen(live.filter(this.isTold), asks) ?? this.chosen(live, asks)
    if (chosen !== undefined) return { invoice: chosen.record, isLate: false }
    // The one that became void last; of those of one moment, the youngest.
    let late: ModelInvoice | null = null
    for (const one of possible) {
      if (one.voidedAt === null || one.voidedAt < sighting.receivedAt - LATE_MS) continue
      if (late === null || one.voidedAt >= (late.voidedAt ?? 0)) late = one
    }
    return late === null ? null : { invoice: late.record, isLate: true }
  }

  private readonly isTold = ({ record }: ModelInvoice): boolean =>
    record.reference !== null && (record.callback_url ?? this.defaultCallbackOf(record.owner)) !== null

  private chosen(oldestFirst: readonly ModelInvoice[], asks: (one: ModelInvoice) => boolean): ModelInvoice | undefined {
    const matched = this.deposits.matched()
    const exact = oldestFirst.findLast((one) => asks(one) && !matched.has(one.record.id))
    return exact ?? oldestFirst.find((one) => this.remaining(one) > 0n) ?? oldestFirst.at(-1)
  }

  /**
   * Whether as many other sets of wallets as may share one of some wallets have unpaid invoices there. `beside`: sets that come with it.
   */
  areCrowded(
    walletIds: readonly string[],
    owner: string,
    beside: readonly (readonly string[])[],
    nowMs: number,
  ): boolean {
    const nameOf = (ids: readonly string[]) => [...ids].sort().join()
    return walletIds.some((walletId) => {
      const here = this.invoices.filter((one) => one.walletIds.includes(walletId) && this.stands(one, owner, nowMs))
      const sets = new Set(here.map((one) => nameOf(one.walletIds)))
      if (sets.has(nameOf(walletIds))) return false
      const others = beside.filter((ids) => ids.includes(walletId)).map(nameOf)
      return new Set([...sets, ...others.filter((name) => name !== nameOf(walletIds))]).size >= SETS_MAX
    })
  }

  /**
   * Whether it is one of the owner's that is unpaid and not void. Judged by the clock: a command that failed decided about
   * what was due, too, although that was undone with it.
   */
  private stands(invoice: ModelInvoice, owner: string, nowMs: number): boolean {
    if (invoice.record.owner !== owner || this.remaining(invoice) === 0n || invoice.acceptedAt !== null) return false
    return this.voidedAtBy(invoice, nowMs) === null
  }

  private voidedAtBy(invoice: ModelInvoice, nowMs: number): number | null {
    const { voidedAt, acceptedAt, expiresAt, hasOutlivedExpiry } = invoice
    if (acceptedAt !== null || voidedAt !== null || expiresAt === null || expiresAt > nowMs || hasOutlivedExpiry)
      return voidedAt
    return this.outlives(invoice) ? null : expiresAt
  }

  /** Whether what has come keeps it alive: all of it, and for an option of an order whatever it is. */
  private outlives(invoice: ModelInvoice): boolean {
    if (invoice.orderId === null) return this.isCovered(invoice)
    return this.sum(invoice, 'confirmed', isOwn) + this.sum(invoice, 'pending', isOwn) > 0n
  }

  /** Paid or being paid. */
  private isCovered(invoice: ModelInvoice): boolean {
    return this.sum(invoice, 'confirmed') + this.sum(invoice, 'pending') >= invoice.atoms
  }

  /** Whether an unpaid invoice asks an amount on one of some wallets. */
  isAsked(
    asked: {
      readonly owner: string
      readonly walletIds: readonly string[]
      readonly currency: string
      readonly atoms: bigint
    },
    nowMs: number,
  ): boolean {
    return this.invoices.some(
      (other) =>
        other.atoms === asked.atoms &&
        other.record.currency === asked.currency &&
        other.walletIds.some((id) => asked.walletIds.includes(id)) &&
        this.stands(other, asked.owner, nowMs),
    )
  }

  private remaining(invoice: ModelInvoice): bigint {
    const received = this.sum(invoice, 'confirmed')
    return received >= invoice.atoms ? 0n : invoice.atoms - received
  }

  /** What people are told: of its own money alone. */
  private ownPaymentOf(invoice: ModelInvoice): Payment {
    const { atoms } = invoice
    const own = this.sum(invoice, 'confirmed', isOwn)
    return {
      status: own >= atoms ? 'paid' : 'unpaid',
      received: decimal(own),
      pending: decimal(this.sum(invoice, 'pending', isOwn)),
      remaining: decimal(own >= atoms ? 0n : atoms - own),
      overpaid: decimal(own > atoms ? own - atoms : 0n),
      own: decimal(own),
    }
  }

  private paymentOf(invoice: ModelInvoice): Payment {
    const received = this.sum(invoice, 'confirmed')
    const own = this.sum(invoice, 'confirmed', isOwn)
    return {
      status: received >= invoice.atoms ? 'paid' : 'unpaid',
      received: decimal(received),
      pending: decimal(this.sum(invoice, 'pending')),
      remaining: decimal(received >= invoice.atoms ? 0n : invoice.atoms - received),
      overpaid: decimal(own > invoice.atoms ? own - invoice.atoms : 0n),
      own: decimal(own),
    }
  }

  /** What came to the invoice's wallets strictly after its creation, in its currency. */
  private sum(invoice: ModelInvoice, kind: 'confirmed' | 'pending', isIn: typeof isOwn = () => true): bigint {
    let sum = 0n
    for (const one of this.counted(invoice)) if (one.record.kind === kind && isIn(invoice, one)) sum += one.atoms
    return sum
  }

  /** The same, one by one. */
  private *counted({ record, walletIds }: ModelInvoice): Generator<ModelDeposit> {
    for (const id of walletIds) {
      const wallet = this.wallets.find(id)
      if (wallet === undefined || wallet.network === null || wallet.address === null) continue
      for (const deposit of this.deposits.to(wallet.network, wallet.address)) {
        if (deposit.record.kind === 'dropped' || deposit.record.receivedAt <= record.created_at) continue
        if (currencyOf(wallet.network, deposit.record.currency) === record.currency) yield deposit
      }
    }
  }
}

/** Whether a deposit is not matched to another invoice (decisions 4). */
function isOwn({ record }: ModelInvoice, { invoiceId }: ModelDeposit): boolean {
  return invoiceId === null || invoiceId === record.id
}
