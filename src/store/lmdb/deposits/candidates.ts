import type { Currency } from '../../../domain/amount.js'
import type { CandidateSearch } from '../../../domain/deposit.js'
import { CALLBACK, type Callback, callbackOf } from '../../rules/callbacks.js'
import type { Commit } from '../commit/commit-loop.js'
import { decideExpiryOf, settleIfPaid } from '../invoices/invoice-index.js'
import { classByte, type Place } from '../invoices/invoice-places.js'
import { oldestOpenOf, openOfAmount, openSetsAt } from '../invoices/open-invoices.js'
import { countMatches, newestPaid, newestUnmatched } from '../invoices/paid-invoices.js'
import { findSet } from '../invoices/wallet-sets.js'
import { type InvoiceId, idAt, type SetNo, timeOfId } from '../tables/keys.js'

/** A deposit that needs the invoice that it notifies. */
export interface Seeker {
  /** Its wallet and the wallet's present owner. */
  readonly place: Place
  readonly currency: Currency
  readonly atoms: bigint
  readonly receivedAt: number
  readonly hasDefaultCallback: boolean
}

interface Head {
  readonly id: InvoiceId
  readonly setNo: SetNo
  readonly ofClass: number
}

/** The candidates for a deposit, in LMDB: a few seeks for each search, however long the history of the wallet is. */
export class Candidates implements CandidateSearch<InvoiceId> {
  private readonly callbacks: readonly Callback[]
  private readonly classes: readonly number[]
  /** Before every invoice that was created when the deposit was received, or later. */
  private readonly before: Buffer

  constructor(
    private readonly commit: Commit,
    private readonly seeker: Seeker,
  ) {
    this.callbacks = seeker.hasDefaultCallback ? [CALLBACK.own, CALLBACK.default] : [CALLBACK.own]
    this.classes = this.callbacks.map((callback) => classByte(seeker.currency, callback))
    this.before = idAt(seeker.receivedAt)
  }

  newestUnmatchedOfAmount(): InvoiceId | null {
    const { place, currency, atoms } = this.seeker
    const open = openOfAmount(this.commit, place, currency, atoms).filter((id) => this.isUnmatchedCandidate(id))
    const paid = this.classes.map((one) => newestUnmatched(this.commit, place, one, atoms, this.before))
    return newestOf([...open, ...paid])
  }

  oldestUnpaid(): InvoiceId | null {
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
  private walk(places: number): { readonly found: InvoiceId | null; readonly left: number } {
    const heads = this.heads()
    for (let left = places; ; ) {
      const head = heads.sort((a, b) => Buffer.compare(a.id, b.id)).shift()
      if (head === undefined || left <= 0) return { found: null, left: Math.max(left, 0) }
      const standing = settleIfPaid(this.commit, head.id)
      if (standing === 'open') return { found: head.id, left }
      if (standing === 'paid') left -= findSet(this.commit, head.setNo).walletIds.length
      const next = this.headOf(head.setNo, head.ofClass, head.id)
      if (next !== null) heads.push(next)
    }
  }

  /** Called when none is unpaid, so all of them have been settled. */
  newest(): InvoiceId | null {
    return newestOf(this.classes.map((one) => newestPaid(this.commit, this.seeker.place, one, this.before)))
  }

  /** The oldest open invoice of each set of wallets and class. */
  private heads(): Head[] {
    const heads: Head[] = []
    for (const setNo of openSetsAt(this.commit, this.seeker.place)) {
      for (const ofClass of this.classes) {
        const head = this.headOf(setNo, ofClass)
        if (head !== null) heads.push(head)
      }
    }
    return heads
  }

  private headOf(setNo: SetNo, ofClass: number, after?: InvoiceId): Head | null {
    const id = oldestOpenOf(this.commit, this.seeker.place, setNo, ofClass, this.before, after)
    return id === null ? null : { id, setNo, ofClass }
  }

  private isUnmatchedCandidate(id: InvoiceId): boolean {
    if (timeOfId(id) >= this.seeker.receivedAt || countMatches(this.commit, id) > 0) return false
    const row = decideExpiryOf(this.commit, id)
    return row.voidedAt === null && this.callbacks.includes(callbackOf(row.invoice))
  }
}

function newestOf(ids: readonly (InvoiceId | null)[]): InvoiceId | null {
  const found = ids.filter((id) => id !== null)
  return found.sort(Buffer.compare).at(-1) ?? null
}
