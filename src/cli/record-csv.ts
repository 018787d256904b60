import { stringify } from 'csv-stringify/sync'
import { csvText } from '../base/csv-text.js'
import type { ProcessIo } from './billhook-command.js'

type Item = Readonly<Record<string, unknown>>

/** The columns of records whose nested ones may be absent; those of the others are the fields of the first record. */
const CSV_COLUMNS: Readonly<Partial<Record<string, readonly string[]>>> = {
  deliveries: [
    ...['id', 'owner', 'invoiceId', 'status', 'url', 'body', 'state', 'createdAt', 'attemptedAt', 'attempts'],
    ...['attemptsBefore', 'nextAttemptAt'],
    ...['kind', 'httpStatus', 'reason', 'detail', 'durationMs'].map((name) => `result.${name}`),
  ],
  events: [
    ...['owner', 'id', 'type', 'at', 'invoiceId', 'reference'],
    ...['network', 'txHash', 'index', 'toAddress', 'currency', 'amount', 'receivedAt'].map((name) => `deposit.${name}`),
    ...['id', 'status', 'attempt', 'httpStatus', 'failure'].map((name) => `delivery.${name}`),
    ...['returnUrl', 'orderNumber', 'metadata'],
  ],
}

/** Writes the names of the columns before the first record. */
export function csvWriter(io: ProcessIo, kind: string): (item: Item) => Promise<void> {
  let header = true
  let columns = CSV_COLUMNS[kind]
  return async (item) => {
    const row = flat(withJsonTexts(item))
    columns ??= Object.keys(row)
    const values = Object.fromEntries(columns.map((name) => [name, csvValue(row[name])]))
    await io.print(stringify([values], { header }))
    header = false
  }
}

/**
 * Metadata and the options of an order as JSON in one column each: every record may have other keys, and the first one must not decide
 * which are shown.
 */
function withJsonTexts(item: Item): Item {
  const texts = ['metadata', 'options'].filter((name) => typeof item[name] === 'object' && item[name] !== null)
  return { ...item, ...Object.fromEntries(texts.map((name) => [name, JSON.stringify(item[name])])) }
}

function csvValue(value: unknown): unknown {
  return typeof value === 'string' ? csvText(value) : value
}

/** Nested records as columns of their own: `payment.received`. */
function flat(item: Item, prefix = ''): Item {
  return Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(flat(value as Item, `${prefix}${name}.`))
        : [[`${prefix}${name}`, value]],
    ),
  )
}
