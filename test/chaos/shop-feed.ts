import type { ShopClient } from './shop-client.js'
import type { ModelEvent, ShopModel } from './shop-model.js'

/** An event as the API has it. */
export interface FedEvent {
  readonly id: string
  readonly type: string
  readonly at: number
  readonly invoiceId: string | null
  readonly reference: string | null
  readonly deposit: {
    readonly network: string
    readonly txHash: string
    readonly toAddress: string
    readonly currency: string | null
    readonly amount: string
    readonly receivedAt: number
  } | null
  readonly delivery: { readonly event: { readonly id: string; readonly type: string } | null } | null
  readonly late?: true
}

/** They follow from sums that other deposits move, too, or from a receiver that is away: judged by themselves. */
const JUDGED_APART = new Set(['invoice.paid', 'invoice.unpaid', 'delivery.failed'])
const PAGE = 1000

/** What owners read from their logs of events, compared with what they must read. */
export class ShopFeed {
  readonly events = new Map<string, FedEvent[]>()
  private readonly ids = new Set<string>()
  /** How often an event is still to come; below 0: how often it came and should not have. */
  private readonly left = new Map<string, number>()
  private expected = 0

  constructor(
    private readonly owners: readonly string[],
    private readonly model: ShopModel,
    private readonly client: ShopClient,
    private readonly violate: (violation: string) => void,
  ) {
    for (const owner of owners) this.events.set(owner, [])
  }

  /** Reads on, of some owners. */
  async read(owners: Iterable<string> = this.owners): Promise<void> {
    for (const owner of owners) {
      const known = this.of(owner)
      for (;;) {
        const last = known.at(-1)
        const after = last === undefined ? '' : `&after=${last.id}`
        const { json } = await this.client.call(owner, 'GET /api/users/:id/events', { query: `?limit=${PAGE}${after}` })
        for (const event of json as readonly FedEvent[]) this.take(owner, event, last?.at ?? 0)
        if (json.length < PAGE) break
      }
    }
  }

  of(owner: string): FedEvent[] {
    return this.events.get(owner) ?? []
  }

  /** The events that are still to come, by name, with their owners. */
  missing(): ReadonlyMap<string, string> {
    return this.those((count) => count > 0)
  }

  /** The events that came and should not have. */
  surplus(): ReadonlyMap<string, string> {
    return this.those((count) => count < 0)
  }

  private those(isOne: (count: number) => boolean): ReadonlyMap<string, string> {
    const { events } = this.model
    for (const event of events.slice(this.expected)) this.count(nameOf(event), 1)
    this.expected = events.length
    const names = [...this.left].flatMap(([name, count]) => (isOne(count) ? [name] : []))
    return new Map(names.map((name) => [name, name.split(':')[0] ?? '']))
  }

  private count(name: string, by: number): void {
    const count = (this.left.get(name) ?? 0) + by
    if (count === 0) this.left.delete(name)
    else this.left.set(name, count)
  }

  private take(owner: string, event: FedEvent, notBefore: number): void {
    this.of(owner).push(event)
    if (this.ids.has(`${owner} ${event.id}`)) this.violate(`${owner} reads the event ${event.id} twice`)
    this.ids.add(`${owner} ${event.id}`)
    if (event.at < notBefore) this.violate(`the event ${event.id} of ${owner} is older than the one before`)
    if (!JUDGED_APART.has(event.type)) {
      const txHash = event.deposit?.txHash ?? null
      this.count(nameOf({ owner, ...event, txHash, isLate: event.late === true }), -1)
    }
    if (event.type !== 'invoice.paid') return
    const invoice = this.model.invoices.find(({ id }) => id === event.invoiceId)
    if (invoice === undefined || !this.model.payment(invoice).isPaid) {
      this.violate(`${owner} is told that ${event.reference} is paid, and it is not`)
    }
  }
}

function nameOf({ owner, type, invoiceId, txHash, isLate }: ModelEvent): string {
  const about = txHash === null ? '' : ` of ${txHash}`
  return `${owner}: ${type}${about} for ${invoiceId ?? 'no invoice'}${isLate ? ', late' : ''}`
}
