import { isSetTooMany, WALLET_SETS_MAX } from '../../../domain/invoice.js'
import type { Commit } from '../commit/commit.js'
import type { CurrencyNo } from '../tables/currencies.js'
import type { OwnerNo, SetNo } from '../tables/keys.js'
import { findWallet } from '../wallets/wallets.js'
import { settleIfPaid } from './invoice-index.js'
import type { Place } from './invoice-places.js'
import { firstOpenOf, hasOpenInvoice, noteFull } from './open-invoices.js'
import { findSet, listedSets, setNoOf } from './wallet-sets.js'

/*
 * The sets of wallets that have unpaid invoices, of which a wallet may have so many. Open invoices that turn out to be paid are settled as
 * they are met.
 */

/** Names a set of wallets, whatever their order. No wallet id has a comma. */
export function setName(walletIds: readonly string[]): string {
  return [...walletIds].sort().join(',')
}

/** Whether some wallets of an owner are a set that has an open invoice. */
export function isOpenSet(commit: Commit, ownerNo: OwnerNo, walletIds: readonly string[]): boolean {
  const wallets = walletIds.flatMap((id) => findWallet(commit, id) ?? [])
  const setNo = setNoOf(commit, ownerNo, wallets)
  return setNo !== undefined && hasOpenInvoice(commit, setNo)
}

/** Whether as many sets of wallets as may share a wallet have an unpaid invoice at a place, or will have with `own` and those `beside`. */
export function settleThenIsFull(
  commit: Commit,
  place: Place,
  own: readonly string[],
  beside: readonly string[],
): boolean {
  // Sets whose invoices turn out to be paid leave, so that no later search examines them.
  const open = listedSets(commit, place).filter((setNo) => settleThenHasOpen(commit, setNo))
  const walletIds = open.map((setNo) => findSet(commit, setNo).walletIds)
  if (!isSetTooMany(setName(own), new Set(walletIds.map(setName)), beside)) return false
  if (open.length >= WALLET_SETS_MAX) noteFull(commit, place, walletIds.flat())
  return true
}

/** Whether a set has an unpaid invoice, of a currency when it is given. */
export function settleThenHasOpen(commit: Commit, setNo: SetNo, currencyNo?: CurrencyNo): boolean {
  // One that is not unpaid leaves the open invoices, so that another becomes the first.
  for (;;) {
    const id = firstOpenOf(commit, setNo, currencyNo)
    if (id === null) return false
    if (settleIfPaid(commit, id) === 'open') return true
  }
}
