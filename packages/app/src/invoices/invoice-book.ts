import {
  type Billhook,
  BillhookError,
  type BillhookEvent,
  type Currency,
  type InvoiceWithPayment,
} from '@billhook/client'
import { computed, signal } from '@preact/signals'
import { startsWith } from './search.js'
import { type InvoiceState, isOpen, stateOf } from './state.js'

/** Which invoices are shown. */
export interface Filter {
  /** The beginning of the order number. */
  readonly order: string
  readonly state: InvoiceState | null
  readonly currency: Currency | null
}

const EVERYTHING: Filter = { order: '', state: null, currency: null }

type Reader = Pick<Billhook, 'listInvoices' | 'getInvoice'>

/** Rows that are added at once. */
const ROWS = 50
/** Invoices that one search looks at before it asks whether to go on. */
const LOOKED_AT_MAX = 2000
/** Unpaid invoices among which the open ones are looked for, newest first. An older one is found when the service refuses its wallet. */
const UNPAID_MAX = 2000
const PAGE = 100
/** Invoices that are read at once. */
const READS_MAX = 4

/** The invoices of the owner, live. */
export class InvoiceBook {
  private readonly known = signal<ReadonlyMap<string, InvoiceWithPayment>>(new Map())
  private readonly openIds = signal<ReadonlySet<string>>(new Set())
  private source: AsyncGenerator<InvoiceWithPayment, void>
  readonly filter = signal<Filter>(EVERYTHING)
  /** Whether there may be more rows. */
  readonly hasMore = signal(true)
  /** Those that fit the filter, newest first. */
  readonly rows = computed(() => {
    const { value: filter } = this.filter
    const fitting = [...this.known.value.values()].filter((invoice) => fits(invoice, filter))
    return fitting.sort((a, b) => b.created_at - a.created_at)
  })
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
    this.source = this.list(EVERYTHING)
  }

  /** What is known of one, live. */
  find(id: string): InvoiceWithPayment | undefined {
    return this.known.value.get(id)
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

  /** Shows what fits another filter. */
  async choose(filter: Filter): Promise<void> {
    this.filter.value = filter
    this.source = this.list(filter)
    this.hasMore.value = true
    await this.more()
  }

  /** Adds rows. */
  async more(): Promise<void> {
    const { source } = this
    const { value: filter } = this.filter
    const found: InvoiceWithPayment[] = []
    for (let looked = 0; looked < LOOKED_AT_MAX && found.length < ROWS; looked++) {
      const { value, done } = await source.next()
      if (this.source !== source) return
      if (done === true || value === undefined) {
        this.hasMore.value = false
        break
      }
      if (fits(value, filter)) found.push(value)
    }
    this.take(found)
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

  take(invoices: readonly InvoiceWithPayment[]): void {
    if (invoices.length === 0) return
    const known = new Map(this.known.value)
    const openIds = new Set(this.openIds.value)
    for (const invoice of invoices) {
      known.set(invoice.id, invoice)
      if (isOpen(invoice)) openIds.add(invoice.id)
      else openIds.delete(invoice.id)
    }
    this.known.value = known
    this.openIds.value = openIds
  }

  private list({ state, currency }: Filter): AsyncGenerator<InvoiceWithPayment, void> {
    const status = state === null ? undefined : state === 'paid' ? 'paid' : state === 'accepted' ? undefined : 'unpaid'
    return this.billhook.listInvoices({ status, currency: currency ?? undefined, pageSize: PAGE, signal: this.ended })
  }
}

function fits(invoice: InvoiceWithPayment, { order, state, currency }: Filter): boolean {
  return (
    startsWith(invoice.orderNumber, order) &&
    (state === null || stateOf(invoice) === state) &&
    (currency === null || invoice.currency === currency)
  )
}
