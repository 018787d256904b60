import type { DepositStatus } from '../../../src/domain/deposit.js'
import type { Invoice } from '../../../src/domain/invoice.js'
import type { DepositFact, LedgerFact, UnreadableFact } from '../../../src/domain/ledger-fact.js'
import { RatesModel } from '../../chaos/prices-rates.js'
import { currencyOf } from '../networks.js'
import { depositAtoms } from './amounts.js'
import { ModelChains } from './chains.js'
import { isFlawed, type ModelDeposit, ModelDeposits } from './deposits.js'
import { ModelEvents } from './events.js'
import { ModelInvoices, type Told } from './invoices.js'
import { ModelKeys } from './keys.js'
import { ModelOrders } from './orders.js'
import { ModelOutbox, type ModelOwed } from './outbox.js'
import { type EventStatus, ModelWallets } from './wallets.js'

const EVENT_ID_BYTES_MAX = 512
const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000

/** As a shop with prices has them by default: jumps of more than 10 % are held back, and a rate is used for ten minutes. */
export const RATE_TERMS = { jump: 1000, maxAgeMs: 600_000 }
const HUNDREDTHS = 100

interface ModelIdempotency {
  readonly body: string
  /** Of the invoice or the order. */
  readonly id: string
  readonly createdAt: number
}

/**
 * What a repeated request finds: the earlier invoice or order, another body, or nothing. `either` once the clock has been past the
 * time that an entry must be kept for and was set back: it may be kept or gone.
 */
export type Earlier =
  | { readonly kind: 'none' | 'other_body' | 'either' }
  | { readonly kind: 'same'; readonly id: string }

/**
 * The whole service as the specification and decisions.md have it, in lists that are looked through: no index, no running
 * total, nothing kept that can be computed. It shares no code with the service, only the names of types, and the catalogue of networks.
 */
export class Model {
  readonly wallets = new ModelWallets()
  readonly keys = new ModelKeys()
  readonly deposits = new ModelDeposits()
  readonly chains = new ModelChains(this.deposits)
  readonly events = new ModelEvents()
  readonly outbox = new ModelOutbox(this.events)
  readonly invoices = new ModelInvoices(
    this.wallets,
    this.deposits,
    (owner) => this.outbox.configuration(owner).callback_url,
    this.events,
  )
  readonly orders = new ModelOrders(this.invoices, this.events)
  readonly rates = new RatesModel({ jump: RATE_TERMS.jump / HUNDREDTHS, maxAgeMs: RATE_TERMS.maxAgeMs })

  /** `underpayment`: what an invoice may miss that is accepted by itself, in hundredths of a percent. */
  constructor(private readonly underpayment: number) {}

  private readonly answered = new Map<string, EventStatus>()
  private readonly idempotency = new Map<string, ModelIdempotency>()
  private latestMs = 0

  /** To be told of every time at which something is done. */
  notice(nowMs: number): void {
    this.latestMs = Math.max(this.latestMs, nowMs)
  }

  applyLedgerFact(eventId: string | null, fact: LedgerFact | UnreadableFact, nowMs: number): EventStatus {
    return this.once(eventId, () => (fact.type === 'unreadable' ? 'rejected' : this.wallets.apply(fact, nowMs)))
  }

  /** How a report is taken, and what it owes, in order. */
  applyDeposit(
    eventId: string | null,
    { report, sighting }: DepositFact,
    nowMs: number,
  ): { readonly status: EventStatus; readonly owed: readonly ModelOwed[] } {
    const owed: ModelOwed[] = []
    const status = this.once(eventId, () => {
      const effect = this.deposits.judge(report, sighting)
      if (!isFlawed(sighting)) this.chains.endWaiting(report, sighting)
      if (effect.status !== 'applied') return effect.status
      let deposit = effect.known
      const before = deposit?.record.kind
      if (deposit === undefined) {
        const atoms = depositAtoms(sighting.network, sighting.currency, sighting.amount) ?? 0n
        // Chosen before it counts: what an invoice misses is what the payer saw missing.
        deposit = this.deposits.add(report, sighting, this.invoices.match(sighting, atoms), nowMs)
      } else {
        if (deposit.invoiceId === null && report !== 'dropped') {
          const seen = deposit.record.kind === 'dropped' ? sighting : deposit.record
          const match = this.invoices.match(seen, depositAtoms(seen.network, seen.currency, seen.amount) ?? 0n)
          deposit.invoiceId = match?.invoice.id ?? null
          deposit.isLate = match?.isLate ?? false
        }
        this.deposits.change(deposit, report, sighting, nowMs)
      }
      this.tell(deposit, before === 'pending')
      if (deposit.invoiceId !== null && !deposit.isLate)
        this.invoices.judgeUnderpaid(deposit.invoiceId, deposit.record.kind, this.underpayment, nowMs)
      this.reviewOrderOf(deposit, nowMs)
      if (before === 'confirmed' && deposit.invoiceId === null) this.reviewLeaning(deposit, nowMs)
      for (const news of effect.news) {
        deposit.reached.add(news)
        const one = this.owe(deposit, news, nowMs)
        if (one !== null) owed.push(one)
      }
      return effect.status
    })
    return { status, owed }
  }

