import { type Outcome, succeed } from '../../../domain/failure.js'
import type { SignedCreation } from '../../../domain/idempotency.js'
import type { Invoice, InvoiceRequest } from '../../../domain/invoice.js'
import { refuseInvoice } from '../../../domain/invoice.js'
import type { Commit } from '../commit/commit-loop.js'
import { ownerNoOf } from '../identities/identities.js'
import { under } from '../tables/bytes.js'
import type { InvoiceId } from '../tables/names.js'
import { NOTHING } from '../tables/tables.js'
import { findWallet, type WalletRow } from '../wallets/wallets.js'
import { CreationFacts, type OwnedWallets } from './creation-facts.js'
import { addExpiry } from './expiries.js'
import { callbackOf } from './invoice-index.js'
import type { Place } from './invoice-places.js'
import { type InvoiceRow, putInvoiceRow, toInvoice } from './invoice-rows.js'
import { enterOpen } from './open-invoices.js'
import { internSet } from './wallet-sets.js'

const MS_PER_SECOND = 1000

/** Loads the facts, lets the domain decide, applies. */
export function createInvoice(
  commit: Commit,
  request: InvoiceRequest,
  signed: SignedCreation | undefined,
  areWalletsShared: boolean,
): Outcome<Invoice> {
  const owned = ownedWallets(commit, request)
  const facts = new CreationFacts(commit, request, owned, signed, areWalletsShared)
  const refusal = refuseInvoice(request, facts)
  if (refusal !== null) return { ok: false, failure: refusal }
  if (owned === null) throw new Error('an invoice was allowed on wallets that are not owned')
  return succeed(insert(commit, request, owned, facts.places))
}

/** Null unless every wallet is known, has an address to be paid at, and belongs to the owner. */
function ownedWallets(commit: Commit, { owner, walletIds }: InvoiceRequest): OwnedWallets | null {
  const ownerNo = ownerNoOf(commit, owner)
  if (ownerNo === undefined) return null
  const wallets: WalletRow[] = []
  for (const id of walletIds) {
    const wallet = findWallet(commit, id)
    if (wallet === undefined || wallet.ownerNo !== ownerNo || wallet.addressNo === null) return null
    wallets.push(wallet)
  }
  return { ownerNo, wallets }
}

function insert(
  commit: Commit,
  request: InvoiceRequest,
  { ownerNo, wallets }: OwnedWallets,
  places: readonly Place[],
): Invoice {
  const { nowMs, tables } = commit
  const { expiresInSeconds } = request
  const id = commit.newId() as InvoiceId
  const row: InvoiceRow = {
    owner: request.owner,
    wallet_id: request.walletIds[0] ?? '',
    wallet_ids: request.walletIds.join(','),
    name: request.name,
    description: request.description,
    reference: request.reference,
    amount: request.amountText,
    currency: request.currency,
    callback_url: request.callbackUrl,
    created_at: nowMs,
    setNo: internSet(commit, request.owner, ownerNo, wallets),
    expiresAt: expiresInSeconds === null ? null : nowMs + expiresInSeconds * MS_PER_SECOND,
    voidedAt: null,
    hasOutlivedExpiry: false,
  }
  putInvoiceRow(commit, id, row)
  tables.ownerInvoices.putSync(under(ownerNo, id), NOTHING)
  if (row.reference !== null) tables.references.putSync(Buffer.from(row.reference), id)
  if (row.expiresAt !== null) addExpiry(commit, row.expiresAt, id)
  const { setNo, currency } = row
  // Every open invoice of the amount would have refused this one.
  enterOpen(commit, { id, places, setNo, currency, amount: request.amount, callback: callbackOf(row) }, true)
  return toInvoice(id, row)
}
