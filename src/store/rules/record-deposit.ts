import type { Currency } from '../../domain/amount.js'
import {
  type Deposit,
  type DepositStatus,
  type DepositValue,
  depositValue,
  type Sighting,
} from '../../domain/deposit.js'
import type { DepositEventType } from '../../domain/event.js'
import type { Invoice } from '../../domain/invoice.js'
import type { TokenDecimals } from '../../domain/network.js'
import type { Payment } from '../../domain/payment.js'
import { type NewDelivery, resolveCallback, type WebhookConfiguration, webhookBody } from '../../domain/webhook.js'
import type { Awaitable } from '../store.js'
import { type Asking, ask } from './asking.js'
import { conflictWith, type DepositChange } from './judge-report.js'
import { type Budget, type CandidateSearch, chooseInvoice, settleBefore } from './match-deposit.js'

/** A deposit with what only the store knows of it. `Id` is how an engine names an invoice. */
export interface DepositRecord<Id> {
  readonly deposit: Deposit
  /** The currency it was counted as when it was recorded: a later change of configuration must not take out another amount. */
  readonly countedAs: Currency | null
  readonly atoms: bigint
  /** The invoice it notifies, chosen when it was first seen; null for none. */
  readonly invoiceId: Id | null
  /** Statuses for which a delivery was entered, or would have been: never again. */
  readonly isPendingReached: boolean
  readonly isConfirmedReached: boolean
}

/** An invoice that a deposit notifies, in an engine. */
export interface NotifiedInvoice<Id> {
  readonly id: Id
  readonly invoice: Invoice
}

/** The address to which a deposit went, in an engine. */
export interface Payee {
  readonly isOfWallet: boolean
}

/** Whether a deposit enters the sums of what was seen and of what was confirmed (1), leaves them (−1), or neither (0). */
export interface CountChange {
  readonly seen: number
  readonly confirmed: number
}

/**
 * What recording one deposit needs of an engine. `P` is its address with the wallet, `I` its row of an invoice, `R` its row of a
 * deposit, and `Id` how it names an invoice.
 */
export interface DepositWork<P extends Payee, I extends NotifiedInvoice<Id>, R extends DepositRecord<Id>, Id> {
  /** Nobody is notified, now or later, of what a silent unit does. */
  readonly isSilent: boolean
  payeeAt(place: Pick<Deposit, 'network' | 'toAddress'>): Awaitable<P>
  /** The row of a deposit that is seen for the first time, or again after it was dropped. */
  enter(record: DepositRecord<Id>, known: R | undefined, payee: P): R
  put(row: R, known: R | undefined): void
  /** The candidates for a deposit to a wallet; null when it can have none. */
  candidates(payee: P, seen: Sighting, value: DepositValue): Awaitable<CandidateSearch<I, unknown> | null>
  /** The invoice that a deposit notifies already. */
  invoice(id: Id): Awaitable<I>
  /** An invoice as it is now that the deposit is counted. */
  current(invoice: I): Awaitable<I>
  addMatch(invoice: I): void
  giveBackMatch(invoice: I): void
  /** Enters what became of a deposit into the log of the owner of the invoice that it notifies, or else of its wallet. */
  log(type: DepositEventType, deposit: Deposit, invoice: I | null, payee: P): void
  /** Adds a deposit to the sums of its account, or takes it out. */
  count(row: R, by: CountChange, payee: P): void
  /** Opens what is unpaid again because a confirmed deposit has left its account. */
  reopen(row: R, payee: P): Asking<void>
  /** Notes that the deposits of a wallet change. */
  noteChange(payee: P): void
  /** Settles an invoice if it is open and paid. */
  settleIfOpen(invoice: I): void
  /**
   * The other open invoices on its wallet that a confirmed deposit may have paid, as many as are to be examined with it. It may be read
   * only behind the settling of the matched one.
   */
  othersPaid(row: R, payee: P, matched: I | null): Awaitable<Iterable<I>>
  paymentOf(invoice: I): Payment
  configuration(owner: string): Awaitable<WebhookConfiguration>
  /** Queues a delivery. */
  owe(delivery: NewDelivery): void
}

/** Records one deposit: its sums, the invoice that it notifies, what it has paid, and the deliveries that it owes. */
export class DepositRule<P extends Payee, I extends NotifiedInvoice<Id>, R extends DepositRecord<Id>, Id> {
  constructor(
    private readonly work: DepositWork<P, I, R, Id>,
    private readonly tokenDecimals: TokenDecimals,
  ) {}

  /**
   * Settles a bounded piece of what the choice for a sighting will meet; false when there is more. To be called before a report of it
   * is recorded, unless that takes the deposit away.
   */
  *settle(sighting: Sighting, known: R | undefined, budget: Budget): Asking<boolean> {
    if (known !== undefined && known.invoiceId !== null) return true
    // What is known of a deposit stands, unless a confirmed block takes it back because it was something else.
    const stands =
      known === undefined ||
      known.deposit.kind === 'dropped' ||
      conflictWith(known.deposit, sighting, this.tokenDecimals) !== null
        ? null
        : known
    // Nothing is chosen any more.
    if (stands?.deposit.kind === 'confirmed') return true
    const seen = stands?.deposit ?? sighting
    const value = stands === null ? depositValue(sighting, this.tokenDecimals) : valueIn(stands)
    if (value === null) return true
    const payee = yield* ask(this.work.payeeAt(seen))
    const search = yield* ask(this.work.candidates(payee, seen, value))
    return search === null || (yield* settleBefore(search, budget))
  }

