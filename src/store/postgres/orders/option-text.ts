import { isObject, parseJson } from '../../../base/json-object.js'
import { ID } from '../../../domain/id.js'
import type { OrderOption, UsedRate } from '../../../domain/order.js'
import { parseRate } from '../../../domain/rate-set.js'

/*
 * The options of an order in one column: a text of JSON, which is checked when it is read.
 */

export function optionsText(options: readonly OrderOption[]): string {
  return JSON.stringify(options)
}

/** The options in a stored text; null for a text that no program has written. */
export function optionsOf(text: string): readonly OrderOption[] | null {
  const value = parseJson(text)
  if (!Array.isArray(value)) return null
  const options = value.map(readOption).filter((one) => one !== null)
  return options.length === value.length ? options : null
}

function readOption(value: unknown): OrderOption | null {
  if (!isObject(value)) return null
  const { invoiceId, isFixed, decimals, isVoidedByOrder } = value
  if (typeof invoiceId !== 'string' || !ID.test(invoiceId) || !isCount(decimals)) return null
  if (typeof isFixed !== 'boolean' || typeof isVoidedByOrder !== 'boolean') return null
  const rate = value['rate'] === null ? null : readRate(value['rate'])
  return rate === undefined ? null : { invoiceId, rate, isFixed, decimals, isVoidedByOrder }
}

function readRate(value: unknown): UsedRate | undefined {
  if (!isObject(value)) return undefined
  const { rate, at, spread } = value
  if (typeof rate !== 'string' || parseRate(rate) === null) return undefined
  return isCount(at) && isCount(spread) ? { rate, at, spread } : undefined
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
