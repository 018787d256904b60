import { type Currency, type CurrencyLabel, currencyOfLabel } from '../../../src/domain/amount.js'
import { DAY_MS } from '../../../src/domain/api-key.js'
import type { DepositReport, DepositStatus } from '../../../src/domain/deposit.js'
import type { Received, Sums } from '../../../src/domain/payment.js'
import { LATE_DAYS_DEFAULT } from '../../../src/domain/voiding.js'
import { receivedSince } from '../../support/received-since.js'

/** An invoice as the model keeps it; its amount in atoms. */
export interface ModelInvoice {
  readonly id: string
  readonly owner: string
  readonly walletIds: readonly string[]
  readonly amount: bigint
  readonly currency: Currency
  readonly reference: string | null
  readonly callbackUrl: string | null
  readonly createdAt: number
  readonly expiresAt: number | null
  /** Whether its time to expire has come while it was paid or being paid. */
  hasOutlivedExpiry: boolean
  voidedAt: number | null
  acceptedAt: number | null
}

/** A request for an invoice, as far as the model's decisions look at it. */
export type ModelRequest = Omit<
  ModelInvoice,
  'id' | 'createdAt' | 'expiresAt' | 'hasOutlivedExpiry' | 'voidedAt' | 'acceptedAt'
>

export interface ModelSighting {
  readonly walletId: string
  readonly label: CurrencyLabel
  readonly amount: bigint
  readonly receivedAt: number
}

interface ModelDeposit extends ModelSighting {
  readonly kind: DepositReport
  readonly invoice: ModelInvoice | null
  readonly isLate: boolean
  readonly reached: ReadonlySet<DepositStatus>
}

/** What the model expects a deposit to owe. */
export interface ModelDelivery {
  readonly invoiceId: string
  readonly status: DepositStatus
  readonly url: string
  readonly isLate: boolean
}

/** The invoice that a deposit is matched to, and whether it was void. */
interface ModelMatch {
  readonly invoice: ModelInvoice | null
  readonly isLate: boolean
}

/**
 * The rules of the specification and of decisions 4 to 6 over plain lists: no index, no running total, nothing kept that
 * could be computed. Histories on a store must come out as they do here.
 */
export class NaiveModel {
  readonly invoices: ModelInvoice[] = []
  private readonly deposits = new Map<string, ModelDeposit>()
  /** Owners of wallets; a wallet whose address is not known gets no deposits counted. */
  readonly owners = new Map<string, string>()
  readonly placed = new Set<string>()
  readonly defaults = new Map<string, string>()

  received(invoice: ModelInvoice): Received {
    return receivedSince(invoice.createdAt, this.counted(invoice))
  }

  sums(invoice: ModelInvoice): Sums {
    const own = this.counted(invoice).filter((deposit) => deposit.invoice === null || deposit.invoice === invoice)
    return { ...this.received(invoice), own: receivedSince(invoice.createdAt, own) }
  }

  private counted(invoice: ModelInvoice): readonly ModelDeposit[] {
    return [...this.deposits.values()].filter(
      (deposit) =>
        this.placed.has(deposit.walletId) &&
        invoice.walletIds.includes(deposit.walletId) &&
        currencyOfLabel(deposit.label) === invoice.currency,
    )
  }

  remaining(invoice: ModelInvoice): bigint {
    const { confirmed } = this.received(invoice)
    return confirmed >= invoice.amount ? 0n : invoice.amount - confirmed
  }

  /** Decides about every invoice whose time to expire has come. */
  expire(nowMs: number): void {
    for (const invoice of this.invoices) {
      invoice.voidedAt = this.voidedAtBy(invoice, nowMs)
      if (invoice.voidedAt === null && (invoice.expiresAt ?? nowMs + 1) <= nowMs) invoice.hasOutlivedExpiry = true
    }
  }

  /** When it became void, as far as the clock tells. */
  voidedAtBy(invoice: ModelInvoice, nowMs: number): number | null {
    const { voidedAt, acceptedAt, expiresAt, hasOutlivedExpiry } = invoice
    if (acceptedAt !== null || voidedAt !== null || expiresAt === null || expiresAt > nowMs || hasOutlivedExpiry)
      return voidedAt
    return this.isCovered(invoice) ? null : expiresAt
  }

  /** The code of the refusal of a void, null when it is taken. */
  void(invoice: ModelInvoice, owner: string, nowMs: number): string | null {
    if (invoice.owner !== owner) return 'not_invoice_owner'
    if (invoice.voidedAt !== null) return null
    if (invoice.acceptedAt !== null || this.isCovered(invoice)) return 'invoice_paid'
    invoice.voidedAt = nowMs
    return null
  }

  /** The same of an acceptance. */
  accept(invoice: ModelInvoice, owner: string, nowMs: number): string | null {
    if (invoice.owner !== owner) return 'not_invoice_owner'
    if (invoice.voidedAt !== null) return 'invoice_void'
    invoice.acceptedAt ??= nowMs
    return null
  }

