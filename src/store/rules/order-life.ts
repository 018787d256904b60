import type { Currency } from '../../domain/amount.js'
import type { Order, OrderOption, Standing } from '../../domain/order.js'
import {
  excessOf,
  isNearlyWhole,
  isWhole,
  type Portion,
  type Share,
  seenShareOf,
  shareOf,
  standingOf,
} from '../../domain/order-share.js'
import { type Asking, ask } from './asking.js'
import { settleIfPaid, voidNow } from './invoice-life.js'
import { asItLeans, ended, endedBefore, endIfNoneIsLeft, holdOrder, portionsOf } from './order-end.js'
import type { HeldOrder, OptionRow, OrderWork } from './order-work.js'
import { tellWallets } from './tell-wallets.js'

/*
 * What becomes of an order (docs/internals/orders.md):
 *
 *     standing    none → partly → paid, and back when a reorganisation takes deposits away
 *     void        once none of its invoices is left to be paid, by request or by expiry, while it is not paid
 *     accepted    what had come was taken as enough, for ever
 *
 * When it is paid or accepted, those of its invoices that are not paid by themselves become void in the same commit. When the deposit
 * that completed it is taken back, they live again, unless they would have expired meanwhile or their amount is another's by now. That
 * deposit may have been matched to nobody, so an order that leans on such money is listed under its wallets (`order-end.ts`).
 */

/** A change of what an invoice of an order has received. */
export interface OrderCause<I> {
  readonly invoice: I
  /** Whether a deposit came and is confirmed; false when one left. */
  readonly isConfirmed: boolean
  /** How much of its price an order may miss that is accepted by itself, in hundredths of a percent; 0 for nothing. */
  readonly underpayment: number
}

/**
 * Behind a change of what one of its invoices has received. Null: behind its creation, or when what it leaned on has left. Answers the order
 * as it is then.
 */
export function* reviewOrder<I extends OptionRow>(
  work: OrderWork<I>,
  id: string,
  cause: OrderCause<I> | null,
): Asking<HeldOrder<I>> {
  const held = yield* holdOrder(work, id)
  const { rows } = held
  const order = endedBefore(work, held)
  const portions = portionsOf(work, rows)
  const share = shareOf(portions)
  const standing = standingOf(share)
  const moved = asItLeans(work, { ...order, standing }, rows, portions)
  let reviewed: HeldOrder<I> = { order: moved, rows }
  if (order.acceptedAt === null) {
    const event = eventOf(order.standing, standing)
    if (event !== null) work.log(event, moved, cause?.invoice ?? null)
    if (standing === 'paid') reviewed = yield* voidOthers(work, reviewed, portions)
    else if (order.standing === 'paid') reviewed = yield* takeBack(work, reviewed)
    if (cause !== null && isToBeAccepted(reviewed.order, share, cause))
      reviewed = yield* acceptNow(work, reviewed, portions)
  }
  if (cause?.isConfirmed === true && isTooMuch(order, { rows, portions }, share, cause.invoice)) {
    work.log('order.overpaid', reviewed.order, cause.invoice)
  }
  const isMoved = standing !== order.standing || moved.isLeaning !== order.isLeaning
  if (reviewed.order !== moved || isMoved || order !== held.order) work.put(reviewed.order)
  return reviewed
}

/** Judges those orders again that may have leaned on a confirmed deposit, which was matched to no invoice and has left its wallet. */
export function* reviewLeaning<I extends OptionRow>(
  work: OrderWork<I>,
  walletId: string,
  currency: Currency,
): Asking<void> {
  for (const id of yield* ask(work.listedUnder(walletId, currency))) yield* reviewOrder(work, id, null)
}

/** Behind the end of one of its invoices at the request of the owner. */
export function* optionEnded<I extends OptionRow>(work: OrderWork<I>, id: string, ended: I): Asking<void> {
  const { order, rows } = yield* holdOrder(work, id)
  const present = rows.map((row) => (row.invoice.id === ended.invoice.id ? ended : row))
  if (ended.acceptedAt !== null && order.acceptedAt === null) {
    work.put((yield* acceptNow(work, { order, rows: present })).order)
  } else if (ended.voidedAt !== null) endIfNoneIsLeft(work, order, present)
}

/** Accepts an order that is neither void nor accepted. The caller writes it. */
export function* acceptNow<I extends OptionRow>(
  work: OrderWork<I>,
  { order, rows }: HeldOrder<I>,
  portions = portionsOf(work, rows),
): Asking<HeldOrder<I>> {
  const accepted = { ...order, acceptedAt: work.life.nowMs }
  work.log('order.accepted', accepted, null)
  return yield* voidOthers(work, { order: accepted, rows }, portions)
}

