import {
  type Billhook,
  BillhookError,
  type BillhookEvent,
  type Currency,
  type InvoiceWithPayment,
} from '@billhook/client'
import { computed, signal } from '@preact/signals'
import { LiveList } from '../lists/live-list.js'
import { startsWith } from './search.js'
import { type InvoiceState, isOpen, stateOf } from './state.js'

/** Which invoices are shown. */
export interface InvoiceFilter {
  /** Its beginning. */
  readonly orderNumber: string
  readonly state: InvoiceState | null
  readonly currency: Currency | null
}

const EVERYTHING: InvoiceFilter = { orderNumber: '', state: null, currency: null }

type Reader = Pick<Billhook, 'listInvoices' | 'getInvoice'>

/** Unpaid invoices among which the open ones are looked for, newest first. An older one is found when the service refuses its wallet. */
const UNPAID_MAX = 2000
const PAGE = 100
/** Invoices that are read at once. */
const READS_MAX = 4

/** The invoices of the owner, live. */
export class InvoiceBook extends LiveList<InvoiceWithPayment, InvoiceFilter> {
  private readonly openIds = signal<ReadonlySet<string>>(new Set())
  /** Those that somebody may still pay. */
  readonly open = computed(() =>
    [...this.openIds.value].flatMap((id) => {
      const invoice = this.known.value.get(id)
      return invoice !== undefined && isOpen(invoice) ? [invoice] : []
    }),
  )

  constructor(
    private readonly billhook: Reader,
    private readonly ended: AbortSignal,
  ) {
    super(EVERYTHING)
  }

  /** Reads the open ones, and the first rows. */
  async load(): Promise<void> {
    const open: InvoiceWithPayment[] = []
    let seen = 0
    for await (const invoice of this.billhook.listInvoices({ status: 'unpaid', pageSize: PAGE, signal: this.ended })) {
      if (isOpen(invoice)) open.push(invoice)
      seen += 1
      if (seen >= UNPAID_MAX) break
    }
    this.take(open)
    await this.choose(this.filter.value)
  }

  /** Reads one anew. */
  async read(id: string): Promise<InvoiceWithPayment> {
    const invoice = await this.billhook.getInvoice(id, { signal: this.ended })
    if (invoice.id !== id) throw new BillhookError('The service answered with another invoice.', 'unexpected_answer')
    this.take([invoice])
    return invoice
  }

  /** Reads those that events are about. */
  async follow(events: readonly BillhookEvent[]): Promise<void> {
    const ids = [...new Set(events.flatMap(({ invoiceId }) => (invoiceId === null ? [] : [invoiceId])))]
    const readNext = async (): Promise<void> => {
      for (let id = ids.shift(); id !== undefined; id = ids.shift()) await this.readIfThere(id)
    }
    await Promise.all(Array.from({ length: READS_MAX }, readNext))
  }

  private async readIfThere(id: string): Promise<void> {
    try {
      await this.read(id)
    } catch (error) {
      if (!(error instanceof BillhookError) || error.code !== 'invoice_not_found') throw error
    }
  }

  override take(invoices: readonly InvoiceWithPayment[]): void {
    if (invoices.length === 0) return
    super.take(invoices)
    const openIds = new Set(this.openIds.value)
    for (const invoice of invoices) {
      if (isOpen(invoice)) openIds.add(invoice.id)
      else openIds.delete(invoice.id)
    }
    this.openIds.value = openIds
  }

  protected list({ state, currency }: InvoiceFilter): AsyncGenerator<InvoiceWithPayment, void> {
    const status = state === null ? undefined : state === 'paid' ? 'paid' : state === 'accepted' ? undefined : 'unpaid'
    return this.billhook.listInvoices({ status, currency: currency ?? undefined, pageSize: PAGE, signal: this.ended })
  }

  protected fits(invoice: InvoiceWithPayment, { orderNumber, state, currency }: InvoiceFilter): boolean {
    return (
      startsWith(invoice.orderNumber, orderNumber) &&
      (state === null || stateOf(invoice) === state) &&
      (currency === null || invoice.currency === currency)
    )
  }
}