  /** The invoice that a deposit will notify when a change of it is recorded; null for none. */
  *foresee({ from, deposit }: DepositChange, known: R | undefined): Asking<I | null> {
    const { work } = this
    if (known !== undefined && known.invoiceId !== null) return yield* ask(work.invoice(known.invoiceId))
    const value = known === undefined || from === 'dropped' ? depositValue(deposit, this.tokenDecimals) : valueIn(known)
    return value === null ? null : yield* this.choose(deposit, value, yield* ask(work.payeeAt(deposit)))
  }

  /** Records what a report changes of a deposit. */
  *record(change: DepositChange, known: R | undefined): Asking<void> {
    const { work } = this
    const { from, reaches, deposit } = change
    const payee = yield* ask(work.payeeAt(deposit))
    const seen = known === undefined || from === 'dropped' ? this.enter(deposit, known, payee) : known
    const matched = yield* this.match(seen, payee, change)
    const row: R = {
      ...seen,
      deposit,
      invoiceId: matched?.id ?? null,
      isPendingReached: seen.isPendingReached || reaches.includes('pending'),
      isConfirmedReached: seen.isConfirmedReached || reaches.includes('confirmed'),
    }
    for (const report of deposit.kind === 'dropped' ? [deposit.kind] : reaches) {
      work.log(`deposit.${report}`, deposit, matched, payee)
    }
    if (row.countedAs !== null) yield* this.count(row, payee, from)
    if (payee.isOfWallet) work.noteChange(payee)
    work.put(row, known)
    const isNew = (status: DepositStatus) => !(status === 'pending' ? seen.isPendingReached : seen.isConfirmedReached)
    yield* this.settleAndOwe(row, payee, matched, work.isSilent ? [] : reaches.filter(isNew))
  }

  private enter(deposit: Deposit, known: R | undefined, payee: P): R {
    const value = depositValue(deposit, this.tokenDecimals)
    if (value === null) throw new Error('a deposit without a value was not rejected')
    const record: DepositRecord<Id> = {
      deposit,
      countedAs: value.currency,
      atoms: value.atoms,
      invoiceId: known?.invoiceId ?? null,
      isPendingReached: known?.isPendingReached ?? false,
      isConfirmedReached: known?.isConfirmedReached ?? false,
    }
    return this.work.enter(record, known, payee)
  }

  /**
   * The invoice that the deposit notifies from now on. The choice is made when the deposit is first seen, once more when it
   * is confirmed and there was none, and kept: a dropped deposit only gives its match back until it is seen again. It is
   * made before the deposit is counted, so that what an invoice misses is what the payer saw missing.
   */
  private *match(seen: R, payee: P, { from, deposit }: DepositChange): Asking<I | null> {
    const { work } = this
    if (seen.invoiceId !== null) {
      const kept = yield* ask(work.invoice(seen.invoiceId))
      if (deposit.kind === 'dropped') work.giveBackMatch(kept)
      else if (from === 'dropped') work.addMatch(kept)
      return kept
    }
    const chosen = yield* this.choose(deposit, valueIn(seen), payee)
    if (chosen !== null) work.addMatch(chosen)
    return chosen
  }

  private *choose(deposit: Deposit, value: DepositValue, payee: P): Asking<I | null> {
    if (deposit.kind === 'dropped') return null
    const search = yield* ask(this.work.candidates(payee, deposit, value))
    return search === null ? null : yield* chooseInvoice(search)
  }

  /** Brings the sums from one kind to the other. */
  private *count(row: R, payee: P, from: DepositChange['from']): Asking<void> {
    const { kind } = row.deposit
    const seen = Number(kind !== 'dropped') - Number(from === 'pending' || from === 'confirmed')
    const confirmed = Number(kind === 'confirmed') - Number(from === 'confirmed')
    this.work.count(row, { seen, confirmed }, payee)
    if (confirmed < 0 && payee.isOfWallet) yield* this.work.reopen(row, payee)
  }

  /** Finds what a confirmed deposit has paid, the invoice that it matched first, and queues the deliveries that are owed. */
  private *settleAndOwe(row: R, payee: P, matched: I | null, told: readonly DepositStatus[]): Asking<void> {
    const { work } = this
    const { deposit, countedAs } = row
    const isConfirmed = deposit.kind === 'confirmed'
    const others = isConfirmed && countedAs !== null && payee.isOfWallet ? work.othersPaid(row, payee, matched) : []
    if (matched !== null) {
      const configuration = told.length === 0 ? null : yield* ask(work.configuration(matched.invoice.owner))
      const isShown = configuration?.payload === 'with-invoice'
      const current = isConfirmed || isShown ? yield* ask(work.current(matched)) : matched
      if (isConfirmed) work.settleIfOpen(current)
      if (configuration !== null) this.owe(deposit, current, told, configuration)
    }
    for (const other of yield* ask(others)) work.settleIfOpen(other)
  }

  /**
   * Queues the deliveries that a deposit owes, if the prerequisites hold (specification, Webhook delivery). Where the owner wants
   * the payment in the body, it is the payment as of now.
   */
  private owe(
    deposit: Deposit,
    current: I,
    told: readonly DepositStatus[],
    { callback_url: defaultUrl, payload }: WebhookConfiguration,
  ): void {
    const { id: invoiceId, owner, reference, amount, currency, callback_url } = current.invoice
    if (reference === null) throw new Error('a deposit was matched to an invoice without a reference')
    const url = resolveCallback(callback_url, defaultUrl)
    if (url === null) return
    const added = payload === 'with-invoice' ? { invoice: { amount, currency, ...this.work.paymentOf(current) } } : {}
    for (const status of told) {
      const body = webhookBody({ id: invoiceId, reference }, status, deposit, added)
      this.work.owe({ owner, invoiceId, status, url, body })
    }
  }
}

function valueIn({ countedAs, atoms }: DepositRecord<unknown>): DepositValue {
  return { currency: countedAs, atoms }
}