  earlier(scope: string, body: string, nowMs: number): Earlier {
    const entry = this.idempotency.get(scope)
    if (entry === undefined || nowMs >= entry.createdAt + IDEMPOTENCY_MS) return { kind: 'none' }
    if (this.latestMs >= entry.createdAt + IDEMPOTENCY_MS) return { kind: 'either' }
    return entry.body === body ? { kind: 'same', id: entry.id } : { kind: 'other_body' }
  }

  rememberRequest(scope: string, body: string, id: string, nowMs: number): void {
    this.idempotency.set(scope, { body, id, createdAt: nowMs })
  }

  /** Voids or accepts an invoice, which may end its order: what is told of it then, or the code of the refusal. */
  endInvoice(how: 'void' | 'accept', id: string, owner: string, nowMs: number): Told | string | undefined {
    const before = this.invoices.told(id, nowMs)
    const refusal = how === 'void' ? this.invoices.void(id, owner, nowMs) : this.invoices.accept(id, owner, nowMs)
    if (typeof refusal === 'string') return refusal
    const isEnded = how === 'void' ? before?.voidedAt === null : before?.acceptedAt === null
    const orderId = this.invoices.orderIdOf(id)
    if (isEnded && orderId !== null) this.orders.optionEnded(orderId, how, nowMs)
    return this.invoices.told(id, nowMs)
  }

  /** What a deposit that came or left does to the order of its invoice. What is only seen does nothing yet. */
  private reviewOrderOf({ record: { kind }, invoiceId }: ModelDeposit, nowMs: number): void {
    const orderId = invoiceId === null ? null : this.invoices.orderIdOf(invoiceId)
    if (invoiceId === null || orderId === null || kind === 'pending') return
    this.orders.review(orderId, { invoiceId, isConfirmed: kind === 'confirmed' }, this.underpayment, nowMs)
  }

  /** A confirmed deposit that was matched to nobody has left. */
  private reviewLeaning({ record: { network, toAddress, currency: label } }: ModelDeposit, nowMs: number): void {
    const wallet = this.wallets.at(network, toAddress)
    const currency = currencyOf(network, label)
    if (wallet !== undefined && currency !== null) this.orders.unmatchedLeft(wallet.id, currency, nowMs)
  }

  private once(eventId: string | null, apply: () => EventStatus): EventStatus {
    if (eventId === null) return apply()
    if (eventId === '' || Buffer.byteLength(eventId) > EVENT_ID_BYTES_MAX) return 'rejected'
    const answered = this.answered.get(eventId)
    if (answered !== undefined) return answered === 'rejected' ? 'rejected' : 'duplicate'
    const status = apply()
    this.answered.set(eventId, status)
    return status
  }

  /** Tells the owner of its invoice, or else of its wallet, what a deposit is now. */
  private tell({ record, invoiceId, isLate }: ModelDeposit, wasPending: boolean): void {
    const { kind, confirmedAt: _, ...deposit } = record
    const invoice = invoiceId === null ? undefined : this.invoices.find(invoiceId)
    const owner = invoice?.owner ?? this.wallets.at(record.network, record.toAddress)?.owner ?? null
    if (owner === null) return
    const kinds = kind === 'confirmed' && !wasPending ? (['pending', kind] as const) : [kind]
    for (const one of kinds) this.events.add(owner, `deposit.${one}`, invoiceId, { deposit, isLate })
  }

  /** The delivery that a status owes, null when no callback resolves (specification, Webhook delivery). */
  private owe({ record, invoiceId, isLate }: ModelDeposit, status: DepositStatus, nowMs: number): ModelOwed | null {
    const invoice = invoiceId === null ? undefined : this.invoices.find(invoiceId)
    if (invoice === undefined || invoice.reference === null) return null
    if (this.outbox.configuration(invoice.owner).payload === 'events') return null
    const url = invoice.callback_url ?? this.outbox.configuration(invoice.owner).callback_url
    if (url === null) return null
    const body = JSON.stringify({
      reference: invoice.reference,
      status,
      invoiceId: invoice.id,
      network: record.network,
      txHash: record.txHash,
      toAddress: record.toAddress,
      amount: record.amount,
      currency: record.currency,
      receivedAt: record.receivedAt,
      ...(isLate ? { late: true } : {}),
      ...this.invoiceIn(invoice, nowMs),
    })
    return { owner: invoice.owner, invoiceId: invoice.id, status, event: null, url, body }
  }

  /** Decisions 7, payload with-invoice: as of now, the deposit included. */
  private invoiceIn({ id, owner, amount, currency }: Invoice, nowMs: number) {
    if (this.outbox.configuration(owner).payload !== 'with-invoice') return {}
    const { own: _, ...payment } = this.invoices.payment(id) ?? { own: '' }
    return { invoice: { amount, currency, ...payment, ...this.invoices.orderOf(id), ...this.orderIn(id, nowMs) } }
  }

  /** The order that the invoice is an option of. */
  private orderIn(invoiceId: string, nowMs: number) {
    const order = this.orders.find(this.invoices.orderIdOf(invoiceId) ?? '')
    if (order === undefined) return {}
    const { id, reference, fields } = order
    const { status } = this.orders.shown(id, nowMs)
    return { order: { id, reference, orderNumber: fields.orderNumber, status } }
  }
}
