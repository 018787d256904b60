import type { EventOutcome, LedgerFact, WalletFact } from '../../../domain/ledger-fact.js'
import { canonicalAddress, type Network } from '../../../domain/network.js'
import { OWNER_FLAW, parseOwner } from '../../../domain/text.js'
import { decideWalletFact, type FlawOfAddress, flawOfWalletId, type Wallet } from '../../../domain/wallet.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { internOwner, markKnown } from '../identities.js'
import { putPushedKeys } from '../identity-keys.js'
import { toWalletRow, WALLET_COLUMNS, type WalletColumns, type WalletRow } from './wallet-rows.js'
import { withdraw } from './withdrawals.js'

interface Locked {
  readonly wallet: (WalletRow & { readonly ledgerAt: number | null }) | null
  /** The wallet that has the fact's address. */
  readonly holder: string | null
}

/** Applies a fact of the ledger; `decideWalletFact` decides. */
export async function applyLedgerFact(
  work: Work,
  fact: LedgerFact,
  flawOfAddress: FlawOfAddress,
): Promise<EventOutcome> {
  if (fact.type === 'identity.onboarded') {
    if (parseOwner(fact.identity) !== fact.identity) return { status: 'rejected', error: OWNER_FLAW }
    return { status: (await markKnown(work, fact.identity)) ? 'applied' : 'duplicate' }
  }
  if (fact.type === 'identity.keys') {
    if (parseOwner(fact.identity) !== fact.identity) return { status: 'rejected', error: OWNER_FLAW }
    const isNew = await putPushedKeys(work, fact)
    return { status: (await markKnown(work, fact.identity)) || isNew ? 'applied' : 'duplicate' }
  }
  if (fact.type === 'wallet.withdrawn') return await withdraw(work, fact)
  const { wallet: known, holder } = await lock(work, fact)
  const ledgerMs = fact.type === 'wallet.assigned' ? (fact.ledgerMs ?? null) : null
  const ledgerAt = known?.ledgerAt ?? null
  if (ledgerMs !== null && ledgerAt !== null && ledgerMs < ledgerAt) return { status: 'duplicate' }
  const nowMs = await work.readClock()
  const decision = decideWalletFact(fact, known, holder, nowMs, flawOfAddress)
  if ('error' in decision) return { status: 'rejected', error: decision.error }
  if (decision.wallet === null) return { status: 'duplicate' }
  await putWallet(work, decision.wallet, known)
  if (ledgerMs !== null) noteDate(work, fact.id, ledgerMs)
  return { status: 'applied' }
}

/** Keeps the ledger's date of an assignment that changes nothing. */
export function noteDuplicate(
  work: Work,
  { id, owner, ledgerMs }: Extract<LedgerFact, { type: 'wallet.assigned' }>,
): void {
  if (ledgerMs === undefined || flawOfWalletId(id) !== null) return
  work.write(sql`
    UPDATE wallets SET ledger_at = greatest(coalesce(ledger_at, 0), ${ledgerMs}::bigint) WHERE id = ${id} AND owner = ${owner}`)
}

/** Locks what a fact is about. */
async function lock(work: Work, { id, network, address }: WalletFact): Promise<Locked> {
  if (network !== null) lockChain(work, network)
  const holder = network === null || address === null ? undefined : lockHolder(work, network, address)
  const found = await work.row<WalletColumns & { readonly ledger_at: number | null }>(
    sql`SELECT ${WALLET_COLUMNS}, w.ledger_at FROM wallets AS w WHERE w.id = ${id} FOR UPDATE`,
  )
  return {
    wallet: found === undefined ? null : { ...toWalletRow(found), ledgerAt: found.ledger_at },
    holder: (await holder)?.wallet_id ?? null,
  }
}

/** The row of the network comes before those of addresses. */
function lockChain(work: Work, network: Network): void {
  work.write(sql`INSERT INTO chains (network, bound) VALUES (${network}, 0) ON CONFLICT DO NOTHING`)
  work.lock(sql`SELECT network FROM chains WHERE network = ${network} FOR UPDATE`)
}

function lockHolder(work: Work, network: Network, address: string) {
  return work.row<{ wallet_id: string | null }>(sql`
    SELECT a.wallet_id FROM addresses AS a WHERE a.network = ${network} AND a.address = ${canonicalAddress(address)}
    FOR UPDATE`)
}

/** Where another unit has made the same wallet since, the database refuses this one, and the unit is tried again. */
async function putWallet(work: Work, wallet: Wallet, known: WalletRow | null): Promise<void> {
  const { id, network, address, owner, assignedAt } = wallet
  const isReassigned = owner !== null && owner !== (known?.owner ?? null)
  const assignmentNo = isReassigned ? sql`nextval('assignments')` : sql`${known?.assignmentNo ?? null}::bigint`
  work.write(
    known === null
      ? sql`
        INSERT INTO wallets (id, network, address, owner, assigned_at, assignment_no, leased_until)
        VALUES (${id}, ${network}, ${address}, ${owner}, ${assignedAt}::bigint, ${assignmentNo}, 0)`
      : sql`
        UPDATE wallets SET network = ${network}, address = ${address}, owner = ${owner}, assigned_at = ${assignedAt}::bigint,
          assignment_no = ${assignmentNo} WHERE id = ${id}`,
  )
  if (network !== null && address !== null && known?.addressId == null) bindAddress(work, id, network, address)
  if (owner !== null) {
    internOwner(work, owner)
    await markKnown(work, owner)
  }
}

/** Makes an address that of a wallet, which keeps it. The row of the network counts the wallets that have one. */
function bindAddress(work: Work, id: string, network: Network, address: string): void {
  const canonical = canonicalAddress(address)
  work.write(sql`
    INSERT INTO addresses (network, address, wallet_id) VALUES (${network}, ${canonical}, ${id})
    ON CONFLICT (network, address) DO UPDATE SET wallet_id = excluded.wallet_id`)
  work.write(sql`
    UPDATE chains SET bound = bound + 1, first_wallet_at = coalesce(first_wallet_at, ${work.nowMs}::bigint)
    WHERE network = ${network}`)
  work.write(sql`
    UPDATE wallets SET bound_no = (SELECT bound FROM chains WHERE network = ${network}),
      address_id = (SELECT id FROM addresses WHERE network = ${network} AND address = ${canonical})
    WHERE id = ${id}`)
  work.changed(id)
}

function noteDate(work: Work, walletId: string, ledgerMs: number): void {
  work.write(sql`UPDATE wallets SET ledger_at = ${ledgerMs}::bigint WHERE id = ${walletId}`)
}
