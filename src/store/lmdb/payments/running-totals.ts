import type { CurrencyNo } from '../tables/currencies.js'
import {
  type AddressNo,
  bigintFromBytes,
  bigintToBytes,
  type DepositNo,
  endOf,
  type Named,
  NUMBER_BYTES,
  TIME_MAX,
  WIDE_BYTES,
} from '../tables/keys.js'
import { lastKey, type ReadTable, type Table } from '../tables/tables.js'

/**
 * An account: the deposits to an address in one currency. A head, and the deposits in order of receipt, each with the
 * running total up to and including it:
 *
 *     head     key    address no (4) │ currency (1)
 *              value  changes (6) │ receivedAt of the last deposit (6) │ total in atoms
 *     deposit  key    address no (4) │ currency (1) │ receivedAt (6) │ deposit no (6)
 *              value  total in atoms
 *
 * The sum after a moment is the total minus the total at that moment: a look-up and a seek, however long the history. A
 * deposit that arrives out of order, or leaves, rewrites only what follows it.
 */

export const ACCOUNT_BYTES = NUMBER_BYTES + 1
const TIME_AT = ACCOUNT_BYTES
const DEPOSIT_AT = TIME_AT + WIDE_BYTES
export const COUNTED_KEY_BYTES = DEPOSIT_AT + WIDE_BYTES
const DEPOSIT_NO_MAX = 0xffff_ffff_ffff

/** Rows rewritten at a time behind a late deposit, so that a long history is never in memory at once. */
const REWRITE_CHUNK = 1024

/** Names an account: the key of its head, with which the keys of its deposits begin. */
export type Account = Named<Buffer, 'account'>

export interface CountedDeposit {
  readonly receivedAt: number
  readonly no: DepositNo
  readonly atoms: bigint
}

export interface Head {
  /** How often deposits entered or left. It never starts again, not even when none is left. */
  readonly changes: number
  /** When the last deposit was received; 0 when there is none. */
  readonly receivedAt: number
  /** The sum of all deposits, atoms. */
  readonly total: bigint
}

const NEW_HEAD: Head = { changes: 0, receivedAt: 0, total: 0n }
const LAST_AT = WIDE_BYTES
const TOTAL_AT = LAST_AT + WIDE_BYTES

export function accountOf(addressNo: AddressNo, currencyNo: CurrencyNo): Account {
  const prefix = Buffer.allocUnsafe(ACCOUNT_BYTES) as Account
  prefix.writeUInt32BE(addressNo, 0)
  prefix[NUMBER_BYTES] = currencyNo
  return prefix
}

/** The key of a deposit among those of its account. */
export function countedKey(account: Account, receivedAt: number, depositNo: number): Buffer {
  const key = Buffer.allocUnsafe(COUNTED_KEY_BYTES)
  key.set(account, 0)
  key.writeUIntBE(receivedAt, TIME_AT, WIDE_BYTES)
  key.writeUIntBE(depositNo, DEPOSIT_AT, WIDE_BYTES)
  return key
}

/**
 * How often the account's deposits have changed. While the committed count is the same, so are the deposits and every sum of
 * them. The count of a commit that is not durable yet may be undone and given to other changes.
 */
export function changesOf(table: ReadTable, account: Account): number {
  return table.getBinaryFast(account)?.readUIntBE(0, WIDE_BYTES) ?? 0
}

export function headOf(table: ReadTable, account: Account): Head {
  // The binding's own buffer, which is longer than its `length` says and holds the value until the next look-up.
  const bytes = table.getBinaryFast(account)
  if (bytes === undefined) return NEW_HEAD
  return {
    changes: bytes.readUIntBE(0, WIDE_BYTES),
    receivedAt: bytes.readUIntBE(LAST_AT, WIDE_BYTES),
    total: bigintFromBytes(bytes.subarray(TOTAL_AT, bytes.length)),
  }
}

