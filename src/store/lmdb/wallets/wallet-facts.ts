import type { EventOutcome, LedgerFact } from '../../../domain/ledger-fact.js'
import { OWNER_FLAW, parseOwner } from '../../../domain/text.js'
import { decideWalletFact, type FlawOfAddress, type Wallet } from '../../../domain/wallet.js'
import { noteWallet } from '../chain/watch-rows.js'
import type { Commit } from '../commit/commit-loop.js'
import { internOwner, markKnown } from '../identities/identities.js'
import { putPushedKeys } from '../identities/identity-keys.js'
import { depositsChanged } from '../invoices/open-invoices.js'
import { timeKey, WIDE_BYTES } from '../tables/keys.js'
import { bindAddress, findAddress, findWallet, saveWallet, type WalletRow } from './wallets.js'
import { withdraw } from './withdrawals.js'

/** Applies a fact of the ledger; `decideWalletFact` decides. */
export function applyLedgerFact(commit: Commit, fact: LedgerFact, flawOfAddress: FlawOfAddress): EventOutcome {
  if (fact.type === 'identity.onboarded') {
    if (parseOwner(fact.identity) !== fact.identity) return { status: 'rejected', error: OWNER_FLAW }
    return { status: markKnown(commit, fact.identity) ? 'applied' : 'duplicate' }
  }
  if (fact.type === 'identity.keys') {
    if (parseOwner(fact.identity) !== fact.identity) return { status: 'rejected', error: OWNER_FLAW }
    const isNew = putPushedKeys(commit, fact)
    return { status: markKnown(commit, fact.identity) || isNew ? 'applied' : 'duplicate' }
  }
  if (fact.type === 'wallet.withdrawn') return withdraw(commit, fact)
  depositsChanged(commit, fact.id)
  const ledgerMs = fact.type === 'wallet.assigned' ? (fact.ledgerMs ?? null) : null
  if (ledgerMs !== null && isOvertaken(commit, fact.id, ledgerMs)) return { status: 'duplicate' }
  const known = findWallet(commit, fact.id)
  const holder =
    fact.network === null || fact.address === null ? undefined : findAddress(commit, fact.network, fact.address)
  const decision = decideWalletFact(fact, known ?? null, holder?.walletId ?? null, commit.nowMs, flawOfAddress)
  if ('error' in decision) return { status: 'rejected', error: decision.error }
  if (decision.wallet === null) return { status: 'duplicate' }
  putWallet(commit, decision.wallet, known)
  if (ledgerMs !== null) noteDate(commit, fact.id, ledgerMs)
  return { status: 'applied' }
}

/** Keeps the ledger's date of an assignment that changes nothing. */
export function noteDuplicate(commit: Commit, fact: Extract<LedgerFact, { type: 'wallet.assigned' }>): void {
  const { id, owner, ledgerMs } = fact
  if (ledgerMs !== undefined && findWallet(commit, id)?.owner === owner) noteDate(commit, id, ledgerMs)
}

function putWallet(commit: Commit, wallet: Wallet, known: WalletRow | undefined): void {
  const { owner } = wallet
  const no = known?.no ?? commit.nextNo('wallet')
  const isReassigned = owner !== null && owner !== (known?.owner ?? null)
  const row: WalletRow = {
    ...wallet,
    no,
    ownerNo: owner === null ? null : internOwner(commit, owner),
    addressNo: bindAddress(commit, wallet),
    assignmentNo: isReassigned ? commit.nextNo('assignment') : (known?.assignmentNo ?? null),
    leasedUntil: known?.leasedUntil ?? 0,
  }
  saveWallet(commit, row, known)
  // Also of one that is known: data of before did not note when.
  if (row.network !== null) noteWallet(commit, row.network, commit.nowMs)
  if (owner !== null) markKnown(commit, owner)
}

/**
 * Whether an assignment that the ledger dates at `ledgerMs` was overtaken by a later one of the wallet. Transactions of a
 * ledger may be learned in another order than the ledger has them in.
 */
function isOvertaken(commit: Commit, walletId: string, ledgerMs: number): boolean {
  const known = dateOf(commit, walletId)
  return known !== null && ledgerMs < known
}

/** Keeps the later of the known date and `ledgerMs`. */
function noteDate(commit: Commit, walletId: string, ledgerMs: number): void {
  const known = dateOf(commit, walletId)
  if (known === null || known < ledgerMs) commit.tables.ledgerDates.putSync(Buffer.from(walletId), timeKey(ledgerMs))
}

/** When the ledger assigned a wallet to its present owner, by the ledger's clock; null when that is not known. */
function dateOf({ tables }: Commit, walletId: string): number | null {
  return tables.ledgerDates.get(Buffer.from(walletId))?.readUIntBE(0, WIDE_BYTES) ?? null
}
