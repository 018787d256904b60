import type { Sums } from '../../../domain/payment.js'
import type { MatchChange } from '../../rules/invoice-life.js'
import type { Work } from '../connection/work.js'
import type { InvoiceRow } from './invoice-rows.js'
import { type CountedDeposit, counted, matched, without } from './received-since.js'
import { readInvoices } from './settle.js'

/** An invoice as a delivery shows it. */
interface Shown {
  readonly row: InvoiceRow
  /** What the unit has counted for it since. */
  since: Sums
}

const NOTHING: Sums = { confirmed: 0n, pending: 0n, own: { confirmed: 0n, pending: 0n } }

/**
 * The invoices that the deliveries of a unit of work show, and that have wallets which the unit has not locked: an invoice that was found
 * paid, or has ended, keeps no wallets together. What came to those is read when the unit has its place in the logs. So a delivery
 * shows what the log has told before, also where others have committed since the invoice was read.
 */
export class ShownInvoices {
  private readonly all: Shown[] = []
  private sums: ReadonlyMap<string, Sums> = new Map()

  constructor(private readonly work: Work) {}

  /** What an invoice has received, with what the unit has counted until now. To be asked for behind `Work.readShown`. */
  show(row: InvoiceRow): () => Sums {
    if (this.all.length === 0) this.work.readsShown(() => this.read())
    const shown: Shown = { row, since: NOTHING }
    this.all.push(shown)
    return () => {
      const sums = this.sums.get(row.id)
      if (sums === undefined) throw new Error('what an invoice has received is asked for before it was read')
      return without(sums, shown.since)
    }
  }

  count(deposit: CountedDeposit): void {
    for (const shown of this.all) shown.since = counted(shown.row, shown.since, deposit)
  }

  match(id: string, change: MatchChange): void {
    for (const shown of this.all) if (shown.row.id === id) shown.since = matched(shown.since, change)
  }

  private async read(): Promise<void> {
    const ids = [...new Set(this.all.map(({ row }) => row.id))]
    const rows = await readInvoices(this.work, ids)
    this.sums = new Map(rows.map(({ id, received }) => [id, received]))
  }
}
