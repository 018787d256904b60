import { scan } from '../base/scan.js'
import { firstIdAt } from '../domain/id.js'
import { type Period, spanOf } from '../domain/zone.js'
import type { OrderWithOptions } from '../store/orders.js'
import type { Page, PageOf } from '../store/reading.js'
import type { Store } from '../store/store.js'
import { DAILY_FIELDS, DailySums } from './daily.js'
import { ORDER_FIELDS, orderLine } from './orders.js'
import { type Asked, isReceived, RECEIVED_FIELDS, receiptOf, receivedLine } from './received.js'

/** The reports there are, with the fields of their lines. */
export const REPORTS = { received: RECEIVED_FIELDS, daily: DAILY_FIELDS, orders: ORDER_FIELDS } as const
export type ReportName = keyof typeof REPORTS

export function isReport(text: string): text is ReportName {
  return Object.hasOwn(REPORTS, text)
}

/** A line of a report: its fields by name, without more of them. */
export type ReportLine = Readonly<Record<string, string | number | null>>

/** What was left out. */
export interface LeftOut {
  /** Deposits of the period that are not confirmed: nobody knows yet whether they were received. */
  pending: number
}

export type ReportStore = Pick<Store, 'deposits' | 'orders' | 'wallets' | 'networks' | 'turns'>

/** Whom the work of reports counts for. */
const REPORT = 'report'
/** Records read in one piece at most. */
const PAGE_RECORDS = 100

/**
 * A report of a period in pieces, as they are asked for. What it reads grows with what the store has of the period. It is no snapshot:
 * each piece is read when the one before was taken.
 */
export function linesOf(
  store: ReportStore,
  name: ReportName,
  asked: Asked,
  leftOut: LeftOut,
): AsyncGenerator<readonly ReportLine[]> {
  if (name === 'orders') return orderLines(store, asked)
  return name === 'received' ? receivedLines(store, asked, leftOut) : dailyLines(store, asked, leftOut)
}

async function* receivedLines(store: ReportStore, asked: Asked, leftOut: LeftOut) {
  for await (const receipts of receiptsOf(store, asked, leftOut)) yield receipts.map(receivedLine)
}

async function* dailyLines(store: ReportStore, asked: Asked, leftOut: LeftOut) {
  const sums = new DailySums()
  for await (const receipts of receiptsOf(store, asked, leftOut)) {
    for (const receipt of receipts) sums.add(receipt)
    // Nobody waits in vain: what has no line yet is a sign of life.
    yield []
  }
  yield sums.lines()
}

async function* receiptsOf({ deposits, networks, turns }: ReportStore, asked: Asked, leftOut: LeftOut) {
  const span = spanOf(asked.period)
  const pages = scan((after) =>
    turns.run(REPORT, (slice) => deposits.received(span, { after, limit: PAGE_RECORDS, slice })),
  )
  for await (const { items } of pages) {
    const live = items.filter(({ deposit }) => deposit.kind !== 'dropped')
    const receipts = live.flatMap((received) => receiptOf(received, asked, networks) ?? [])
    leftOut.pending += receipts.filter(({ received }) => !isReceived(received.deposit)).length
    yield receipts.filter(({ received }) => isReceived(received.deposit))
  }
}

/** Newest first, as orders are listed: ids begin with the time, so that the list is read from the end of the period to its beginning. */
async function* orderLines(store: ReportStore, asked: Asked) {
  const { orders, turns } = store
  const { owner, period } = asked
  const span = spanOf(period)
  const read = (page: Page): PageOf<OrderWithOptions> | Promise<PageOf<OrderWithOptions>> =>
    owner === null ? orders.all(page) : orders.page(owner, page, { orderNumber: null })
  const pages = scan(
    (after) => turns.run(REPORT, (slice) => read({ after, limit: PAGE_RECORDS, slice })),
    firstIdAt(span.before),
  )
  for await (const { items } of pages) {
    const lines: ReportLine[] = []
    for (const found of items) {
      if (found.order.createdAt < span.from) continue
      const line = await turns.run(REPORT, async (slice) => {
        slice.touch(found.invoices.length)
        return await orderLine(store, found, asked)
      })
      if (line !== null) lines.push(line)
    }
    yield lines
    if (items.some(({ order }) => order.createdAt < span.from)) return
  }
}

/** The texts of a period, for the name of a file. */
export function fileName(name: ReportName, { from, to }: Pick<Period, 'from' | 'to'>): string {
  return `${name}-${from}-${to}.csv`
}
