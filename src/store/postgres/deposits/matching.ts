import { chooseInvoiceInTime, type DepositReport, type DepositValue, type Sighting } from '../../../domain/deposit.js'
import type { Work } from '../connection/work.js'
import type { InvoiceRow } from '../invoices/invoice-rows.js'
import { addMatch, giveBackMatch } from '../invoices/settle.js'
import { type AddressRow, placeNameOf } from '../wallets/wallet-rows.js'
import { Candidates } from './candidates.js'
import type { DepositMemo } from './deposit-memo.js'
import { type DepositRow, nameOf } from './deposit-rows.js'

/**
 * The invoice that the deposit notifies from now on. The choice is made when the deposit is first seen, once more when it
 * is confirmed and there was none, and kept: a dropped deposit only gives its match back until it is seen again. It is
 * made before the deposit is counted, so that what an invoice misses is what the payer saw missing.
 */
export async function matchAt(
  memo: DepositMemo,
  work: Work,
  address: AddressRow,
  { deposit, countedAs, atoms, invoiceId }: DepositRow,
  from: DepositReport | 'unseen',
  to: DepositReport,
): Promise<InvoiceRow | null> {
  const known = invoiceId === null ? null : await memo.invoice(invoiceId)
  if (to === 'dropped') {
    // Another deposit may match it now.
    memo.searches.clear()
    if (known !== null) giveBackMatch(work, known)
    return known
  }
  if (known !== null && from !== 'dropped') return known
  if (known === null && countedAs === null) return null
  const value = { currency: countedAs, atoms }
  const search =
    known === null
      ? (memo.searches.get(searchNameOf(deposit, value)) ?? (await candidatesFor(memo, work, address, deposit, value)))
      : null
  const chosen = search === null ? known : await chooseInvoiceInTime(search)
  if (chosen !== null) addMatch(work, chosen)
  return chosen
}

/** Names a search by all that decides it: two reports of a deposit may tell different times and amounts. */
export function searchNameOf(seen: Sighting, { currency, atoms }: DepositValue): string {
  return [nameOf(seen), placeNameOf(seen), seen.receivedAt, currency, atoms].join(' ')
}

/** The candidates for a deposit; null when it can have none. */
export async function candidatesFor(
  memo: DepositMemo,
  work: Work,
  { wallet }: AddressRow,
  { receivedAt }: Sighting,
  { currency, atoms }: DepositValue,
): Promise<Candidates | null> {
  if (wallet === null || wallet.owner === null || currency === null) return null
  const { callback_url } = await memo.configuration(wallet.owner)
  const hasDefaultCallback = callback_url !== null
  const { id: walletId, owner } = wallet
  return new Candidates(work, { walletId, owner, currency, atoms, receivedAt, hasDefaultCallback })
}
