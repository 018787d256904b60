import type { Currency } from '../../domain/currency.js'
import type { CandidateSearch } from '../../domain/matching.js'
import { timeOfId } from './bytes.js'
import { callbackOf, type InvoiceIndex } from './invoice-index.js'
import { CALLBACK, type Callback, classByte, idAt, type Place } from './invoice-places.js'

/**
 * Paid invoices that one deposit may settle while it searches the oldest unpaid one, counted on each of their wallets. What
 * is settled is never met again, so only a payment that covered more than this at once lets the next deposit reach the
 * bound. That deposit takes the first one that it has not looked at.
 */
const SETTLED_PLACES_MAX = 30

/** A deposit that looks for the invoice it notifies. */
export interface Seeker {
  /** The wallet that it went to, and that wallet's present owner. */
  readonly place: Place
  readonly currency: Currency
  readonly atoms: bigint
  readonly receivedAt: number
  readonly hasDefaultCallback: boolean
}

interface Head {
  readonly id: Buffer
  readonly payeeNo: number
  readonly ofClass: number
}

/** The candidates for a deposit, in LMDB: a few seeks for each search, whatever the history of the wallet. */
export class Candidates implements CandidateSearch<Buffer> {
  private readonly callbacks: readonly Callback[]
  private readonly classes: readonly number[]
  /** Before every invoice that was created when the deposit was received, or later. */
  private readonly before: Buffer

  constructor(
    private readonly index: InvoiceIndex,
    private readonly seeker: Seeker,
    private readonly nowMs: number,
  ) {
    this.callbacks = seeker.hasDefaultCallback ? [CALLBACK.own, CALLBACK.default] : [CALLBACK.own]
    this.classes = this.callbacks.map((callback) => classByte(seeker.currency, callback))
    this.before = idAt(seeker.receivedAt)
  }

  newestUnmatchedOfAmount(): Buffer | null {
    const { place, currency, atoms } = this.seeker
    const open = this.index.open.ofAmount(place, currency, atoms).filter((id) => this.isUnmatchedCandidate(id))
    const paid = this.classes.map((one) => this.index.paid.newestUnmatched(place, one, atoms, this.before))
    return newestOf([...open, ...paid])
  }

  oldestUnpaid(): Buffer | null {
    const heads = this.heads()
    for (let settled = 0; ; ) {
      const head = oldestOf(heads)
      if (head === undefined) return null
      if (this.index.decideExpiry(head.id, this.nowMs).voidedAt === null) {
        if (settled >= SETTLED_PLACES_MAX || this.index.isUnpaid(head.id, this.nowMs)) return head.id
        settled += this.index.walletCountOf(head.payeeNo)
      }
      heads.splice(heads.indexOf(head), 1)
      const next = this.headOf(head.payeeNo, head.ofClass, head.id)
      if (next !== null) heads.push(next)
    }
  }

  /** Called when none is unpaid, so all of them have been settled. */
  newest(): Buffer | null {
    return newestOf(this.classes.map((one) => this.index.paid.newest(this.seeker.place, one, this.before)))
  }

  /** The oldest open invoice of each set of wallets and class. */
  private heads(): Head[] {
    const heads: Head[] = []
    for (const payeeNo of this.index.open.sets.at(this.seeker.place)) {
      for (const ofClass of this.classes) {
        const head = this.headOf(payeeNo, ofClass)
        if (head !== null) heads.push(head)
      }
    }
    return heads
  }

  private headOf(payeeNo: number, ofClass: number, after?: Buffer): Head | null {
    const id = this.index.open.oldestOf(this.seeker.place, payeeNo, ofClass, this.before, after)
    return id === null ? null : { id, payeeNo, ofClass }
  }

  private isUnmatchedCandidate(id: Buffer): boolean {
    if (timeOfId(id) >= this.seeker.receivedAt || this.index.matches.has(id)) return false
    const row = this.index.decideExpiry(id, this.nowMs)
    return row.voidedAt === null && this.callbacks.includes(callbackOf(row))
  }
}

function oldestOf(heads: readonly Head[]): Head | undefined {
  let oldest: Head | undefined
  for (const head of heads) {
    if (oldest === undefined || Buffer.compare(head.id, oldest.id) < 0) oldest = head
  }
  return oldest
}

function newestOf(ids: readonly (Buffer | null)[]): Buffer | null {
  let newest: Buffer | null = null
  for (const id of ids) {
    if (id !== null && (newest === null || Buffer.compare(id, newest) > 0)) newest = id
  }
  return newest
}
