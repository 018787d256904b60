import type { Order } from '../../domain/order.js'
import { isWhole, type OrderStatus, orderStatus, orderVoidedAt, type Share, shareOf } from '../../domain/order-share.js'
import { isExpiryDue } from '../../domain/voiding.js'
import { type Asking, ask } from './asking.js'
import { decideExpiryOf } from './invoice-life.js'
import type { CountedPortion, HeldOrder, OptionRow, OrderWork } from './order-work.js'
import { tellWallets } from './tell-wallets.js'

/*
 * When an order ends because none of its invoices can be paid any more, and how it stands by the clock and by what has come.
 */

export function* holdOrder<I extends OptionRow>(work: OrderWork<I>, id: string): Asking<HeldOrder<I>> {
  const order = yield* ask(work.order(id))
  return { order, rows: yield* ask(work.options(order)) }
}

/** What each of its invoices asks, and what has come for it: the sums of all their wallets. */
export function portionsOf<I extends OptionRow>(work: OrderWork<I>, rows: readonly I[]): readonly CountedPortion[] {
  return rows.map((row) => work.portionOf(row))
}

/** What an order is for people now. */
export function statusOf<I extends OptionRow>(work: OrderWork<I>, { order, rows }: HeldOrder<I>): OrderStatus {
  return orderStatus({ ...order, voidedAt: voidedAtOf(work, order, rows) }, shareOf(portionsOf(work, rows)))
}

/** When an order became void, by the clock. */
export function voidedAtOf<I extends OptionRow>(work: OrderWork<I>, order: Order, rows: readonly I[]): number | null {
  const ends = rows.map(({ voidedAt }) => voidedAt)
  // As long as one can be paid, what has come decides nothing, and is not summed up.
  if (ends.includes(null)) return order.voidedAt
  return orderVoidedAt(order, shareOf(portionsOf(work, rows)), ends, work.life.nowMs)
}

/**
 * Money that is matched to no invoice counts for every invoice of its wallet (decisions 4), and so for orders that know nothing of its
 * deposit. An order that counted some when it was judged leans on it: it is listed under its wallets until it is judged without.
 */
export function asItLeans<I extends OptionRow>(
  work: OrderWork<I>,
  order: Order,
  rows: readonly I[],
  portions: readonly CountedPortion[],
): Order {
  const isLeaning = portions.some(({ unmatched }) => unmatched > 0n)
  if (isLeaning === order.isLeaning) return order
  const judged = { ...order, isLeaning }
  work.list(judged, rows)
  return judged
}

/** Decides the expiry of an order, which is that of its invoices, if it is due. Answers the order as it is then. */
export function* decideOrderExpiry<I extends OptionRow>(work: OrderWork<I>, held: HeldOrder<I>): Asking<HeldOrder<I>> {
  const { nowMs } = work.life
  if (held.order.expiresAt > nowMs || held.order.isExpiryDecided) return held
  const due = held.rows.filter((row) => isExpiryDue(row, nowMs))
  const present = due.length === 0 ? [] : yield* ask(work.hold(due))
  const decided = new Map(present.map((row) => [row.invoice.id, decideExpiryOf(work.life, row)]))
  for (const row of decided.values()) if (row.voidedAt !== null) tellWallets(work, row)
  const rows = held.rows.map((row) => decided.get(row.invoice.id) ?? row)
  const order = ended(work, { ...held.order, isExpiryDecided: true }, rows)
  work.put(order)
  return { order, rows }
}

/** The same for one that is not held yet. */
export function* expireOrder<I extends OptionRow>(work: OrderWork<I>, id: string): Asking<HeldOrder<I>> {
  return yield* decideOrderExpiry(work, yield* holdOrder(work, id))
}

/** An order as it was before a change: its time may be over, and nobody has decided that yet. */
export function endedBefore<I extends OptionRow>(work: OrderWork<I>, { order, rows }: HeldOrder<I>): Order {
  if (order.standing === 'paid' || order.expiresAt > work.life.nowMs || !isToEnd(order, rows)) return order
  return endedNow(work, order, rows, NOTHING)
}

/** An order of which nothing can be paid any more is void. */
export function endIfNoneIsLeft<I extends OptionRow>(work: OrderWork<I>, order: Order, rows: readonly I[]): Order {
  const after = ended(work, order, rows)
  if (after !== order) work.put(after)
  return after
}

/**
 * An order with the end that it has come to. Where money that is matched to nobody has paid it, and nothing of its own has come since, this
 * is when that is found.
 */
export function ended<I extends OptionRow>(work: OrderWork<I>, order: Order, rows: readonly I[]): Order {
  if (!isToEnd(order, rows)) return order
  const portions = portionsOf(work, rows)
  const share = shareOf(portions)
  if (!isWhole(share)) return endedNow(work, order, rows, share)
  if (order.standing === 'paid') return order
  const paid = asItLeans(work, { ...order, standing: 'paid' }, rows, portions)
  work.log('order.paid', paid, null)
  return paid
}

/** Whether none of its invoices can be paid any more, and it is neither void nor accepted. */
function isToEnd<I extends OptionRow>(order: Order, rows: readonly I[]): boolean {
  return order.voidedAt === null && order.acceptedAt === null && rows.every(({ voidedAt }) => voidedAt !== null)
}

function endedNow<I extends OptionRow>(work: OrderWork<I>, order: Order, rows: readonly I[], share: Share): Order {
  const ends = rows.map(({ voidedAt }) => voidedAt)
  const voidedAt = orderVoidedAt(order, share, ends, work.life.nowMs)
  if (voidedAt === null) return order
  const gone = { ...order, voidedAt }
  work.log(voidedAt >= order.expiresAt ? 'order.expired' : 'order.voided', gone, null)
  return gone
}

const NOTHING = shareOf([])
