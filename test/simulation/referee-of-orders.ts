import { type RateTable, type RateVerdict, rateFor } from '../../src/domain/rates.js'
import type {
  AcceptOrderCommand,
  OrderCommand,
  OrderResult,
  VoidOrderCommand,
  WalletResult,
} from '../../src/store/commands.js'
import type { OrderWithOptions } from '../../src/store/orders.js'
import type { GivenRates } from '../../src/store/rates.js'
import { RATE_TERMS } from './model/model.js'
import type { OpenOrder } from './open-commands.js'
import type { RefereeParts } from './referee.js'
import { expectEqual, violate } from './violation.js'

/** Judges what the store does with orders and with rates. */
export class RefereeOfOrders {
  constructor(
    private readonly parts: Pick<RefereeParts, 'model' | 'open' | 'now' | 'touched'>,
    /** Told of each new id. */
    private readonly noteId: (id: string) => void,
  ) {}

  /** Only a request for wallets that are not its owner's is answered without a turn, and like in a turn. */
  judgeWithoutTurn({ request: parsed }: OrderCommand, answer: OrderResult | null): void {
    const open = this.parts.open.order(parsed)
    const isOwned = open.walletIds.every((id) => this.parts.model.wallets.isOwnedBy(id, open.request.owner))
    expectEqual('whether a request needs a turn', answer === null, isOwned, open.request)
    if (answer === null) return
    open.fate = { status: 'fulfilled', value: answer }
    this.judgeCreation(open, answer)
  }

  judgeOrder(open: OpenOrder, fate: PromiseSettledResult<WalletResult>): void {
    if (fate.status === 'rejected' || fate.value.type !== 'order') violate('a command failed', [open.request, fate])
    this.judgeCreation(open, fate.value)
  }

  judgeEnd(
    { type, orderId, owner }: VoidOrderCommand | AcceptOrderCommand,
    fate: PromiseSettledResult<WalletResult>,
  ): void {
    const result = fate.status === 'rejected' ? null : fate.value
    if (result === null || (result.type !== 'void-order' && result.type !== 'accept-order') || result.type !== type) {
      return violate(`a command to ${type}`, [orderId, fate])
    }
    const { outcome } = result
    const { orders } = this.parts.model
    const now = this.parts.now()
    const refusal = type === 'void-order' ? orders.void(orderId, owner, now) : orders.accept(orderId, owner, now)
    const expected = refusal ?? { ...orders.told(orderId, now), readAt: now }
    expectEqual(`a command to ${type}`, outcome.ok ? outcome.value : outcome.failure.code, expected, orderId)
    this.parts.touched({ what: 'order', id: orderId })
  }

  judgeRead(id: string, found: OrderWithOptions | undefined): void {
    const now = this.parts.now()
    const told = this.parts.model.orders.told(id, now)
    expectEqual('an order', found, told === undefined ? undefined : { ...told, readAt: now }, id)
  }

  /** Every rate that is in force, and no other. */
  judgeRates(table: RateTable): void {
    const now = this.parts.now()
    const inForce = table.known.flatMap((known) => {
      const found = rateFor(table, known, RATE_TERMS.maxAgeMs, now)
      return found.ok ? [[`${known.currency} ${known.coin}`, found.rate] as const] : []
    })
    expectEqual('the rates in force', inForce.sort(), [...this.parts.model.rates.all(now)].sort())
  }

  judgeSet(given: GivenRates, { kind }: RateVerdict): void {
    const { rates } = this.parts.model
    const set =
      'refusal' in given
        ? null
        : { at: given.set.at, rates: new Map(given.set.rates.map((one) => [`${one.currency} ${one.coin}`, one.rate])) }
    expectEqual('what becomes of a set of rates', kind, rates.take(set, this.parts.now()), given)
  }

  private judgeCreation(open: OpenOrder, result: OrderResult): void {
    const { model } = this.parts
    const now = this.parts.now()
    const { request, idempotency, quotes } = open
    const code = result.outcome.ok ? null : result.outcome.failure.code
    if (idempotency !== null) {
      const earlier = model.earlier(idempotency.scope, idempotency.body, now)
      if (earlier.kind === 'same') return this.judgeReplay(result, earlier.id)
      if (earlier.kind === 'other_body') return expectEqual('another body', code, 'idempotency_key_reused', request)
      if (earlier.kind === 'either' && (result.isReplay || code === 'idempotency_key_reused')) return
    }
    expectEqual('whether it is a replay', result.isReplay, false, request)
    const asked = model.orders.judge(request, quotes, now)
    if (typeof asked === 'string' || !result.outcome.ok) {
      return expectEqual('a refusal of an order', code, typeof asked === 'string' ? asked : null, request)
    }
    const { order, invoices } = result.outcome.value
    const ids = invoices.map(({ id }) => id)
    for (const id of [order.id, ...ids]) this.noteId(id)
    const created = model.orders.create(request, asked, order.id, ids, now)
    const expected = { order: created, invoices: ids.map((id) => model.invoices.find(id)) }
    expectEqual('an order that was created', result.outcome.value, expected)
    if (idempotency !== null) model.rememberRequest(idempotency.scope, idempotency.body, order.id, now)
    this.parts.touched({ what: 'order', id: order.id })
  }

  /** The same order, as it stands now. */
  private judgeReplay(result: OrderResult, id: string): void {
    const { orders, invoices } = this.parts.model
    const order = orders.find(id)
    const value = { order, invoices: order?.options.map(({ invoiceId }) => invoices.find(invoiceId)) }
    expectEqual('a replay', result, { type: 'order', outcome: { ok: true, value }, isReplay: true })
  }
}
