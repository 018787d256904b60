import type { IncomingEvent } from '../../src/actors/intake.js'
import type { ChainOutcome, ChainStep } from '../../src/domain/block.js'
import type { InvoiceRequest } from '../../src/domain/invoice.js'
import type { OrderRequest } from '../../src/domain/order.js'
import type { InvoiceResult, OrderResult } from '../../src/store/commands.js'
import type { ModelRequest } from './model/invoices.js'
import type { ModelOrderRequest } from './model/orders.js'
import type { ModelQuote } from './model/quotes.js'
import type { EventStatus } from './model/wallets.js'
import { violate } from './violation.js'

/** A request for an invoice that has not been answered. */
export interface OpenInvoice {
  readonly no: number
  /** In which order the requests of a process enter mailboxes: as they were made, or when a look has taken its time. */
  turn: number
  /** The most that was open at a time until it entered its mailboxes, itself left out. */
  peak: number
  readonly request: ModelRequest
  readonly idempotency: { readonly scope: string; readonly body: string } | null
  readonly isPoison: boolean
  /** Set when the store has performed it. */
  fate: PromiseSettledResult<InvoiceResult> | null
}

/** A priced request for an order that has not been answered. */
export interface OpenOrder extends Pick<OpenInvoice, 'no' | 'turn' | 'peak' | 'idempotency'> {
  readonly request: ModelOrderRequest
  /** The wallets of all of its options. */
  readonly walletIds: readonly string[]
  /** What each option costs, or the code of a refusal. */
  readonly quotes: readonly (ModelQuote | string)[]
  turn: number
  peak: number
  /** Set when the store has performed it. */
  fate: PromiseSettledResult<OrderResult> | null
}

/** Events that were sent together and have not been answered. */
export interface OpenEvents {
  readonly no: number
  readonly facts: readonly IncomingEvent['fact'][]
  /** The wallet that each deposit went to, as far as it was known when it was sent. */
  readonly walletIds: readonly (string | null)[]
  /** How each was taken, as soon as the store has performed or refused it. */
  readonly statuses: (EventStatus | 'unavailable' | null)[]
  /** The most that was open at a time since they were sent. */
  peak: number
}

/** A step of a watcher that has not been answered. */
export interface OpenStep {
  readonly no: number
  readonly step: ChainStep
  /** The wallets whose turn it surely is, as far as they were known when it was taken. */
  readonly walletIds: readonly string[]
  /** How it was taken, as soon as the store has performed or refused it. */
  outcome: ChainOutcome | 'unavailable' | null
  /** The most that was open at a time since it was taken. */
  peak: number
}

/** Commands that clients and the gateway wait for, by the objects that they gave to the core. */
export class OpenCommands {
  private readonly invoices = new Map<InvoiceRequest, OpenInvoice>()
  private readonly orders = new Map<OrderRequest, OpenOrder>()
  private readonly events = new Map<IncomingEvent['fact'], OpenEvents>()
  private readonly steps = new Map<ChainStep, OpenStep>()
  private readonly voids = new Set<unknown>()
  private readonly all = new Set<unknown>()

  get count(): number {
    return this.all.size
  }

  /** Requests, orders, voids, single events and steps that wait: what mailboxes may be full of. */
  get load(): number {
    return this.invoices.size + this.orders.size + this.voids.size + this.events.size + this.steps.size
  }

  /** Anything else that waits for an answer. */
  begin(command: unknown): void {
    this.all.add(command)
  }

  end(command: unknown): void {
    this.all.delete(command)
  }

  beginInvoice(request: InvoiceRequest, open: OpenInvoice): void {
    this.invoices.set(request, open)
    this.all.add(open)
    this.notePeak()
  }

  beginOrder(request: OrderRequest, open: OpenOrder): void {
    this.orders.set(request, open)
    this.all.add(open)
    this.notePeak()
  }

  order(request: OrderRequest): OpenOrder {
    return this.orders.get(request) ?? violate('a command nobody gave', request)
  }

  endOrder(request: OrderRequest, open: OpenOrder): void {
    this.orders.delete(request)
    this.all.delete(open)
  }

  beginVoid(command: unknown): void {
    this.voids.add(command)
    this.all.add(command)
    this.notePeak()
  }

  endVoid(command: unknown): void {
    this.voids.delete(command)
    this.all.delete(command)
  }

  beginEvents(open: OpenEvents): void {
    for (const fact of open.facts) this.events.set(fact, open)
    this.all.add(open)
    this.notePeak()
  }

  beginStep(open: OpenStep): void {
    this.steps.set(open.step, open)
    this.all.add(open)
    this.notePeak()
  }

  /** Whether a step of the network is under way. */
  isWatching({ network }: Pick<ChainStep, 'network'>): boolean {
    return [...this.steps.keys()].some((step) => step.network === network)
  }

  step(step: ChainStep): OpenStep {
    return this.steps.get(step) ?? violate('a step nobody took', step)
  }

  endStep(open: OpenStep): void {
    this.steps.delete(open.step)
    this.all.delete(open)
  }

  invoice(request: InvoiceRequest): OpenInvoice {
    return this.invoices.get(request) ?? violate('a command nobody gave', request)
  }

  /** The events that a fact came with, and its place among them. */
  eventsOf(fact: IncomingEvent['fact']): { readonly open: OpenEvents; readonly at: number } {
    const open = this.events.get(fact) ?? violate('an event nobody sent', fact)
    return { open, at: open.facts.indexOf(fact) }
  }

  endInvoice(request: InvoiceRequest, open: OpenInvoice): void {
    this.invoices.delete(request)
    this.all.delete(open)
  }

  endEvents(open: OpenEvents): void {
    for (const fact of open.facts) this.events.delete(fact)
    this.all.delete(open)
  }

  private notePeak(): void {
    const { load } = this
    for (const open of this.invoices.values()) open.peak = Math.max(open.peak, load - 1)
    for (const open of this.orders.values()) open.peak = Math.max(open.peak, load - 1)
    for (const open of this.steps.values()) open.peak = Math.max(open.peak, load)
    for (const open of this.events.values()) open.peak = Math.max(open.peak, load)
  }
}