/** Voids an order that is not void, with its invoices, at the request of its owner. */
export function* voidOrderNow<I extends OptionRow>(
  work: OrderWork<I>,
  { order, rows }: HeldOrder<I>,
): Asking<HeldOrder<I>> {
  const gone = yield* voidRows(work, rows.filter(isAlive))
  const present = rows.map((row) => gone.get(row.invoice.id) ?? row)
  return { order: endIfNoneIsLeft(work, order, present), rows: present }
}

/** Whether an order is paid or being paid, so that it cannot be voided. */
export function isSettled<I extends OptionRow>(work: OrderWork<I>, { order, rows }: HeldOrder<I>): boolean {
  return order.acceptedAt !== null || isWhole(seenShareOf(portionsOf(work, rows)))
}

/** What is told of a change of how much has come. */
function eventOf(before: Standing, after: Standing): 'order.partly' | 'order.paid' | 'order.unpaid' | null {
  if (before === after) return null
  if (after === 'paid') return 'order.paid'
  return before === 'none' ? 'order.partly' : 'order.unpaid'
}

function isToBeAccepted<I>(order: Order, share: Share, { isConfirmed, underpayment }: OrderCause<I>): boolean {
  return isConfirmed && order.voidedAt === null && underpayment > 0 && isNearlyWhole(share, underpayment)
}

/** Whether more has come than was asked for, by an amount that the coin of the deposit can carry. */
function isTooMuch<I extends OptionRow>(
  { options }: Order,
  { rows, portions }: { readonly rows: readonly I[]; readonly portions: readonly Portion[] },
  share: Share,
  paid: I,
): boolean {
  const at = rows.findIndex(({ invoice }) => invoice.id === paid.invoice.id)
  const [option, portion] = [options[at], portions[at]]
  if (option === undefined || portion === undefined) throw new Error('an order does not have the invoice that names it')
  return excessOf(share, portion.amount, option.decimals) > 0n
}

/** Voids what an order needs no more: its invoices that can be paid still and are not paid by themselves. */
function* voidOthers<I extends OptionRow>(
  work: OrderWork<I>,
  { order, rows }: HeldOrder<I>,
  portions: readonly Portion[],
): Asking<HeldOrder<I>> {
  const others = rows.filter((row, i) => {
    const portion = portions[i]
    return isAlive(row) && portion !== undefined && !isPaidAlone(portion)
  })
  if (others.length === 0) return { order, rows }
  const gone = yield* voidRows(work, others)
  const options = marked(order.options, rows, (id) => gone.has(id))
  return { order: { ...order, options }, rows: rows.map((row) => gone.get(row.invoice.id) ?? row) }
}

/** Has what the end of an order had voided live again. */
function* takeBack<I extends OptionRow>(work: OrderWork<I>, { order, rows }: HeldOrder<I>): Asking<HeldOrder<I>> {
  const { life } = work
  const wanted = rows.filter(({ voidedAt }, i) => voidedAt !== null && order.options[i]?.isVoidedByOrder === true)
  const held = wanted.length === 0 ? [] : yield* ask(work.holdWithWallets(wanted))
  const alive = new Map(rows.map((row) => [row.invoice.id, row]))
  for (const row of held) {
    const isPast = row.expiresAt !== null && row.expiresAt <= life.nowMs
    if (isPast && !life.outlivesExpiry(row)) continue
    if (!(yield* ask(work.isFree(row)))) continue
    const ending = { expiresAt: row.expiresAt, voidedAt: null, acceptedAt: null, hasOutlivedExpiry: isPast }
    const revived = life.revive(row, ending)
    life.log('invoice.unpaid', revived)
    // What others have paid on its wallets meanwhile counts for it, too.
    settleIfPaid(life, revived)
    tellWallets(work, revived)
    alive.set(row.invoice.id, revived)
  }
  const forgotten = { ...order, options: order.options.map((option) => ({ ...option, isVoidedByOrder: false })) }
  const present = [...alive.values()]
  return { order: ended(work, forgotten, present), rows: present }
}

function* voidRows<I extends OptionRow>(work: OrderWork<I>, rows: readonly I[]): Asking<ReadonlyMap<string, I>> {
  if (rows.length === 0) return new Map()
  const gone = new Map<string, I>()
  for (const row of yield* ask(work.hold(rows))) {
    if (!isAlive(row)) continue
    gone.set(row.invoice.id, voidNow(work.life, row))
    tellWallets(work, row)
  }
  return gone
}

function isAlive({ voidedAt, acceptedAt }: OptionRow): boolean {
  return voidedAt === null && acceptedAt === null
}

function isPaidAlone({ amount, own }: Portion): boolean {
  return own.confirmed >= amount
}

function marked<I extends OptionRow>(
  options: readonly OrderOption[],
  rows: readonly I[],
  isVoided: (id: string) => boolean,
): readonly OrderOption[] {
  return options.map((option, i) => {
    const id = rows[i]?.invoice.id
    return id !== undefined && isVoided(id) ? { ...option, isVoidedByOrder: true } : option
  })
}
