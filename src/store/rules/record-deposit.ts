import { type Currency, smallestUnit } from '../../domain/amount.js'
import { nameOf } from '../../domain/aside.js'
import {
  type Deposit,
  type DepositReport,
  type DepositStatus,
  type DepositValue,
  depositValue,
  type Sighting,
} from '../../domain/deposit.js'
import type { Network } from '../../domain/network.js'
import type { OrderInBody } from '../../domain/webhook.js'
import { acceptUnderpaid } from './accept-underpaid.js'
import { type Asking, ask } from './asking.js'
import { changeMatch, count } from './count-deposit.js'
import type { DepositRecord, DepositWork, MatchedInvoice, Payee } from './deposit-work.js'
import { conflictWith, type DepositChange, type DepositTerms } from './judge-report.js'
import {
  type Choices,
  chooseInvoice,
  type DepositSearch,
  type Match,
  settleBefore,
  UNSETTLED,
} from './match-deposit.js'
import { holdOrder, statusOf } from './order-end.js'
import { reviewLeaning, reviewOrder } from './order-life.js'
import { oweWebhooks } from './owe-webhooks.js'

/**
 * Records one deposit: it is matched to an invoice, told in the log of an owner, counted, and written; what it has paid is settled; the
 * deliveries that it owes are queued. In this order, so that a match sees what was missing before, and a delivery what is paid now.
 */
export class DepositRule<P extends Payee, I extends MatchedInvoice<Id>, R extends DepositRecord<Id>, Id> {
  constructor(
    private readonly work: DepositWork<P, I, R, Id>,
    private readonly terms: DepositTerms,
    /** Those of its transaction. */
    private readonly choices: Choices,
  ) {}

  /**
   * Settles a bounded piece of what the choice for a sighting will meet; false when there is more. To be called before a report of it
   * is recorded, unless that takes the deposit away.
   */
  *settle(sighting: Sighting, known: R | undefined): Asking<boolean> {
    if (known !== undefined && known.invoiceId !== null) return true
    // What is known of a deposit stands, unless a confirmed block takes it back because it was something else.
    const stands =
      known === undefined ||
      known.deposit.kind === 'dropped' ||
      conflictWith(known.deposit, sighting, this.terms.decimals) !== null
        ? null
        : known
    // Nothing is chosen any more.
    if (stands?.deposit.kind === 'confirmed') return true
    const seen = stands?.deposit ?? sighting
    const value = stands === null ? depositValue(sighting, this.terms.decimals) : valueIn(stands)
    if (value === null) return true
    const payee = yield* ask(this.work.payeeAt(seen))
    const search = yield* this.candidates(payee, seen, value)
    return search === null || (yield* settleBefore(search, this.choices))
  }

  /** The invoice that a deposit will be matched to when a change of it is recorded; null for none. */
  *foresee({ from, deposit }: DepositChange, known: R | undefined): Asking<I | null> {
    const { work } = this
    if (known !== undefined && known.invoiceId !== null) return yield* ask(work.invoice(known.invoiceId))
    const { decimals } = this.terms
    const value = known === undefined || from === 'dropped' ? depositValue(deposit, decimals) : valueIn(known)
    if (value === null) return null
    const match = yield* this.choose(deposit, value, yield* ask(work.payeeAt(deposit)))
    return match === UNSETTLED ? null : (match?.invoice ?? null)
  }