/** The total of what was received at `timeMs` or before. */
export function totalUntil(table: ReadTable, account: Account, timeMs: number): bigint {
  return totalAt(table, countedKey(account, Math.max(0, Math.min(timeMs, TIME_MAX)), DEPOSIT_NO_MAX), account)
}

/** The sum received strictly after `timeMs`. */
export function totalAfter(table: ReadTable, account: Account, timeMs: number): bigint {
  return totalBehind(table, account, headOf(table, account), timeMs)
}

/** The same, where the head has been read. */
export function totalBehind(table: ReadTable, account: Account, head: Head, timeMs: number): bigint {
  return head.receivedAt <= timeMs ? 0n : head.total - totalUntil(table, account, timeMs)
}

/** Where a deposit stands in the order of receipt of all accounts. */
export type ReceiptOrder = Pick<CountedDeposit, 'receivedAt' | 'no'>

/** The last `limit` deposits that were received strictly after `timeMs`, last one first. */
export function lastCounted(
  table: ReadTable,
  account: Account,
  timeMs: number,
  limit: number,
): readonly ReceiptOrder[] {
  if (headOf(table, account).receivedAt <= timeMs) return []
  const end = countedKey(account, Math.max(0, Math.min(timeMs, TIME_MAX)), DEPOSIT_NO_MAX)
  const keys = table.getKeys({ reverse: true, start: endOf(account, COUNTED_KEY_BYTES), end, limit })
  return [...keys].map((key) => ({
    receivedAt: key.readUIntBE(TIME_AT, WIDE_BYTES),
    no: key.readUIntBE(DEPOSIT_AT, WIDE_BYTES) as DepositNo,
  }))
}

/** Adds a deposit. */
export function addToTotals(table: Table, account: Account, { receivedAt, no, atoms }: CountedDeposit): void {
  const key = countedKey(account, receivedAt, no)
  const head = headOf(table, account)
  const total = head.total + atoms
  if (receivedAt > head.receivedAt) {
    table.putSync(key, bigintToBytes(total))
  } else {
    table.putSync(key, bigintToBytes(totalAt(table, key, account) + atoms))
    shiftAfter(table, account, key, atoms)
  }
  putHead(table, account, { changes: head.changes + 1, receivedAt: Math.max(receivedAt, head.receivedAt), total })
}

/** Takes out a deposit that was added with the same values. */
export function removeFromTotals(table: Table, account: Account, { receivedAt, no, atoms }: CountedDeposit): void {
  const key = countedKey(account, receivedAt, no)
  if (!table.removeSync(key)) throw new Error('a deposit that was counted is missing from its running total')
  shiftAfter(table, account, key, -atoms)
  const { changes, total } = headOf(table, account)
  putHead(table, account, { changes: changes + 1, receivedAt: lastReceiptOf(table, account), total: total - atoms })
}

/** Changes the totals of all rows behind `key`. */
function shiftAfter(table: Table, account: Account, key: Buffer, atoms: bigint): void {
  const end = endOf(account, COUNTED_KEY_BYTES)
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

function totalAt(table: ReadTable, high: Buffer, account: Account): bigint {
  for (const row of table.getRange({ reverse: true, start: high, end: account, limit: 1 })) {
    return bigintFromBytes(row.value)
  }
  return 0n
}

function putHead(table: Table, account: Account, { changes, receivedAt, total }: Head): void {
  const totalBytes = bigintToBytes(total)
  const bytes = Buffer.allocUnsafe(TOTAL_AT + totalBytes.length)
  bytes.writeUIntBE(changes, 0, WIDE_BYTES)
  bytes.writeUIntBE(receivedAt, LAST_AT, WIDE_BYTES)
  bytes.set(totalBytes, TOTAL_AT)
  table.putSync(account, bytes)
}

/** The `receivedAt` of the last deposit; 0 when there is none. */
function lastReceiptOf(table: ReadTable, account: Account): number {
  return lastKey(table, endOf(account, COUNTED_KEY_BYTES), account)?.readUIntBE(TIME_AT, WIDE_BYTES) ?? 0
}
