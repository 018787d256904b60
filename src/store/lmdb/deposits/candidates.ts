import { isExpiryDue } from '../../../domain/voiding.js'
import { type Callback, callbackKinds, callbackOf } from '../../rules/callbacks.js'
import type { Standing } from '../../rules/invoice-life.js'
import type { CandidateSearch, DepositSearch } from '../../rules/match-deposit.js'
import type { Commit } from '../commit/commit.js'
import { decideExpiryOf, isPaidNow, settleIfPaid } from '../invoices/invoice-index.js'
import { classByte, type Place } from '../invoices/invoice-places.js'
import { type InvoiceRow, invoiceRow } from '../invoices/invoice-rows.js'
import { countMatches } from '../invoices/matches.js'
import { type Amounts, openOfAmounts } from '../invoices/open-amounts.js'
import { oldestOpenOf } from '../invoices/open-invoices.js'
import { hasUnmatched, newestPaid, newestUnmatched } from '../invoices/paid-invoices.js'
import { lastVoidOf } from '../invoices/void-invoices.js'
import { findSet, listedSets } from '../invoices/wallet-sets.js'
import type { CurrencyNo } from '../tables/currencies.js'
import { type InvoiceId, idAt, type SetNo, timeOfId } from '../tables/keys.js'

/** A deposit that is to be matched. */
export interface Seeker {
  /** Its wallet and the wallet's present owner. */
  readonly place: Place
  readonly currencyNo: CurrencyNo
  readonly atoms: bigint
  /** The smallest amount of the coin or token. */
  readonly unit: bigint
  readonly receivedAt: number
  readonly hasDefaultCallback: boolean
}

/** Answers what has become of an open invoice. */
export type Settle = (commit: Commit, id: InvoiceId) => Standing

interface Head {
  readonly id: InvoiceId
  readonly setNo: SetNo
  readonly ofClass: number
}

/** The searches for the invoice of a deposit, in LMDB. */
export class Searches implements DepositSearch<InvoiceRow, Head> {
  readonly kinds: readonly CandidateSearch<InvoiceRow, Head>[]

  constructor(
    private readonly commit: Commit,
    private readonly seeker: Seeker,
    settle: Settle = settleIfPaid,
  ) {
    const asked = new SameAmount(commit, seeker)
    this.kinds = callbackKinds(seeker.hasDefaultCallback).map(
      (callbacks) => new Candidates(commit, seeker, callbacks, asked, settle),
    )
  }

  lastVoid(sinceMs: number): InvoiceRow | null {
    const { place, currencyNo, receivedAt } = this.seeker
    const id = lastVoidOf(this.commit, place, currencyNo, receivedAt, sinceMs)
    return id === null ? null : invoiceRow(this.commit, id)
  }
}

/** The invoices that ask the amount of a deposit, however they are notified. */
class SameAmount {
  private readonly amounts: Amounts
  /** Before every invoice that was created when the deposit was received, or later. */
  readonly before: Buffer
  /** Whether its wallet has any paid invoice that no deposit has matched, of whatever way of notification. It seldom has. */
  private hasPaid: boolean | null = null

  constructor(
    private readonly commit: Commit,
    private readonly seeker: Seeker,
  ) {
    const { atoms, unit, receivedAt } = seeker
    this.amounts = { above: atoms > unit ? atoms - unit : 0n, to: atoms }
    this.before = idAt(receivedAt)
  }

  open(): readonly InvoiceId[] {
    const { place, currencyNo, receivedAt } = this.seeker
    return openOfAmounts(this.commit, place, currencyNo, this.amounts).filter((id) => timeOfId(id) < receivedAt)
  }

  /** The newest one of a class that was found paid and that no deposit has matched. */
  paid(ofClass: number): InvoiceId | null {
    const { place } = this.seeker
    this.hasPaid ??= hasUnmatched(this.commit, place)
    return this.hasPaid ? newestUnmatched(this.commit, place, ofClass, this.amounts, this.before) : null
  }
}

/** The candidates of some ways of notification for a deposit. */
class Candidates implements CandidateSearch<InvoiceRow, Head> {
  private readonly classes: readonly number[]

  constructor(
    private readonly commit: Commit,
    private readonly seeker: Seeker,
    private readonly callbacks: readonly Callback[],
    private readonly asked: SameAmount,
    private readonly settle: Settle,
  ) {
    this.classes = callbacks.map((callback) => classByte(seeker.currencyNo, callback))
  }

  ofAmount(): readonly InvoiceRow[] {
    const paid = this.classes.map((one) => this.asked.paid(one))
    const rows = [...this.asked.open(), ...paid].flatMap((id) => (id === null ? [] : [invoiceRow(this.commit, id)]))
    return rows.filter(({ invoice }) => this.callbacks.includes(callbackOf(invoice)))
  }

  isUnmatched({ id }: InvoiceRow): boolean {
    return countMatches(this.commit, id) === 0 && decideExpiryOf(this.commit, id).voidedAt === null
  }

  /** The oldest open invoice of each set of wallets and class. */
  heads(): readonly Head[] {
    const heads: Head[] = []
    for (const setNo of listedSets(this.commit, this.seeker.place)) {
      for (const ofClass of this.classes) {
        const head = this.headOf(setNo, ofClass)
        if (head !== null) heads.push(head)
      }
    }
    return heads
  }

  next({ setNo, ofClass, id }: Head): Head | null {
    return this.headOf(setNo, ofClass, id)
  }

  invoiceOf({ id }: Head): InvoiceRow {
    return invoiceRow(this.commit, id)
  }

  settleIfPaid({ id }: InvoiceRow): Standing {
    return this.settle(this.commit, id)
  }

  isUnpaid(row: InvoiceRow): boolean {
    return !isExpiryDue(row, this.commit.nowMs) && !isPaidNow(this.commit, row)
  }

  placesOf({ setNo }: InvoiceRow): number {
    return findSet(this.commit, setNo).walletIds.length
  }

  newest(): InvoiceRow | null {
    const ids = this.classes.map((one) => newestPaid(this.commit, this.seeker.place, one, this.asked.before))
    const newest = ids
      .filter((id) => id !== null)
      .sort(Buffer.compare)
      .at(-1)
    return newest === undefined ? null : invoiceRow(this.commit, newest)
  }

  byAge(one: Pick<InvoiceRow, 'id'>, other: Pick<InvoiceRow, 'id'>): number {
    return Buffer.compare(one.id, other.id)
  }

  private headOf(setNo: SetNo, ofClass: number, after?: InvoiceId): Head | null {
    const id = oldestOpenOf(this.commit, setNo, ofClass, this.asked.before, after)
    return id === null ? null : { id, setNo, ofClass }
  }
}