  /**
   * Records what a report changes of a deposit. Where its choice meets more than may be settled, it says so (`Choices.unsettled`), and has
   * written nothing of the deposit: what it has settled can stay.
   */
  *record(change: DepositChange, known: R | undefined): Asking<void> {
    const { work } = this
    const { from, reaches, deposit } = change
    const payee = yield* ask(work.payeeAt(deposit))
    const counted = known === undefined || from === 'dropped' ? null : known
    const value = counted === null ? this.valueOf(deposit) : valueIn(counted)
    const match = yield* this.match(known, value, payee, deposit)
    if (match === UNSETTLED) {
      this.choices.unsettled.push(nameOf(deposit))
      return
    }
    const seen = counted ?? this.enter(deposit, value, known, payee)
    const row: R = {
      ...seen,
      deposit,
      invoiceId: match?.invoice.id ?? null,
      isLate: match?.isLate ?? false,
      isPendingReached: seen.isPendingReached || reaches.includes('pending'),
      isConfirmedReached: seen.isConfirmedReached || reaches.includes('confirmed'),
    }
    this.log(change, match, payee)
    if (match !== null) changeMatch(work, match.invoice, row, payee, { from, wasMatched: seen.invoiceId !== null })
    yield* count(work, row, payee, { from, wasMatched: seen.invoiceId !== null })
    if (payee.wallet !== null) this.tell(change, counted, match, payee.wallet.id)
    work.put(row, known)
    const isNew = (status: DepositStatus) => !(status === 'pending' ? seen.isPendingReached : seen.isConfirmedReached)
    yield* this.settleAndOwe(row, payee, match?.invoice ?? null, work.isSilent ? [] : reaches.filter(isNew))
    const hasLeft = from === 'confirmed' && match === null
    if (hasLeft && payee.wallet !== null && row.countedAs !== null) {
      yield* reviewLeaning(work.orders, payee.wallet.id, row.countedAs)
    }
  }

  /**
   * Matches a confirmed deposit of before every deposit was matched. It notifies nobody and changes no payment. What it is matched to
   * is judged by what is there now.
   */
  *matchAgain(known: R): Asking<void> {
    const { work } = this
    const { deposit } = known
    if (known.invoiceId !== null || known.countedAs === null || deposit.kind !== 'confirmed') return
    const payee = yield* ask(work.payeeAt(deposit))
    const match = yield* this.choose(deposit, valueIn(known), payee)
    if (match === null || match === UNSETTLED) return
    const row: R = { ...known, invoiceId: match.invoice.id, isLate: match.isLate }
    const before = { from: deposit.kind, wasMatched: false }
    changeMatch(work, match.invoice, row, payee, before)
    yield* count(work, row, payee, before)
    work.put(row, known)
  }

  /** The owner of the invoice that a deposit is matched to hears of it, or else that of its wallet. */
  private log({ reaches, deposit }: DepositChange, match: Match<I> | null, { wallet }: P): void {
    const owner = match?.invoice.invoice.owner ?? wallet?.owner ?? null
    if (owner === null) return
    for (const report of deposit.kind === 'dropped' ? [deposit.kind] : reaches) {
      this.work.log(owner, `deposit.${report}`, deposit, match)
    }
  }

  /**
   * Tells whose pages show something else. A page shows what is its invoice's own: a deposit that is matched to one from the moment that it
   * counts is nobody else's.
   */
  private tell({ deposit }: DepositChange, counted: R | null, match: Match<I> | null, walletId: string): void {
    const wasAnyones = counted !== null && counted.invoiceId === null
    if (match === null || wasAnyones || deposit.kind === 'dropped') this.work.changed(walletId)
    else this.work.ownChanged(match.invoice, walletId)
  }

  private valueOf(deposit: Deposit): DepositValue {
    const value = depositValue(deposit, this.terms.decimals)
    if (value === null) throw new Error('a deposit without a value was not rejected')
    return value
  }

  private enter(deposit: Deposit, value: DepositValue, known: R | undefined, payee: P): R {
    const record: DepositRecord<Id> = {
      deposit,
      countedAs: value.currency,
      atoms: value.atoms,
      invoiceId: known?.invoiceId ?? null,
      isLate: known?.isLate ?? false,
      isPendingReached: known?.isPendingReached ?? false,
      isConfirmedReached: known?.isConfirmedReached ?? false,
    }
    return this.work.enter(record, known, payee)
  }

  /**
   * The invoice that the deposit is matched to from now on. The choice is made when the deposit is first seen, once more when it
   * is confirmed and there was none, and kept: a dropped deposit only gives its match back until it is seen again. It is
   * made before the deposit is counted, so that what an invoice misses is what the payer saw missing.
   */
  private *match(
    known: R | undefined,
    value: DepositValue,
    payee: P,
    deposit: Deposit,
  ): Asking<Match<I> | null | typeof UNSETTLED> {
    if (known !== undefined && known.invoiceId !== null) {
      return { invoice: yield* ask(this.work.invoice(known.invoiceId)), isLate: known.isLate }
    }
    return yield* this.choose(deposit, value, payee)
  }

