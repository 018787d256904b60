import type { Currency } from '../../domain/currency.js'
import { bigintFromBytes, bigintToBytes, endOf, NUMBER_BYTES, TIME_MAX, WIDE_BYTES } from './bytes.js'
import type { Table } from './tables.js'
import { lastKey } from './tables.js'

/**
 * Deposits to an address in one currency, in order of receipt, each with the running total up to and including it:
 *
 *     key    address no (4) │ currency (1) │ receivedAt (6) │ deposit no (6)
 *     value  total in atoms
 *
 * What came in after a moment is the last total minus the total at that moment: two seeks, whatever the history. A
 * deposit that arrives out of order, or leaves, rewrites only what follows it.
 */

const PREFIX_BYTES = NUMBER_BYTES + 1
const TIME_AT = PREFIX_BYTES
const DEPOSIT_AT = TIME_AT + WIDE_BYTES
const KEY_BYTES = DEPOSIT_AT + WIDE_BYTES
const DEPOSIT_NO_MAX = 0xffff_ffff_ffff

/** Rows rewritten at a time behind a late deposit, so that a long history is never in memory at once. */
const REWRITE_CHUNK = 1024

/** Names the deposits of one currency to one address. */
export type Account = Buffer

export function accountOf(addressNo: number, currency: Currency): Account {
  const prefix = Buffer.allocUnsafe(PREFIX_BYTES)
  prefix.writeUInt32BE(addressNo, 0)
  prefix[NUMBER_BYTES] = currencyByte(currency)
  return prefix
}

export function currencyByte(currency: Currency): number {
  return currency === 'native' ? 0 : 1
}

function rowKey(account: Account, receivedAt: number, depositNo: number): Buffer {
  const key = Buffer.allocUnsafe(KEY_BYTES)
  key.set(account, 0)
  key.writeUIntBE(receivedAt, TIME_AT, WIDE_BYTES)
  key.writeUIntBE(depositNo, DEPOSIT_AT, WIDE_BYTES)
  return key
}

/** The total of the account over all time. */
export function totalOf(table: Table, account: Account): bigint {
  return totalAt(table, endOf(account, KEY_BYTES), account)
}

/** The total of what was received at `timeMs` or before. */
export function totalUntil(table: Table, account: Account, timeMs: number): bigint {
  return totalAt(table, rowKey(account, clampTime(timeMs), DEPOSIT_NO_MAX), account)
}

/** What was received strictly after `timeMs`. */
export function totalAfter(table: Table, account: Account, timeMs: number): bigint {
  const last = lastKey(table, endOf(account, KEY_BYTES), account)
  if (last === undefined || receivedAtOf(last) <= timeMs) return 0n
  return readTotal(table, last) - totalUntil(table, account, timeMs)
}

/** The last deposit received at `timeMs` or before, and the total up to it; undefined when there is none. */
export function lastRowUntil(
  table: Table,
  account: Account,
  timeMs: number,
): { readonly receivedAt: number; readonly total: bigint } | undefined {
  const start = rowKey(account, clampTime(timeMs), DEPOSIT_NO_MAX)
  for (const { key, value } of table.getRange({ reverse: true, start, end: account, limit: 1 })) {
    return { receivedAt: receivedAtOf(key), total: bigintFromBytes(value) }
  }
  return undefined
}

/** The `receivedAt` of the first deposit strictly after `timeMs`; infinity when there is none. */
export function firstReceiptAfter(table: Table, account: Account, timeMs: number): number {
  if (timeMs >= TIME_MAX) return Number.POSITIVE_INFINITY
  const start = rowKey(account, clampTime(timeMs) + 1, 0)
  for (const key of table.getKeys({ start, end: endOf(account, KEY_BYTES), limit: 1 })) return receivedAtOf(key)
  return Number.POSITIVE_INFINITY
}

/** Adds a deposit. */
export function addToTotals(
  table: Table,
  account: Account,
  receivedAt: number,
  depositNo: number,
  atoms: bigint,
): void {
  const key = rowKey(account, receivedAt, depositNo)
  table.putSync(key, bigintToBytes(totalAt(table, key, account) + atoms))
  shiftAfter(table, account, key, atoms)
}

/** Takes out a deposit that was added with the same values. */
export function removeFromTotals(
  table: Table,
  account: Account,
  receivedAt: number,
  depositNo: number,
  atoms: bigint,
): void {
  const key = rowKey(account, receivedAt, depositNo)
  if (!table.removeSync(key)) throw new Error('a deposit that was counted is missing from its running total')
  shiftAfter(table, account, key, -atoms)
}

/** Changes the totals of all rows behind `key`. */
function shiftAfter(table: Table, account: Account, key: Buffer, atoms: bigint): void {
  const end = endOf(account, KEY_BYTES)
  let start = key
  for (;;) {
    const rows = [...table.getRange({ start, end, limit: REWRITE_CHUNK })]
    for (const row of rows) {
      if (row.key.equals(key)) continue
      table.putSync(row.key, bigintToBytes(bigintFromBytes(row.value) + atoms))
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < REWRITE_CHUNK) return
    start = Buffer.concat([last.key, Buffer.of(0)])
  }
}

function totalAt(table: Table, high: Buffer, account: Account): bigint {
  for (const row of table.getRange({ reverse: true, start: high, end: account, limit: 1 })) {
    return bigintFromBytes(row.value)
  }
  return 0n
}

function readTotal(table: Table, key: Buffer): bigint {
  const bytes = table.get(key)
  if (bytes === undefined) throw new Error('a running total vanished within a read')
  return bigintFromBytes(bytes)
}

function receivedAtOf(key: Buffer): number {
  return key.readUIntBE(TIME_AT, WIDE_BYTES)
}

/** A deposit number is below 2⁴⁸, and so is every time. */
function clampTime(timeMs: number): number {
  return Math.max(0, Math.min(timeMs, TIME_MAX))
}
