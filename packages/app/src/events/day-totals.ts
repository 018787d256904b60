import type { BillhookEvent, ServiceInfo } from '@billhook/client'
import { differenceOf, sumOf } from '../invoices/units.js'
import { depositName, readable } from './deposits.js'

/** What came on one day. */
export interface Day {
  /** Confirmed deposits, by the symbol of the coin, as decimals. */
  readonly received: Readonly<Record<string, string>>
  /** Webhooks that failed for good. */
  readonly failed: number
}

/** By the local date, `2026-11-27`. */
export type Days = Readonly<Record<string, Day>>

/** What was counted of a log of events. */
export interface Tally {
  readonly days: Days
  /** Names of the deposits that were counted last. One that is dropped before it was confirmed was never counted. */
  readonly confirmed: readonly string[]
}

export const EMPTY_TALLY: Tally = { days: {}, confirmed: [] }

/** How many deposits can be taken back. Confirmed ones are dropped only when a network undoes what it had confirmed. */
const CONFIRMED_KEPT = 500

/** The service keeps events for about as long. */
const DAYS_KEPT = 31
const MS_PER_DAY = 86_400_000
const NOTHING: Day = { received: {}, failed: 0 }

/** The local date of a time. */
export function dateOf(ms: number): string {
  const time = new Date(ms)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
}

/** The tally with one event more. What is taken back is taken from the day on which that happened. */
export function counted(tally: Tally, event: BillhookEvent, info: Pick<ServiceInfo, 'networks'>): Tally {
  const { days, confirmed } = tally
  const date = dateOf(event.at)
  const day = days[date] ?? NOTHING
  if (event.type === 'delivery.failed') {
    return { confirmed, days: { ...days, [date]: { ...day, failed: day.failed + 1 } } }
  }
  const { deposit } = event
  if (deposit === null || (event.type !== 'deposit.confirmed' && event.type !== 'deposit.dropped')) return tally
  const seen = readable(deposit, info)
  const name = depositName(deposit)
  const isCounted = confirmed.includes(name)
  if (seen === null || isCounted === (event.type === 'deposit.confirmed')) return tally
  const before = day.received[seen.symbol] ?? '0'
  const after = isCounted ? differenceOf(before, seen.value) : sumOf(before, seen.value)
  const received = { ...day.received, [seen.symbol]: after }
  const others = confirmed.filter((other) => other !== name)
  return {
    confirmed: (isCounted ? others : [...others, name]).slice(-CONFIRMED_KEPT),
    days: { ...days, [date]: { ...day, received } },
  }
}

/** The tally without days of no interest. */
export function recent(tally: Tally, now: number): Tally {
  const first = dateOf(now - DAYS_KEPT * MS_PER_DAY)
  const entries = Object.entries(tally.days)
  const kept = entries.filter(([date]) => date >= first)
  return kept.length === entries.length ? tally : { ...tally, days: Object.fromEntries(kept) }
}

/** The dates of the last days up to today, oldest first. */
export function lastDates(count: number, now: number): readonly string[] {
  // From noon, so that a day of 23 or 25 hours leaves none out.
  const noon = new Date(now).setHours(12, 0, 0, 0)
  return Array.from({ length: count }, (_, index) => dateOf(noon - (count - 1 - index) * MS_PER_DAY))
}

/** What came on these days together, by symbol. */
export function receivedOn(days: Days, dates: readonly string[]): Readonly<Record<string, string>> {
  const sums: Record<string, string> = {}
  for (const date of dates) {
    for (const [symbol, amount] of Object.entries(days[date]?.received ?? {})) {
      sums[symbol] = sumOf(sums[symbol] ?? '0', amount)
    }
  }
  return sums
}
