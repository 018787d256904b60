import type { Currency } from '../../../domain/amount.js'
import type { Received } from '../../../domain/payment.js'
import type { Awaitable } from '../../reading.js'
import type { MatchChange } from '../../rules/invoice-life.js'
import { Questions } from '../connection/questions.js'
import type { Work } from '../connection/work.js'
import type { InvoiceRow } from './invoice-rows.js'
import { lockInvoices, readInvoices } from './settle.js'

interface Read {
  readonly row: InvoiceRow
  /** The moment of the unit at which it was read. */
  readonly moment: number
}

/** A deposit that is counted, or not any more. Amounts are atoms, and negative for what leaves. */
export interface CountedDeposit {
  readonly walletId: string
  readonly currency: Currency
  readonly receivedAt: number
  readonly seen: bigint
  readonly confirmed: bigint
  /** The same where the deposit is matched to no invoice. */
  readonly unmatchedSeen: bigint
  readonly unmatchedConfirmed: bigint
}

/**
 * The invoices that a unit of work has locked, as it has read them last, with what it has counted for them since. Those that it asks for
 * together are one statement.
 */
export class LockedInvoices {
  private readonly rows = new Map<string, Read>()
  /** The ids of those on a wallet. */
  private readonly onWallets = new Map<string, Set<string>>()
  private readonly unknown = new Questions((ids: readonly string[]) => this.answer(ids, lockInvoices))
  private readonly changed = new Questions((ids: readonly string[]) => this.answer(ids, readInvoices))

  constructor(private readonly work: Work) {}

  /** An invoice that the store itself has named, as it is now. */
  get(id: string): Awaitable<InvoiceRow> {
    const known = this.rows.get(id)
    if (known === undefined) return this.unknown.ask(id)
    return this.isStill(known) ? known.row : this.changed.ask(id)
  }

  /** An invoice that has been read, as it is now as far as the unit knows. */
  present(id: string): InvoiceRow {
    const read = this.rows.get(id)
    if (read === undefined) throw new Error('an invoice that was found has not been read')
    return read.row
  }

  /** Notes how what is matched to an invoice has changed: the unit has just written that. */
  match(id: string, { matches, seen, confirmed }: MatchChange): void {
    const row = this.present(id)
    const { received } = row
    this.keep({
      ...row,
      matches: row.matches + matches,
      received: { ...received, own: added(received.own, { seen, confirmed }, 1n) },
    })
  }

  /** Whether a row is as the invoice is now. */
  isPresent(row: InvoiceRow): boolean {
    const known = this.rows.get(row.id)
    return known?.row === row && this.isStill(known)
  }

  /** An invoice as the unit has read it last, if it has. What does not change of it is right. */
  known(id: string): Awaitable<InvoiceRow> {
    return this.rows.get(id)?.row ?? this.unknown.ask(id)
  }

  private keep(row: InvoiceRow, moment = this.work.moment): void {
    if (!this.rows.has(row.id)) for (const walletId of row.walletIds) this.noteOn(walletId, row.id)
    this.rows.set(row.id, { row, moment })
  }

  /** Counts a deposit for the invoices that it counts for. */
  count({ walletId, currency, receivedAt, unmatchedSeen, unmatchedConfirmed, ...all }: CountedDeposit): void {
    const unmatched = { seen: unmatchedSeen, confirmed: unmatchedConfirmed }
    for (const id of this.onWallets.get(walletId) ?? []) {
      const read = this.rows.get(id)
      if (read === undefined) continue
      const { row, moment } = read
      const { invoice, received, walletIds } = row
      if (invoice.currency !== currency || invoice.created_at >= receivedAt) continue
      const times = BigInt(walletIds.filter((one) => one === walletId).length)
      const now = { ...added(received, all, times), own: added(received.own, unmatched, times) }
      this.rows.set(id, { row: { ...row, received: now }, moment })
    }
  }

  /** Locks invoices and reads them, by their ids. */
  lock(ids: readonly string[]): Promise<ReadonlyMap<string, InvoiceRow>> {
    return this.read(ids, lockInvoices)
  }

  send(): void {
    this.unknown.send()
    this.changed.send()
  }

  private async answer(ids: readonly string[], read: typeof lockInvoices): Promise<readonly InvoiceRow[]> {
    const rows = await this.read(ids, read)
    return ids.map((id) => {
      const row = rows.get(id)
      if (row === undefined) throw new Error('an index names an invoice that is not there')
      return row
    })
  }

  private async read(ids: readonly string[], read: typeof lockInvoices): Promise<ReadonlyMap<string, InvoiceRow>> {
    const { moment } = this.work
    const rows = await read(this.work, [...new Set(ids)])
    for (const row of rows) this.keep(row, moment)
    return new Map(rows.map((row) => [row.id, row]))
  }

  private isStill({ row, moment }: Read): boolean {
    return this.work.isAsAt(moment, row.id)
  }

  private noteOn(walletId: string, id: string): void {
    const known = this.onWallets.get(walletId)
    if (known === undefined) this.onWallets.set(walletId, new Set([id]))
    else known.add(id)
  }
}

function added(
  sums: Received,
  { seen, confirmed }: Pick<CountedDeposit, 'seen' | 'confirmed'>,
  times: bigint,
): Received {
  return { confirmed: sums.confirmed + times * confirmed, pending: sums.pending + times * (seen - confirmed) }
}
