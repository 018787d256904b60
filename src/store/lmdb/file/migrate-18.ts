import type { Commit } from '../commit/commit.js'
import { indexed } from '../invoices/invoice-places.js'
import { invoiceRow } from '../invoices/invoice-rows.js'
import { clearOpen, enterOpen } from '../invoices/open-invoices.js'
import { isAmongPaid } from '../invoices/paid-invoices.js'
import { isUnsettledAloud, noteUnsettled } from '../invoices/unsettled-wallets.js'
import { putSetNo, walletSetCodec } from '../invoices/wallet-sets.js'
import { type InvoiceId, idOfKey, type OwnerNo, type SetNo } from '../tables/keys.js'
import { walletCodec } from '../wallets/wallet-row.js'
import { findWallet } from '../wallets/wallets.js'
import type { Migration, Pass } from './migration.js'

/** Make the indexes of open invoices by sets of wallets. They are right for whatever indexes of them were there before. */
export const OPEN_BY_SETS: readonly Pass[] = [
  { name: 'sets of wallets', table: 'walletSets', begin: clearOpen, row: numberSet },
  { name: 'open invoices by sets', table: 'invoices', row: indexOpen },
]

/** Version 19 has one row for an open invoice, under its set of wallets, where there was one for each of its wallets. */
export const MIGRATE_18: Migration = {
  from: 18,
  passes: [...OPEN_BY_SETS, { name: 'unsettled wallets', table: 'wallets', row: settleAgain }],
}

function numberSet(commit: Commit, key: Buffer, value: Buffer): void {
  const { ownerNo, walletIdsText } = walletSetCodec.decode(value)
  const wallets = walletIdsText.split(',').map((id) => {
    const wallet = findWallet(commit, id)
    if (wallet === undefined) throw new Error('a set names a wallet that is not there')
    return wallet
  })
  putSetNo(commit, ownerNo as OwnerNo, wallets, key.readUInt32BE(0) as SetNo)
}

function indexOpen(commit: Commit, key: Buffer): void {
  const row = invoiceRow(commit, idOfKey<InvoiceId>(key))
  if (row.voidedAt !== null || row.acceptedAt !== null) return
  const invoice = indexed(commit, row)
  if (!isAmongPaid(commit, invoice)) enterOpen(commit, invoice)
}

/** How far a wallet had been examined was said in another order. */
function settleAgain(commit: Commit, _key: Buffer, value: Buffer): void {
  const { no } = walletCodec.decode(value)
  const isAloud = isUnsettledAloud(commit, no)
  if (isAloud !== null) noteUnsettled(commit, no, isAloud)
}
