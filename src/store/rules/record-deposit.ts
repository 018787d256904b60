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
import type { OrderFields } from '../../domain/order-fields.js'
import type { Payment } from '../../domain/payment.js'
import { qualifies } from '../../domain/qualification.js'
import {
  type AddedToBody,
  type InvoiceState,
  type OrderInBody,
  resolveCallback,
  type WebhookConfiguration,
  webhookBody,
} from '../../domain/webhook.js'
import { acceptUnderpaid } from './accept-underpaid.js'
import { type Asking, ask } from './asking.js'
import type { CountChange, DepositRecord, DepositWork, MatchedInvoice, Payee } from './deposit-work.js'
import { conflictWith, type DepositChange, type DepositTerms } from './judge-report.js'
import { type Choices, chooseInvoice, type Match, settleBefore, UNSETTLED } from './match-deposit.js'
import { holdOrder, reviewOrder, statusOf } from './order-life.js'

/** How a change of a deposit changes sums, of which it is a part, or is not, before and behind the change. */
function changeOf(
  before: { readonly kind: DepositChange['from']; readonly isIn: boolean },
  after: { readonly kind: DepositReport; readonly isIn: boolean },
): CountChange {
  const isSeen = ({ kind, isIn }: typeof before) => Number(isIn && (kind === 'pending' || kind === 'confirmed'))
  const isConfirmed = ({ kind, isIn }: typeof before) => Number(isIn && kind === 'confirmed')
  return { seen: isSeen(after) - isSeen(before), confirmed: isConfirmed(after) - isConfirmed(before) }
}

/** Records one deposit: its sums, the invoice that it is matched to, what it has paid, and the deliveries that it owes. */
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
    const search = yield* ask(this.work.candidates(payee, seen, value, this.unitOf(seen, value)))
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
    for (const report of deposit.kind === 'dropped' ? [deposit.kind] : reaches) {
      work.log(`deposit.${report}`, deposit, match, payee)
    }
    if (match !== null) this.changeMatch(match.invoice, row, payee, { from, wasMatched: seen.invoiceId !== null })
    if (row.countedAs !== null) yield* this.count(row, payee, { from, wasMatched: seen.invoiceId !== null })
    if (payee.walletId !== null) this.tell(change, counted, match, payee.walletId)
    work.put(row, known)
    const isNew = (status: DepositStatus) => !(status === 'pending' ? seen.isPendingReached : seen.isConfirmedReached)
    yield* this.settleAndOwe(row, payee, match?.invoice ?? null, work.isSilent ? [] : reaches.filter(isNew))
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
    this.changeMatch(match.invoice, row, payee, before)
    yield* this.count(row, payee, before)
    work.put(row, known)
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
    const search = yield* ask(this.work.candidates(payee, deposit, value, this.unitOf(deposit, value)))
    const { lateMs } = this.terms
    const lateSinceMs = lateMs === 0 ? null : deposit.receivedAt - lateMs
    return search === null ? null : yield* chooseInvoice(search, lateSinceMs, this.choices)
  }

  /** The smallest amount that the coin or token of a deposit can carry: nobody can pay what lies between two of them. */
  private unitOf({ network }: Sighting, { currency }: DepositValue): bigint {
    const decimals = currency === null ? undefined : this.terms.decimals[network]?.[currency]
    return decimals === undefined ? ONE_ATOM : smallestUnit(decimals)
  }

  /**
   * Brings the match of an invoice up to date. A deposit that came back as another one than was dropped keeps its match, and may not
   * qualify for that invoice any more: then it is no money of it.
   */
  private changeMatch(invoice: I, row: R, { walletId }: P, { from, wasMatched }: Before): void {
    const { deposit, countedAs, atoms } = row
    const { kind, receivedAt } = deposit
    const { seen: matches, confirmed } = changeOf({ kind: from, isIn: wasMatched }, { kind, isIn: true })
    const counts = qualifies(invoice.invoice, { walletId, currency: countedAs, receivedAt })
    const worth = counts ? atoms : 0n
    this.work.changeMatch(invoice, row, {
      matches,
      seen: BigInt(matches) * worth,
      confirmed: BigInt(confirmed) * worth,
    })
  }

  /** Brings the sums from one kind to the other. */
  private *count(row: R, payee: P, { from, wasMatched }: Before): Asking<void> {
    const { kind } = row.deposit
    const all = changeOf({ kind: from, isIn: true }, { kind, isIn: true })
    const unmatched = changeOf({ kind: from, isIn: !wasMatched }, { kind, isIn: row.invoiceId === null })
    this.work.count(row, all, unmatched, payee)
    if (all.confirmed < 0 && payee.walletId !== null) yield* this.work.reopen(row, payee)
  }

  /**
   * Finds what a confirmed deposit has paid, the invoice that it matched first, accepts that one if it is nearly paid, and queues the
   * deliveries that are owed. Nobody is told of what a silent unit does, so it accepts nothing.
   */
  private *settleAndOwe(row: R, payee: P, matched: I | null, told: readonly DepositStatus[]): Asking<void> {
    const { work } = this
    const { deposit, countedAs } = row
    const isConfirmed = deposit.kind === 'confirmed'
    const others =
      isConfirmed && countedAs !== null && payee.walletId !== null
        ? work.othersPaid(row, payee, matched, this.terms.pace.withDeposit)
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
      if (configuration !== null) this.owe(row, current, told, configuration, order)
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

  /**
   * Queues the deliveries that a deposit owes, if the prerequisites hold (specification, Webhook delivery). Owners with the payload
   * `events` hear of it from their log instead. Where the owner wants
   * the payment in the body, it is the payment as of now.
   */
  private owe(
    { deposit, isLate }: R,
    current: I,
    told: readonly DepositStatus[],
    { callback_url: defaultUrl, payload }: WebhookConfiguration,
    order: OrderInBody | null,
  ): void {
    const { id: invoiceId, owner, reference, amount, currency, callback_url } = current.invoice
    const url = resolveCallback(callback_url, defaultUrl)
    if (url === null || reference === null || payload === 'events') return
    const added: AddedToBody = {
      ...(isLate ? { late: true } : {}),
      ...(payload === 'with-invoice'
        ? { invoice: stateOf(amount, currency, this.work.paymentOf(current), this.work.orderOf(current), order) }
        : {}),
    }
    for (const status of told) {
      const body = webhookBody({ id: invoiceId, reference }, status, deposit, added)
      this.work.owe({ owner, invoiceId, status, event: null, url, body })
    }
  }
}

const ONE_ATOM = 1n

/** How a deposit stood before a change. */
interface Before {
  readonly from: DepositChange['from']
  readonly wasMatched: boolean
}

/** The payload has what it had before there was `own`. */
function stateOf(
  amount: string,
  currency: Currency,
  { own: _, ...payment }: Payment,
  fields: OrderFields,
  order: OrderInBody | null,
): InvoiceState {
  return { amount, currency, ...payment, ...fields, ...(order === null ? {} : { order }) }
}

function valueIn({ countedAs, atoms }: DepositRecord<unknown>): DepositValue {
  return { currency: countedAs, atoms }
}
