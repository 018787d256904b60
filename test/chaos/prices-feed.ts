import type { Answered } from './http-client.js'
import type { PricesModel } from './prices-model.js'
import { type ModelEvent, OWNER } from './prices-records.js'

/** An event as the API has it, as far as it is compared. */
export interface PricedEvent {
  readonly id: string
  readonly type: string
  readonly at: number
  readonly invoiceId: string | null
  readonly orderId?: string
  readonly deposit: { readonly txHash: string } | null
  readonly late?: true
}

/** They follow from sums that other orders' deposits on a shared wallet move, too. */
const JUDGED_APART = new Set(['invoice.paid', 'invoice.unpaid'])
const PAGE = 1000

/** What the shop reads from its log of events, compared with what it must read. */
export class PricesFeed {
  readonly events: PricedEvent[] = []
  /** How often an event is still to come; below 0: how often it came and should not have. */
  private readonly left = new Map<string, number>()
  private expected = 0
  private last: PricedEvent | null = null

  constructor(
    private readonly model: PricesModel,
    private readonly violate: (violation: string) => void,
  ) {}

  /** Reads on. */
  async read(get: (path: string) => Promise<Answered>): Promise<void> {
    for (;;) {
      const after: string = this.last === null ? '' : `&after=${this.last.id}`
      const { json } = await get(`/api/users/${OWNER}/events?limit=${PAGE}${after}`)
      for (const event of json as readonly PricedEvent[]) this.take(event)
      if (json.length < PAGE) return
    }
  }

  difference(): { readonly missing: readonly string[]; readonly surplus: readonly string[] } {
    const { events } = this.model
    for (const event of events.slice(this.expected)) this.count(nameOf(event), 1)
    this.expected = events.length
    const named = (isOne: (count: number) => boolean) =>
      [...this.left].flatMap(([name, count]) => (isOne(count) ? [name] : []))
    return { missing: named((count) => count > 0), surplus: named((count) => count < 0) }
  }

  /** What was told of each order is what must be, in this order. Returns how much. */
  sequences(): number {
    const wanted = new Map<string, string[]>()
    for (const { type, orderId } of this.model.events) add(wanted, orderId, type)
    const found = new Map<string, string[]>()
    for (const { type, orderId = null } of this.events) add(found, orderId, type)
    for (const [orderId, types] of wanted) {
      const told = found.get(orderId) ?? []
      if (told.join() !== types.join()) this.violate(`${orderId} has the events ${told}, and must have ${types}`)
    }
    return [...found.values()].reduce((sum, types) => sum + types.length, 0)
  }

  private count(name: string, by: number): void {
    const count = (this.left.get(name) ?? 0) + by
    if (count === 0) this.left.delete(name)
    else this.left.set(name, count)
  }

  private take(event: PricedEvent): void {
    const { last } = this
    if (last !== null && (event.id <= last.id || event.at < last.at)) {
      this.violate(`the event ${event.id} comes behind ${last.id}`)
    }
    this.last = event
    this.events.push(event)
    if (JUDGED_APART.has(event.type)) return
    const { type, orderId = null, invoiceId, deposit } = event
    this.count(nameOf({ type, orderId, invoiceId, txHash: deposit?.txHash ?? null, isLate: event.late === true }), -1)
  }
}

function add(sequences: Map<string, string[]>, orderId: string | null, type: string): void {
  if (orderId === null || !type.startsWith('order.')) return
  sequences.set(orderId, [...(sequences.get(orderId) ?? []), type])
}

function nameOf({ type, orderId, invoiceId, txHash, isLate }: ModelEvent): string {
  return [type, `order ${orderId}`, `invoice ${invoiceId}`, `of ${txHash}`, ...(isLate ? ['late'] : [])].join(', ')
}