  /** The invoices of the same owner, unpaid and not void, that ask the same amount on one of the wallets. */
  rivals(invoice: Pick<ModelInvoice, 'owner' | 'walletIds' | 'currency' | 'amount'>): readonly ModelInvoice[] {
    return this.invoices.filter(
      (other) =>
        other.owner === invoice.owner &&
        other.voidedAt === null &&
        other.acceptedAt === null &&
        other.amount === invoice.amount &&
        other.currency === invoice.currency &&
        other.walletIds.some((id) => invoice.walletIds.includes(id)) &&
        this.remaining(other) > 0n,
    )
  }

  /** The code of the refusal that a request must get, or null when it must be accepted. */
  refusal(request: ModelRequest): string | null {
    const isPayable = (id: string) => this.owners.get(id) === request.owner && this.placed.has(id)
    if (!request.walletIds.every(isPayable)) return 'wallet_not_owned'
    if (request.reference !== null && this.invoices.some(({ reference }) => reference === request.reference)) {
      return 'reference_in_use'
    }
    return this.rivals(request).length > 0 ? 'amount_in_use' : null
  }

  /** Takes a report in; answers how it is taken and what it owes, in order. */
  report(key: string, report: DepositReport, seen: ModelSighting): { status: string; owed: readonly ModelDelivery[] } {
    const known = this.deposits.get(key)
    const isCounted = known?.kind === 'pending' || known?.kind === 'confirmed'
    if (report === 'dropped') {
      if (known === undefined) return { status: 'rejected', owed: [] }
      if (!isCounted) return { status: 'duplicate', owed: [] }
      this.deposits.set(key, { ...known, kind: 'dropped' })
      return { status: 'applied', owed: [] }
    }
    const place = ({ walletId, label, amount }: ModelSighting) =>
      [walletId, currencyOfLabel(label) ?? label, amount].join(' ')
    if (isCounted && place(known) !== place(seen)) return { status: 'rejected', owed: [] }
    if (isCounted && (known.kind === 'confirmed' || report === 'pending')) return { status: 'duplicate', owed: [] }
    // Chosen when it is first seen, and once more at `confirmed` when there was none.
    const sighting = isCounted ? known : seen
    const { invoice, isLate } = known != null && known.invoice !== null ? known : this.match(sighting)
    const reached = new Set(known?.reached)
    const owed: ModelDelivery[] = []
    for (const status of report === 'pending' ? (['pending'] as const) : (['pending', 'confirmed'] as const)) {
      if (reached.has(status)) continue
      reached.add(status)
      const url = invoice === null ? null : this.callbackOf(invoice)
      if (invoice !== null && invoice.reference !== null && url !== null) {
        owed.push({ invoiceId: invoice.id, status, url, isLate })
      }
    }
    const { walletId, label, amount, receivedAt } = sighting
    this.deposits.set(key, { walletId, label, amount, receivedAt, kind: report, invoice, isLate, reached })
    return { status: 'applied', owed }
  }

  private callbackOf(invoice: ModelInvoice): string | null {
    return invoice.callbackUrl ?? this.defaults.get(invoice.owner) ?? null
  }

  private isCovered(invoice: ModelInvoice): boolean {
    const { confirmed, pending } = this.received(invoice)
    return confirmed + pending >= invoice.amount
  }

  private isMatched(invoice: ModelInvoice): boolean {
    return [...this.deposits.values()].some((one) => one.kind !== 'dropped' && one.invoice === invoice)
  }

  /** Decisions 6 over all invoices of the wallet. */
  private match(seen: ModelSighting): ModelMatch {
    const currency = currencyOfLabel(seen.label)
    if (!this.placed.has(seen.walletId) || currency === null) return { invoice: null, isLate: false }
    const possible = this.invoices.filter(
      (invoice) =>
        invoice.walletIds.includes(seen.walletId) &&
        invoice.owner === this.owners.get(seen.walletId) &&
        invoice.currency === currency &&
        invoice.createdAt < seen.receivedAt,
    )
    const isTold = (invoice: ModelInvoice) => invoice.reference !== null && this.callbackOf(invoice) !== null
    const live = possible.filter(({ voidedAt, acceptedAt }) => voidedAt === null && acceptedAt === null)
    const invoice = this.chosen(live.filter(isTold), seen) ?? this.chosen(live, seen)
    if (invoice !== null) return { invoice, isLate: false }
    const since = seen.receivedAt - LATE_DAYS_DEFAULT * DAY_MS
    const late = possible
      .filter(({ voidedAt }) => voidedAt !== null && voidedAt >= since)
      .toSorted((one, other) => (one.voidedAt ?? 0) - (other.voidedAt ?? 0) || (one.id < other.id ? -1 : 1))
      .at(-1)
    return { invoice: late ?? null, isLate: late !== undefined }
  }

  private chosen(candidates: readonly ModelInvoice[], seen: ModelSighting): ModelInvoice | null {
    const oldestFirst = candidates.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    return (
      oldestFirst.findLast((one) => one.amount === seen.amount && !this.isMatched(one)) ??
      oldestFirst.find((one) => this.remaining(one) > 0n) ??
      oldestFirst.at(-1) ??
      null
    )
  }
}
