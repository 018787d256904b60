import type { Outcome } from '../../../domain/failure.js'
import type { EventOutcome } from '../../../domain/ledger-fact.js'
import type { Wallet } from '../../../domain/wallet.js'
import {
  decidePutBack,
  decideWithdrawal,
  leaseEndOfPutBack,
  WITHDRAWN_UNTIL,
  type Withdrawal,
  type WithdrawalFact,
  type WithdrawnWallet,
} from '../../../domain/withdrawal.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { toWallet, WALLET_COLUMNS, type WalletColumns } from './wallet-rows.js'

/** Columns of `withdrawn_wallets AS x`, which are null without a row. */
export interface WithdrawalColumns {
  readonly umid: string | null
  readonly ledger_ms: number | null
  readonly withdrawn_at: number | null
}

export const WITHDRAWAL_COLUMNS = sql`x.umid, x.ledger_ms, x.at AS withdrawn_at`

export function toWithdrawal({ umid, ledger_ms, withdrawn_at }: WithdrawalColumns): Withdrawal | null {
  return umid === null || ledger_ms === null || withdrawn_at === null
    ? null
    : { umid, ledgerMs: ledger_ms, at: withdrawn_at }
}

/**
 * Withdraws a wallet from the pool. One that is unknown gets a row, so that it never enters the pool when it is told; where
 * another unit makes the same row at the same time, the database refuses one of them, and it is tried again.
 */
export async function withdraw(work: Work, fact: WithdrawalFact): Promise<EventOutcome> {
  const { id } = fact
  const known = await work.row<{ readonly owner: string | null } & WithdrawalColumns>(sql`
    SELECT w.owner, ${WITHDRAWAL_COLUMNS} FROM wallets AS w LEFT JOIN withdrawn_wallets AS x ON x.wallet_id = w.id
    WHERE w.id = ${id} FOR UPDATE OF w`)
  const nowMs = await work.readClock()
  const about = known === undefined ? null : { owner: known.owner, withdrawal: toWithdrawal(known) }
  const decision = decideWithdrawal(fact, about, nowMs)
  if ('error' in decision) return { status: 'rejected', error: decision.error }
  if (decision.withdrawal === null) return { status: 'duplicate' }
  const { umid, ledgerMs, at } = decision.withdrawal
  work.write(
    known === undefined
      ? sql`INSERT INTO wallets (id, leased_until) VALUES (${id}, ${WITHDRAWN_UNTIL}::bigint)`
      : sql`UPDATE wallets SET leased_until = ${WITHDRAWN_UNTIL}::bigint WHERE id = ${id}`,
  )
  work.write(sql`
    INSERT INTO withdrawn_wallets (wallet_id, umid, ledger_ms, at) VALUES (${id}, ${umid}, ${ledgerMs}::bigint, ${at}::bigint)
    ON CONFLICT (wallet_id) DO UPDATE SET umid = excluded.umid, ledger_ms = excluded.ledger_ms, at = excluded.at`)
  return { status: 'applied' }
}

/** The withdrawal stays known, so that its transaction does not withdraw the wallet again. */
export async function putBack(work: Work, id: string, leaseMs: number): Promise<Outcome<Wallet>> {
  const known = await work.row<WalletColumns & WithdrawalColumns & { readonly leased_until: number }>(sql`
    SELECT ${WALLET_COLUMNS}, ${WITHDRAWAL_COLUMNS}, w.leased_until
    FROM wallets AS w LEFT JOIN withdrawn_wallets AS x ON x.wallet_id = w.id WHERE w.id = ${id} FOR UPDATE OF w`)
  const decision = decidePutBack(
    known === undefined ? undefined : { owner: known.owner, leasedUntil: known.leased_until },
  )
  if (!decision.ok) return decision
  const withdrawal = known === undefined ? null : toWithdrawal(known)
  if (known === undefined || withdrawal === null) throw new Error('a wallet was put back that was not withdrawn')
  const leasedUntil = leaseEndOfPutBack(withdrawal, leaseMs)
  work.write(sql`UPDATE wallets SET leased_until = ${leasedUntil}::bigint WHERE id = ${id}`)
  return { ok: true, value: toWallet(known) }
}

/** Selects withdrawn wallets behind an id. */
export function selectWithdrawn(after: string | null, limit: number): Fragment {
  return sql`
    SELECT ${WALLET_COLUMNS}, ${WITHDRAWAL_COLUMNS} FROM withdrawn_wallets AS x JOIN wallets AS w ON w.id = x.wallet_id
    WHERE w.owner IS NULL AND w.leased_until = ${WITHDRAWN_UNTIL}::bigint AND x.wallet_id COLLATE "C" > ${after ?? ''}
    ORDER BY x.wallet_id COLLATE "C" LIMIT ${limit}::bigint`
}

export function toWithdrawn(row: WalletColumns & WithdrawalColumns): WithdrawnWallet {
  const withdrawal = toWithdrawal(row)
  if (withdrawal === null) throw new Error('a withdrawn wallet has nothing that says why')
  return { ...toWallet(row), withdrawal }
}
