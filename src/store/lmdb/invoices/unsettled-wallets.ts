import type { Slice } from '../../../base/turns.js'
import { walletsOf } from '../../../domain/invoice.js'
import { behindPiece, type Unsettled, unsettledAgain, unsettledBy } from '../../rules/unsettled-wallets.js'
import type { Commit, Reader, Snapshot } from '../commit/commit.js'
import type { CurrencyNo } from '../tables/currencies.js'
import { type InvoiceId, idOfKey, NUMBER_BYTES, numberKey, timeOfId, type WalletNo } from '../tables/keys.js'
import { firstKey, NOTHING } from '../tables/tables.js'
import { LOOKUPS_EACH, LOOKUPS_PER_WALLET, settleIfPaid } from './invoice-index.js'
import { currencyOfClass } from './invoice-places.js'
import { type InvoiceRow, invoiceRow } from './invoice-rows.js'
import { openKeysOn, readOpenKey } from './open-invoices.js'

/*
 *     unsettled-wallets   wallet no → whether to begin again at the end, whether to tell it, the last key in `open-invoices`
 *                         that was examined
 */

/** Open invoices whose keys are read at once. */
const READ_AT_ONCE = 200

/** Which open invoices a deposit counts for: those in its currency that were created before it. */
export interface PayingDeposit {
  readonly currencyNo: CurrencyNo
  readonly receivedAt: number
}

/** The open invoices on a wallet that a confirmed deposit may have paid: those that are to be examined with it, `limit` at most, one by one. */
export function* othersPaid(
  commit: Commit,
  walletNo: WalletNo,
  deposit: PayingDeposit,
  limit: number,
): Iterable<InvoiceRow> {
  const known = read(commit, walletNo)
  if (known !== null) {
    put(commit, walletNo, unsettledAgain(known, !commit.isSilent))
    return
  }
  const examinedTo = yield* toExamine(commit, walletNo, NOTHING, limit, commit.aside, deposit)
  const left = unsettledBy(examinedTo, !commit.isSilent)
  if (left !== null) put(commit, walletNo, left)
}

/** Whether there is something for `settlePiece`. */
export function isUnsettled({ tables }: Snapshot): boolean {
  return firstKey(tables.unsettledWallets, NOTHING, BEHIND_WALLETS) !== undefined
}

/** Examines the next piece of the next wallet in turn. */
export function settlePiece(commit: Commit, slice: Slice): void {
  const { caches, tables } = commit
  const start = numberKey(caches.settledWallet + 1)
  const key =
    firstKey(tables.unsettledWallets, start, BEHIND_WALLETS) ??
    firstKey(tables.unsettledWallets, NOTHING, BEHIND_WALLETS)
  if (key === undefined) return
  const walletNo = key.readUInt32BE(0) as WalletNo
  caches.settledWallet = walletNo
  const known = read(commit, walletNo)
  if (known === null) return
  if (!known.isAloud) commit.silence()
  const piece = toExamine(commit, walletNo, known.examinedTo ?? NOTHING, READ_AT_ONCE, slice)
  let step = piece.next()
  for (; step.done !== true; step = piece.next()) settleIfPaid(commit, step.value.id)
  const left = behindPiece(known, step.value)
  if (left === null) tables.unsettledWallets.removeSync(key)
  else put(commit, walletNo, left)
}

const BEHIND_WALLETS = Buffer.alloc(NUMBER_BYTES + 1, 0xff)

/**
 * The next open invoices behind a key that are to be examined, at most `limit`, and as many as the slice allows. Answers the last one,
 * which is `after` when there was no time; null when there are no more.
 */
function* toExamine(
  commit: Commit,
  walletNo: WalletNo,
  after: Buffer,
  limit: number,
  slice: Slice,
  deposit: PayingDeposit | null = null,
): Generator<InvoiceRow, Buffer | null> {
  // Read before the table changes.
  const keys = openKeysOn(commit, walletNo, after, limit)
  let examinedTo = after
  for (const key of keys) {
    if (slice.isOver) return examinedTo
    examinedTo = key
    slice.touch(1)
    if (deposit !== null && !isCounted(key, deposit)) continue
    const row = invoiceRow(commit, idOfKey<InvoiceId>(key))
    slice.touch(LOOKUPS_EACH + LOOKUPS_PER_WALLET * walletsOf(row.invoice).length)
    yield row
  }
  return keys.length < limit ? null : examinedTo
}

/** What the key of an open invoice says of it. */
function isCounted(key: Buffer, { currencyNo, receivedAt }: PayingDeposit): boolean {
  const { ofClass, id } = readOpenKey(key)
  return currencyOfClass(ofClass) === currencyNo && timeOfId(id) < receivedAt
}

const AGAIN = 1
const ALOUD = 2
/** All of them. */
export const FLAGS = AGAIN | ALOUD

/** Whether the open invoices of a wallet are to be examined, and that aloud; null when they are not. */
export function isUnsettledAloud(at: Reader, walletNo: WalletNo): boolean | null {
  return read(at, walletNo)?.isAloud ?? null
}

/** Has the open invoices of a wallet examined from the first one on. */
export function noteUnsettled(commit: Commit, walletNo: WalletNo, isAloud: boolean): void {
  put(commit, walletNo, { isAgain: false, isAloud, examinedTo: null })
}

function read({ tables }: Reader, walletNo: WalletNo): Unsettled<Buffer> | null {
  const row = tables.unsettledWallets.get(numberKey(walletNo))
  if (row === undefined) return null
  const [flags = 0] = row
  return {
    isAgain: (flags & AGAIN) !== 0,
    isAloud: (flags & ALOUD) !== 0,
    examinedTo: row.length > 1 ? Buffer.from(row.subarray(1)) : null,
  }
}

function put({ tables }: Commit, walletNo: WalletNo, { isAgain, isAloud, examinedTo }: Unsettled<Buffer>): void {
  const flags = (isAgain ? AGAIN : 0) | (isAloud ? ALOUD : 0)
  tables.unsettledWallets.putSync(numberKey(walletNo), Buffer.concat([Buffer.of(flags), examinedTo ?? NOTHING]))
}
