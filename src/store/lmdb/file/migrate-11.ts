import { answeredNow } from '../../rules/asking.js'
import { CALLBACK } from '../../rules/callbacks.js'
import type { Seeking } from '../../rules/deposit-work.js'
import type { Standing } from '../../rules/invoice-life.js'
import { PAST_TERMS } from '../../rules/judge-report.js'
import { BOUNDLESS, Choices } from '../../rules/match-deposit.js'
import { DepositRule } from '../../rules/record-deposit.js'
import type { Commit } from '../commit/commit.js'
import type { Searches } from '../deposits/candidates.js'
import { depositCodec, depositOfNo } from '../deposits/deposit-rows.js'
import { LmdbDepositWork } from '../deposits/deposit-work.js'
import { worthOfMatch } from '../deposits/match-worth.js'
import { isPaidNow } from '../invoices/invoice-index.js'
import { indexed } from '../invoices/invoice-places.js'
import { invoiceRow } from '../invoices/invoice-rows.js'
import { changeMatches, countMatches, listOfInvoice } from '../invoices/matches.js'
import { enterUnmatched, isAmongPaid } from '../invoices/paid-invoices.js'
import { enterVoid } from '../invoices/void-invoices.js'
import { ACCOUNT_BYTES, accountOf, addToTotals, COUNTED_KEY_BYTES } from '../payments/running-totals.js'
import { type DepositNo, type InvoiceId, idOfKey, WIDE_BYTES } from '../tables/keys.js'
import type { Table } from '../tables/tables.js'
import type { WalletRow } from '../wallets/wallet-row.js'
import { OPEN_BY_SETS } from './migrate-18.js'
import type { Migration, Pass } from './migration.js'

/**
 * Version 12 matches every deposit, and has sums of what is matched to an invoice and of what is matched to none. Confirmed deposits
 * that were matched to nobody are matched in the order in which they came; pending ones will be when they are confirmed.
 */
export const MIGRATE_11: Migration = {
  from: 11,
  passes: [
    { name: 'worth of matches', table: 'deposits', begin: ({ tables }) => tables.matches.clearSync(), row: countMatch },
    { name: 'invoices', table: 'invoices', row: indexInvoice },
    // The matching searches open invoices as they are indexed now.
    ...OPEN_BY_SETS,
    { name: 'matching by sets', table: 'depositNumbers', asManyAs: 'deposits', row: matchDeposit },
    // Behind the matching: in the order of receipt each row is the last one of its account.
    totalsPass('unmatched confirmed deposits', 'confirmedTotals', 'unmatchedConfirmedTotals'),
    totalsPass('unmatched seen deposits', 'seenTotals', 'unmatchedSeenTotals'),
  ],
}

function countMatch(commit: Commit, _key: Buffer, value: Buffer): void {
  const row = depositCodec.decode(value)
  const { deposit, no, invoiceId } = row
  if (invoiceId === null || deposit.kind === 'dropped') return
  const worth = worthOfMatch(commit, row, invoiceId)
  const confirmed = deposit.kind === 'confirmed' ? worth : 0n
  changeMatches(commit, invoiceId, { matches: 1, seen: worth, confirmed })
  if (worth > 0n) listOfInvoice(commit, invoiceId, { receivedAt: deposit.receivedAt, no }, true)
}

/** Void invoices were in no index, and paid ones without a reference were not to be matched. */
function indexInvoice(commit: Commit, key: Buffer): void {
  const row = invoiceRow(commit, idOfKey<InvoiceId>(key))
  const invoice = indexed(commit, row)
  if (row.voidedAt !== null) return enterVoid(commit, invoice, row.voidedAt)
  const wasLeftOut = invoice.callback === CALLBACK.none && countMatches(commit, row.id) === 0
  if (wasLeftOut && isAmongPaid(commit, invoice)) enterUnmatched(commit, invoice)
}

function matchDeposit(commit: Commit, key: Buffer): void {
  const row = depositOfNo(commit, key.readUIntBE(0, WIDE_BYTES) as DepositNo)
  answeredNow(new DepositRule(new PastDepositWork(commit), PAST_TERMS, new Choices(BOUNDLESS)).matchAgain(row))
}

/** The sums of what is matched to none are made behind the matching. */
class PastDepositWork extends LmdbDepositWork {
  override count(): void {}

  override candidates(seeking: Seeking<WalletRow>): Searches {
    return this.searches(seeking, standingNow)
  }
}

/** A migration settles nothing: it has no time, and nobody would be told. */
function standingNow(commit: Commit, id: InvoiceId): Standing {
  const row = invoiceRow(commit, id)
  if (row.voidedAt !== null) return 'void'
  return isPaidNow(commit, row) ? 'paid' : 'open'
}

function totalsPass(name: string, from: 'confirmedTotals' | 'seenTotals', to: UnmatchedTotals): Pass {
  return {
    name,
    table: from,
    begin: ({ tables }) => tables[to].clearSync(),
    row: (commit, key) => addUnmatched(commit, commit.tables[to], key),
  }
}

type UnmatchedTotals = 'unmatchedConfirmedTotals' | 'unmatchedSeenTotals'

function addUnmatched(commit: Commit, totals: Table, key: Buffer): void {
  if (key.length !== COUNTED_KEY_BYTES) return
  const no = key.readUIntBE(ACCOUNT_BYTES + WIDE_BYTES, WIDE_BYTES) as DepositNo
  const { deposit, invoiceId, addressNo, countedAs, atoms } = depositOfNo(commit, no)
  if (invoiceId !== null || countedAs === null) return
  addToTotals(totals, accountOf(addressNo, commit.currencies.noOf(countedAs)), {
    receivedAt: deposit.receivedAt,
    no,
    atoms,
  })
}
