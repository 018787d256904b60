import type { Currency } from '../../domain/currency.js'
import type { CandidateSearch } from '../../domain/matching.js'
import { timeOfId } from './bytes.js'
import { callbackOf, type InvoiceIndex } from './invoice-index.js'
import { CALLBACK, type Callback, classByte, idAt, type Place } from './invoice-places.js'

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
    return this.walk(Number.POSITIVE_INFINITY).found
  }

  /**
   * Settles paid invoices that stand before the oldest unpaid one, as long as they have no more than `places` wallets
   * together, each counted for each invoice. Answers how many are left of `places`; none when there may be more to settle.
   */
  settle(places: number): number {
    return this.newestUnmatchedOfAmount() === null ? this.walk(places).left : places
  }

  /** The oldest unpaid one; settles the paid ones before it, until nothing is left of `places`. */
  private walk(places: number): { readonly found: Buffer | null; readonly left: number } {
    const heads = this.heads()
    for (let left = places; ; ) {
      const head = oldestOf(heads)
      if (head === undefined || left <= 0) return { found: null, left: Math.max(left, 0) }
      if (this.index.decideExpiry(head.id, this.nowMs).voidedAt === null) {
        if (this.index.isUnpaid(head.id, this.nowMs)) return { found: head.id, left }
        left -= this.index.walletCountOf(head.payeeNo)
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
