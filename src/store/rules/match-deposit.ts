import { Unsettled } from '../commands.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'
import type { Standing } from './invoice-life.js'

/*
 * Which invoice a deposit is matched to (decisions 6). Candidates are the invoices on the destination wallet that belong to its
 * present owner, are in the deposit's currency, were created before the deposit was received, and are not void. Those that can be
 * notified, which have a reference and a callback that resolves, go before the others. When there is no candidate at all, the deposit
 * is late: it is matched to the invoice that became void last.
 */

/** Paid invoices that one transaction settles at most before its choices, counted on each of their wallets. */
export const SETTLED_PLACES_MAX = 50

/** Invoices that became void on a wallet behind a deposit, and that a search examines at most: one may be younger than the deposit. */
export const VOID_EXAMINED_MAX = 100

/** Invoices whose amounts become one when they are rounded up to what a coin can carry, and that a search examines at most. */
export const SIMILAR_EXAMINED_MAX = 32

/** What the walks of one transaction may still settle. */
export interface Budget {
  left: number
}

/** The choices of one transaction. */
export class Choices implements Budget {
  /** The deposits whose choice would settle more than is left, by `nameOf`. */
  readonly unsettled: string[] = []

  constructor(public left: number) {}

  /** Throws `Unsettled` when there are some: then the transaction is undone. */
  assertSettled(): void {
    if (this.unsettled.length > 0) throw new Unsettled(this.unsettled)
  }
}

/** For imports and migrations, which may take their time. */
export const BOUNDLESS = Number.POSITIVE_INFINITY

/**
 * The searches of one deposit among candidates of a kind, in an engine: a few seeks each, however long the history of the wallet is.
 * `I`: its row of an invoice.
 */
export interface CandidateSearch<I, Head> {
  /** The candidates that ask the deposit's amount, the paid ones only as far as no deposit has matched them. */
  ofAmount(): Awaitable<readonly I[]>
  /** Decides the expiry of an invoice if it is due. False when it is void, or a deposit has matched it. */
  isUnmatched(invoice: I): boolean
  /** The oldest open candidate of each set of wallets and kind of callback. */
  heads(): Awaitable<readonly Head[]>
  /** The open candidate behind another in its set and kind. */
  next(head: Head): Awaitable<Head | null>
  invoiceOf(head: Head): Awaitable<I>
  /** Settles an open invoice if it is paid. Null when it has changed since it was read. */
  settleIfPaid(invoice: I): Standing | null
  /** Whether an open invoice is unpaid and stays so, as far as it is known without settling it. */
  isUnpaid(invoice: I): boolean
  /** On how many wallets an invoice is. */
  placesOf(invoice: I): number
  /** The newest candidate that was found paid. */
  newest(): Awaitable<I | null>
  /** Orders candidates by their age, the oldest first. */
  byAge(one: I | Head, other: I | Head): number
}

/** All searches of one deposit. */
export interface DepositSearch<I, Head> {
  /** The candidates that can be notified, and behind them those that cannot. */
  readonly kinds: readonly CandidateSearch<I, Head>[]
  /** The invoice that became void last, at `sinceMs` or later, of those that the deposit may be for. */
  lastVoid(sinceMs: number): Awaitable<I | null>
}

/** A choice that meets more paid invoices than its transaction may settle. */
export const UNSETTLED = 'unsettled'

/** The invoice that a deposit is matched to. */
export interface Match<I> {
  readonly invoice: I
  /** Whether it had become void. */
  readonly isLate: boolean
}

/**
 * Chooses the invoice that a deposit is matched to; null for none. The amount identifies the invoice, because unpaid amounts
 * on a wallet are distinct; what others paid to a shared wallet does not matter. A later search runs only if the earlier ones
 * found nothing. Payment sums do not depend on the choice. `lateSinceMs`: since when an invoice must have become void; null for never.
 * What it meets is settled as far as the budget goes, so that each invoice is met once.
 */
export function* chooseInvoice<I, Head>(
  search: DepositSearch<I, Head>,
  lateSinceMs: number | null,
  budget: Budget,
): Asking<Match<I> | null | typeof UNSETTLED> {
  for (const candidates of search.kinds) {
    const invoice = yield* chooseAmong(candidates, budget)
    if (invoice === UNSETTLED) return UNSETTLED
    if (invoice !== null) return { invoice, isLate: false }
  }
  const late = lateSinceMs === null ? null : yield* ask(search.lastVoid(lateSinceMs))
  return late === null ? null : { invoice: late, isLate: true }
}

/** Settles a bounded piece of what a choice will meet; false when there is more. */
export function* settleBefore<I, Head>(
  { kinds }: Pick<DepositSearch<I, Head>, 'kinds'>,
  budget: Budget,
): Asking<boolean> {
  for (const candidates of kinds) {
    if ((yield* newestUnmatched(candidates)) !== null) return true
    const { unpaid, isDone } = yield* oldestUnpaid(candidates, budget)
    if (!isDone) return false
    if (unpaid !== null || (yield* ask(candidates.newest())) !== null) return true
  }
  return true
}

function* chooseAmong<I, Head>(search: CandidateSearch<I, Head>, budget: Budget): Asking<I | null | typeof UNSETTLED> {
  const ofAmount = yield* newestUnmatched(search)
  if (ofAmount !== null) return ofAmount
  const { unpaid, isDone } = yield* oldestUnpaid(search, budget)
  if (!isDone) return UNSETTLED
  return unpaid ?? (yield* ask(search.newest()))
}

function* newestUnmatched<I, Head>(search: CandidateSearch<I, Head>): Asking<I | null> {
  let newest: I | null = null
  for (const invoice of yield* ask(search.ofAmount())) {
    if (search.isUnmatched(invoice) && (newest === null || search.byAge(newest, invoice) < 0)) newest = invoice
  }
  return newest
}

interface Walk<I> {
  readonly unpaid: I | null
  /** False when paid invoices may be left. */
  readonly isDone: boolean
}

/** The oldest unpaid candidate. Settles the paid ones before it, until nothing is left of the budget. */
function* oldestUnpaid<I, Head>(search: CandidateSearch<I, Head>, budget: Budget): Asking<Walk<I>> {
  const heads = [...(yield* ask(search.heads()))]
  for (;;) {
    const [head] = heads.sort((one, other) => search.byAge(one, other))
    if (head === undefined) return { unpaid: null, isDone: true }
    const invoice = yield* ask(search.invoiceOf(head))
    // What others have used up must not hold up a choice that has nothing to settle.
    if (budget.left <= 0) {
      const isDone = search.isUnpaid(invoice)
      return { unpaid: isDone ? invoice : null, isDone }
    }
    const standing = search.settleIfPaid(invoice)
    if (standing === null) continue
    if (standing === 'open') return { unpaid: invoice, isDone: true }
    if (standing === 'paid') budget.left -= search.placesOf(invoice)
    heads.shift()
    const next = yield* ask(search.next(head))
    if (next !== null) heads.push(next)
  }
}