  private *choose(deposit: Deposit, value: DepositValue, payee: P): Asking<Match<I> | null | typeof UNSETTLED> {
    if (deposit.kind === 'dropped') return null
    const search = yield* this.candidates(payee, deposit, value)
    const { lateMs } = this.terms
    const lateSinceMs = lateMs === 0 ? null : deposit.receivedAt - lateMs
    return search === null ? null : yield* chooseInvoice(search, lateSinceMs, this.choices)
  }

  /** The searches for the invoice of a deposit; null where it can have none: nobody owns its wallet, or no invoice is in its currency. */
  private *candidates(
    { wallet }: P,
    seen: Sighting,
    { currency, atoms }: DepositValue,
  ): Asking<DepositSearch<I, unknown> | null> {
    const owner = wallet?.owner ?? null
    if (wallet === null || owner === null || currency === null) return null
    const unit = this.unitOf(seen.network, currency)
    return yield* ask(this.work.candidates({ wallet, owner, seen, currency, atoms, unit }))
  }

  /** The smallest amount that a coin or token can carry: nobody can pay what lies between two of them. */
  private unitOf(network: Network, currency: Currency): bigint {
    const decimals = this.terms.decimals[network]?.[currency]
    return decimals === undefined ? ONE_ATOM : smallestUnit(decimals)
  }

  /**
   * Finds what a confirmed deposit has paid, the invoice that it matched first, accepts that one if it is nearly paid, and queues the
   * deliveries that are owed. Nobody is told of what a silent unit does, so it accepts nothing.
   */
  private *settleAndOwe(row: R, { wallet }: P, matched: I | null, told: readonly DepositStatus[]): Asking<void> {
    const { work } = this
    const { deposit, countedAs: currency } = row
    const isConfirmed = deposit.kind === 'confirmed'
    const others =
      isConfirmed && currency !== null && wallet !== null
        ? work.othersPaid({ row, currency, wallet }, matched, this.terms.pace.withDeposit)
        : []
    if (matched !== null) {
      const isTold = told.length > 0 && matched.invoice.reference !== null
      const configuration = isTold ? yield* ask(work.configuration(matched.invoice.owner)) : null
      const isShown = configuration?.payload === 'with-invoice'
      const { underpayment } = this.terms
      const isJudged = underpayment > 0 && !work.isSilent
      const current = isConfirmed || isShown || isJudged ? yield* ask(work.current(matched)) : matched
      if (isConfirmed) work.settleIfOpen(current)
      if (isJudged && current.orderId === null) yield* acceptUnderpaid(work, current, deposit.kind, underpayment)
      const order =
        current.orderId === null ? null : yield* this.reviewOrder(current.orderId, current, deposit.kind, isShown)
      if (configuration !== null) oweWebhooks(work, { row, invoice: current, told, configuration, order })
    }
    for (const other of yield* ask(others)) work.settleIfOpen(other)
  }

  /** What a deposit does to the order of its invoice. Answers the order where a delivery shows it. */
  private *reviewOrder(id: string, invoice: I, kind: DepositReport, isShown: boolean): Asking<OrderInBody | null> {
    const { orders, isSilent } = this.work
    const underpayment = isSilent ? 0 : this.terms.underpayment
    // What is only seen counts for nothing yet.
    const held =
      kind === 'pending'
        ? isShown
          ? yield* holdOrder(orders, id)
          : null
        : yield* reviewOrder(orders, id, { invoice, isConfirmed: kind === 'confirmed', underpayment })
    if (held === null || !isShown) return null
    const { reference, fields } = held.order
    return { id, reference, orderNumber: fields.orderNumber, status: statusOf(orders, held) }
  }
}

const ONE_ATOM = 1n

function valueIn({ countedAs, atoms }: DepositRecord<unknown>): DepositValue {
  return { currency: countedAs, atoms }
}
