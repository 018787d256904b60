import { type ApiKey, refusalOf } from '../../domain/api-key.js'
import { failure, type Outcome, refuse, succeed, unchanged } from '../../domain/failure.js'
import type { AcceptOrderCommand, VoidOrderCommand } from '../commands.js'
import type { OrderWithOptions } from '../orders.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'
import { expireOrder, holdOrder, voidedAtOf } from './order-end.js'
import { acceptNow, isSettled, voidOrderNow } from './order-life.js'
import type { HeldOrder, OptionRow, OrderWork } from './order-work.js'

/** What the end of an order at its owner's request needs of an engine. */
export interface EndOrderWork<I extends OptionRow> {
  key(id: string): Awaitable<ApiKey | undefined>
  /** The id under which the engine has the order that a client names, with the wallets of all its invoices kept from others. */
  find(name: string): Awaitable<string | undefined>
  readonly orders: OrderWork<I>
  answerOf(held: HeldOrder<I>): Awaitable<OrderWithOptions>
}

/** Voids an order for its owner, with all of its invoices. A void one stays as it is. */
export function* voidOrder<I extends OptionRow>(
  work: EndOrderWork<I>,
  command: VoidOrderCommand,
): Asking<Outcome<OrderWithOptions>> {
  const found = yield* findToEnd(work, command)
  if (!found.ok) return found
  const held = found.value
  if (held.order.owner !== command.owner) return refuse('not_order_owner')
  if (voidedAtOf(work.orders, held.order, held.rows) !== null) return unchanged(yield* ask(work.answerOf(held)))
  if (isSettled(work.orders, held)) return refuse('order_paid')
  return succeed(yield* ask(work.answerOf(yield* voidOrderNow(work.orders, held))))
}

/** Accepts an order for its owner, whatever has come, also one that is paid. An accepted one stays as it is. */
export function* acceptOrder<I extends OptionRow>(
  work: EndOrderWork<I>,
  command: AcceptOrderCommand,
): Asking<Outcome<OrderWithOptions>> {
  const found = yield* findToEnd(work, command)
  if (!found.ok) return found
  const held = found.value
  const { order, rows } = held
  if (order.owner !== command.owner) return refuse('not_order_owner')
  if (order.acceptedAt !== null) return unchanged(yield* ask(work.answerOf(held)))
  if (voidedAtOf(work.orders, order, rows) !== null) return refuse('order_void')
  const accepted = yield* acceptNow(work.orders, held)
  work.orders.put(accepted.order)
  return succeed(yield* ask(work.answerOf(yield* holdOrder(work.orders, order.id))))
}

/** The order that its owner wants to end, with its expiry decided if it was due. */
function* findToEnd<I extends OptionRow>(
  work: EndOrderWork<I>,
  { orderId, authority }: VoidOrderCommand | AcceptOrderCommand,
): Asking<Outcome<HeldOrder<I>>> {
  const key = authority === undefined ? undefined : yield* ask(work.key(authority.keyId))
  const id = yield* ask(work.find(orderId))
  const denied = authority === undefined ? null : refusalOf(key, authority, work.orders.life.nowMs)
  if (denied !== null) return { ok: false, failure: denied }
  if (id === undefined) return { ok: false, failure: failure('order_not_found') }
  return succeed(yield* expireOrder(work.orders, id))
}
