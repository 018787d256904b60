import { isDeepStrictEqual } from 'node:util'
import { walletsOf } from '../../domain/invoice.js'
import { type Order, optionReference } from '../../domain/order.js'
import type { ImportOutcome } from '../imports.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'
import { ADDED, KNOWN, refused, type SilentWork, skipLogging } from './import-outcomes.js'
import { voidedAtOf } from './order-end.js'
import { reviewOrder } from './order-life.js'
import type { OptionRow, OrderWork } from './order-work.js'

/** What an engine does to import an order, inside a transaction. */
export interface OrderImportWork<I extends OptionRow> {
  find(id: string): Awaitable<Order | undefined>
  /** Those of some invoices that are known. Nobody else changes them, or what they have received, until the commit. */
  invoices(ids: readonly string[]): Awaitable<readonly I[]>
  /** Enters an order, and has its invoices name it. */
  enter(order: Order, invoices: readonly I[]): void
}

/**
 * Adds an order of another store to its invoices, which are there already, with what they have received. An invoice is no order's until
 * then: it lives as any other one does.
 */
export function* importOrder<I extends OptionRow>(
  work: OrderImportWork<I>,
  orders: OrderWork<I>,
  log: SilentWork,
  order: Order,
): Asking<ImportOutcome> {
  const nowMs = yield* ask(log.readClock())
  log.silence()
  const known = yield* ask(work.find(order.id))
  if (known !== undefined) {
    return isDeepStrictEqual(promised(known), promised(order)) ? KNOWN : refused('another order has its id')
  }
  const found = new Map((yield* ask(work.invoices(idsOf(order)))).map((row) => [row.invoice.id, row]))
  const rows: I[] = []
  for (const [i, id] of idsOf(order).entries()) {
    const row = found.get(id)
    const flaw = flawOfOption(order, i + 1, row)
    if (flaw !== null) return refused(`the invoice of its option ${i + 1} ${flaw}`)
    if (row !== undefined) rows.push(row)
  }
  if (new Set(rows).size < rows.length) return refused('two of its options have the same invoice')
  const shared = sharedWallet(rows)
  if (shared !== null) return refused(`two of its options of one currency have the wallet ${shared}`)
  if (order.voidedAt !== null && rows.some(({ voidedAt }) => voidedAt === null)) {
    return refused('it is void, and one of its invoices is not')
  }
  const voidedAt = voidedAtOf(orders, order, rows)
  work.enter({ ...order, voidedAt, isExpiryDecided: order.expiresAt <= nowMs }, rows)
  yield* reviewOrder(orders, order.id, null)
  yield* skipLogging(log, order.createdAt, order.voidedAt ?? order.acceptedAt ?? 0)
  return ADDED
}

function idsOf({ options }: Order): readonly string[] {
  return options.map(({ invoiceId }) => invoiceId)
}

function flawOfOption(order: Order, number: number, row: OptionRow | undefined): string | null {
  if (row === undefined) return 'is not known: import invoices first'
  if (row.orderId !== null) return 'is of another order'
  if (row.invoice.owner !== order.owner) return 'is of another owner'
  if (row.invoice.reference !== optionReference(order, number)) return 'has another reference'
  return row.expiresAt === order.expiresAt ? null : 'expires at another time'
}

/** A wallet that two options of one currency name; null for none. What comes there could be for either. */
function sharedWallet(rows: readonly OptionRow[]): string | null {
  const named = new Set<string>()
  for (const { invoice } of rows) {
    for (const walletId of walletsOf(invoice)) {
      // No currency has a space.
      const name = `${invoice.currency} ${walletId}`
      if (named.has(name)) return walletId
      named.add(name)
    }
  }
  return null
}

/** What does not change of an order. */
function promised({ options, ...order }: Order): unknown {
  return {
    ...order,
    options: options.map((option) => ({ ...option, isVoidedByOrder: false })),
    ...{ voidedAt: null, acceptedAt: null, isExpiryDecided: false, standing: 'none', isLeaning: false },
  }
}
