import type { Sums } from '../../../domain/payment.js'
import type { Awaitable } from '../../reading.js'
import type { MatchChange } from '../../rules/invoice-life.js'
import { Questions } from '../connection/questions.js'
import type { Work } from '../connection/work.js'
import type { InvoiceRow } from './invoice-rows.js'
import { type CountedDeposit, counted, matched } from './received-since.js'
import { lockInvoices, readInvoices } from './settle.js'
import { ShownInvoices } from './shown-invoices.js'

interface Read {
  readonly row: InvoiceRow
  /** The moment of the unit at which it was read. */
  readonly moment: number
  /** Whether its wallets were locked before: then only the unit changes what they have received. */
  readonly isHeld: boolean
}

/**
 * The invoices that a unit of work has locked, as it has read them last, with what it has counted for them since. Those that it asks for
 * together are one statement.
 */
export class LockedInvoices {
  private readonly rows = new Map<string, Read>()
  /** The ids of those on a wallet. */
  private readonly onWallets = new Map<string, Set<string>>()
  private readonly showing: ShownInvoices
  private readonly unknown = new Questions((ids: readonly string[]) => this.answer(ids, lockInvoices))
  private readonly changed = new Questions((ids: readonly string[]) => this.answer(ids, readInvoices))

  constructor(private readonly work: Work) {
    this.showing = new ShownInvoices(work)
  }

  /** An invoice that the store itself has named, as it is now. */
  get(id: string): Awaitable<InvoiceRow> {
    const known = this.rows.get(id)
    if (known === undefined) return this.unknown.ask(id)
    return this.isStill(known) ? known.row : this.changed.ask(id)
  }

  /** An invoice that has been read, as it is now as far as the unit knows. */
  present(id: string): InvoiceRow {
    return this.lastRead(id).row
  }

  /** Notes how what is matched to an invoice has changed: the unit has just written that. */
  match(id: string, change: MatchChange): void {
    const { row, isHeld } = this.lastRead(id)
    const now = {
      ...row,
      matches: row.matches + change.matches,
      matchedConfirmed: row.matchedConfirmed + change.confirmed,
      received: matched(row.received, change),
    }
    this.rows.set(id, { row: now, moment: this.work.moment, isHeld })
    this.showing.match(id, change)
  }

  /**
   * What a delivery shows that an invoice has received, with what the unit has counted until now. To be asked for when the unit tells.
   * Others may change what wallets receive that it has not locked.
   */
  shown(row: InvoiceRow): () => Sums {
    return this.lastRead(row.id).isHeld ? () => row.received : this.showing.show(row)
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

  private lastRead(id: string): Read {
    const read = this.rows.get(id)
    if (read === undefined) throw new Error('an invoice that was found has not been read')
    return read
  }

  private keep(row: InvoiceRow, moment: number): void {
    if (!this.rows.has(row.id)) for (const walletId of row.walletIds) this.noteOn(walletId, row.id)
    this.rows.set(row.id, { row, moment, isHeld: this.work.wallets.has(row.walletIds) })
  }

  /** Counts a deposit for the invoices that it counts for. */
  count(deposit: CountedDeposit): void {
    for (const id of this.onWallets.get(deposit.walletId) ?? []) {
      const read = this.rows.get(id)
      if (read === undefined) continue
      const { row } = read
      this.rows.set(id, { ...read, row: { ...row, received: counted(row, row.received, deposit) } })
    }
    this.showing.count(deposit)
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
