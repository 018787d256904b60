import { behind, type IndexedInvoice, openPrefix, type Place, payeeNoOfOpenKey } from './invoice-places.js'
import { RowCache } from './row-cache.js'
import { firstKey, type Tables } from './tables.js'

/**
 * The sets of wallets (payees) that have open invoices on each wallet. All of it can be read from `open-invoices`; what is
 * in memory keeps a creation from reading it for each of its wallets. Only commits use it.
 */
export class WalletSets {
  /** Whether a payee has an open invoice, by number. */
  private readonly holders = new RowCache<boolean, number>()
  /** How many payees have one at a place, by the place's bytes. */
  private readonly counts = new RowCache<number>()
  /** Places that were found to have no room, until an invoice or a deposit changes that. */
  private readonly full = new Set<string>()
  /** The wallets whose confirmed deposits decide about the full places. */
  private readonly deciding = new Set<string>()

  constructor(private readonly tables: Tables) {}

  /** After an aborted commit. */
  forget(): void {
    this.holders.forget()
    this.counts.forget()
    this.forgetFull()
  }

  /** Whether a payee has an open invoice; `place` is any of its wallets. */
  holds(place: Place, payeeNo: number): boolean {
    const known = this.holders.get(payeeNo)
    if (known !== undefined) return known
    const prefix = openPrefix(place, payeeNo)
    const found = firstKey(this.tables.openInvoices, prefix, behind(prefix)) !== undefined
    this.holders.set(payeeNo, found)
    return found
  }

  /** The payees that have open invoices at a place, by number. */
  *at(place: Place): Generator<number> {
    const end = behind(place)
    for (let key = firstKey(this.tables.openInvoices, place, end); key !== undefined; ) {
      const payeeNo = payeeNoOfOpenKey(key)
      yield payeeNo
      key = firstKey(this.tables.openInvoices, openPrefix(place, payeeNo + 1), end)
    }
  }

  /** How many payees have open invoices at a place. */
  countAt(place: Place): number {
    const name = nameOf(place)
    const known = this.counts.get(name)
    if (known !== undefined) return known
    const count = [...this.at(place)].length
    this.counts.set(name, count)
    return count
  }

  /** Called before the payee's open invoice is entered. */
  entering(invoice: IndexedInvoice): void {
    const { places, payeeNo } = invoice
    const [first] = places
    if (first === undefined || this.holds(first, payeeNo)) return
    this.holders.set(payeeNo, true)
    for (const place of places) this.adjust(place, 1)
  }

  /** Called when an open invoice of the payee has left. */
  left(invoice: IndexedInvoice): void {
    this.forgetFull()
    const { places, payeeNo } = invoice
    const [first] = places
    this.holders.drop(payeeNo)
    if (first === undefined || this.holds(first, payeeNo)) return
    for (const place of places) this.adjust(place, -1)
  }

  isKnownFull(place: Place): boolean {
    return this.full.has(nameOf(place))
  }

  /** Notes that a place has no room as long as nothing is confirmed on these wallets. */
  noteFull(place: Place, walletIds: Iterable<string>): void {
    this.full.add(nameOf(place))
    for (const id of walletIds) this.deciding.add(id)
  }

  /** More was confirmed on a wallet than before, or its address became known. */
  depositsChanged(walletId: string): void {
    if (this.deciding.has(walletId)) this.forgetFull()
  }

  private adjust(place: Place, by: number): void {
    const name = nameOf(place)
    const known = this.counts.get(name)
    if (known !== undefined) this.counts.set(name, known + by)
  }

  private forgetFull(): void {
    if (this.full.size === 0) return
    this.full.clear()
    this.deciding.clear()
  }
}

function nameOf(place: Place): string {
  return place.toString('latin1')
}
