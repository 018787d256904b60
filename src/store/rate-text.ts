import { isObject, parseJson } from '../base/json-object.js'
import { byName, parseRate, RATE_REFUSALS } from '../domain/rate-set.js'
import {
  type HeldRate,
  type KnownRate,
  RATE_ORIGINS,
  type RateReceipt,
  type RateTable,
  RECEIPTS_MAX,
} from '../domain/rates.js'

/*
 * How both engines keep the table of rates: as one text of JSON, which is checked when it is read.
 */

export function rateTableText(table: RateTable): string {
  return JSON.stringify(table)
}

/** What is wrong with a text that `rateTableOf` does not read. */
export const RATES_DAMAGED = 'the rates are not what this program has written'

/** The table in a stored text; null for a text that no program has written. */
export function rateTableOf(text: string): RateTable | null {
  const value = parseJson(text)
  if (!isObject(value)) return null
  const { at, known, receipts } = value
  if (at !== null && !isTime(at)) return null
  const [rates, received] = [all(known, readKnown), all(receipts, readReceipt)]
  if (rates === null || received === null || received.length > RECEIPTS_MAX) return null
  const isInOrder = rates.every((one, i) => i === 0 || byName(rates[i - 1] ?? one, one) < 0)
  const isDated = at === null ? rates.length === 0 : rates.every((one) => one.at <= at)
  return isInOrder && isDated ? { at, known: rates, receipts: received } : null
}

function readKnown(value: unknown): KnownRate | null {
  if (!isObject(value)) return null
  const { currency, coin, rate, at, held } = value
  if (typeof currency !== 'string' || typeof coin !== 'string' || !isRate(rate) || !isTime(at)) return null
  const waiting = held === null ? null : readHeld(held)
  return waiting === null && held !== null ? null : { currency, coin, rate, at, held: waiting }
}

function readHeld(value: unknown): HeldRate | null {
  if (!isObject(value)) return null
  const { since, first, last } = value
  return isTime(since) && isRate(first) && isRate(last) ? { since, first, last } : null
}

function readReceipt(value: unknown): RateReceipt | null {
  if (!isObject(value)) return null
  const { receivedAt, count, at, held, leftOut, refusal } = value
  const origin = RATE_ORIGINS.find((one) => one === value['origin'])
  if (origin === undefined || !isTime(receivedAt) || (at !== null && !isTime(at))) return null
  if (!isCount(count) || !isCount(held) || !isCount(leftOut)) return null
  const receipt = { receivedAt, count, origin, at, held, leftOut }
  if (refusal === null) return { ...receipt, refusal }
  if (!isObject(refusal)) return null
  const { detail } = refusal
  const reason = RATE_REFUSALS.find((one) => one === refusal['reason'])
  return reason === undefined || typeof detail !== 'string' ? null : { ...receipt, refusal: { reason, detail } }
}

function all<T>(value: unknown, read: (one: unknown) => T | null): readonly T[] | null {
  if (!Array.isArray(value)) return null
  const found = value.map(read).filter((one) => one !== null)
  return found.length === value.length ? found : null
}

function isRate(value: unknown): value is string {
  return typeof value === 'string' && parseRate(value) !== null
}

function isTime(value: unknown): value is number {
  return isCount(value)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
