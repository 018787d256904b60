import type { Received } from '../../../domain/payment.js'
import type { MatchChange } from '../../rules/invoice-life.js'
import type { Commit, Reader } from '../commit/commit.js'
import type { ReceiptOrder } from '../payments/running-totals.js'
import {
  bigintFromBytes,
  bigintToBytes,
  type DepositNo,
  endOf,
  ID_BYTES,
  type InvoiceId,
  NUMBER_BYTES,
  timeKey,
  WIDE_BYTES,
  wideKey,
} from '../tables/keys.js'
import { NOTHING } from '../tables/tables.js'

/*
 * The deposits that are matched to an invoice; a dropped one does not count (decisions 6).
 *
 *     matches            invoice id → number (4) │ length of what was seen (1) │ what was seen │ what was confirmed
 *     invoice-deposits   invoice id │ receivedAt (6) │ deposit no (6) → nothing
 *
 * Only deposits that qualify for the invoice are in its sums and in its list.
 */

const SEEN_AT = NUMBER_BYTES + 1
const LISTED_KEY_BYTES = ID_BYTES + 2 * WIDE_BYTES

/** What is matched to an invoice. Amounts are atoms. */
export interface Matches {
  readonly count: number
  readonly seen: bigint
  readonly confirmed: bigint
}

const NO_MATCHES: Matches = { count: 0, seen: 0n, confirmed: 0n }

function matchesOf({ tables }: Reader, id: InvoiceId): Matches {
  // The binding's own buffer, which is longer than its `length` says and holds the value until the next look-up.
  const bytes = tables.matches.getBinaryFast(id)
  return bytes === undefined ? NO_MATCHES : readMatches(bytes)
}

/** The sums of what is matched to an invoice. */
export function ownOf(at: Reader, id: InvoiceId): Received {
  const { seen, confirmed } = matchesOf(at, id)
  return { confirmed, pending: seen - confirmed }
}

/** The number of deposits that are matched to an invoice. */
export function countMatches({ tables }: Reader, id: InvoiceId): number {
  return tables.matches.getBinaryFast(id)?.readUInt32BE(0) ?? 0
}

/** Changes what is matched to an invoice. Answers how many deposits were before. */
export function changeMatches(commit: Commit, id: InvoiceId, by: MatchChange): number {
  const known = matchesOf(commit, id)
  const count = known.count + by.matches
  if (count > 0) {
    const now = { count, seen: known.seen + by.seen, confirmed: known.confirmed + by.confirmed }
    commit.tables.matches.putSync(id, matchesBytes(now))
  } else commit.tables.matches.removeSync(id)
  return known.count
}

export function readMatches(bytes: Buffer): Matches {
  const confirmedAt = SEEN_AT + bytes.readUInt8(NUMBER_BYTES)
  return {
    count: bytes.readUInt32BE(0),
    seen: bigintFromBytes(bytes.subarray(SEEN_AT, confirmedAt)),
    confirmed: bigintFromBytes(bytes.subarray(confirmedAt, bytes.length)),
  }
}

export function matchesBytes({ count, seen, confirmed }: Matches): Buffer {
  const seenBytes = bigintToBytes(seen)
  const confirmedBytes = bigintToBytes(confirmed)
  const bytes = Buffer.allocUnsafe(SEEN_AT + seenBytes.length + confirmedBytes.length)
  bytes.writeUInt32BE(count, 0)
  bytes.writeUInt8(seenBytes.length, NUMBER_BYTES)
  bytes.set(seenBytes, SEEN_AT)
  bytes.set(confirmedBytes, SEEN_AT + seenBytes.length)
  return bytes
}

/** Enters a deposit into the list of its invoice, or takes it out. */
export function listOfInvoice({ tables }: Commit, id: InvoiceId, order: ReceiptOrder, isListed: boolean): void {
  const key = listedKey(id, order)
  if (isListed) tables.invoiceDeposits.putSync(key, NOTHING)
  else tables.invoiceDeposits.removeSync(key)
}

/** The last `limit` deposits in the list of an invoice, last one first. */
export function lastOfInvoice({ tables }: Reader, id: InvoiceId, limit: number): readonly ReceiptOrder[] {
  const range = { reverse: true, start: endOf(id, LISTED_KEY_BYTES), end: id, limit }
  return [...tables.invoiceDeposits.getKeys(range)].map((key) => ({
    receivedAt: key.readUIntBE(ID_BYTES, WIDE_BYTES),
    no: key.readUIntBE(ID_BYTES + WIDE_BYTES, WIDE_BYTES) as DepositNo,
  }))
}

export function listedKey(id: InvoiceId, { receivedAt, no }: ReceiptOrder): Buffer {
  return Buffer.concat([id, timeKey(receivedAt), wideKey(no)])
}
