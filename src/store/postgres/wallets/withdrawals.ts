import { WITHDRAWN_UNTIL, type Withdrawal, type WithdrawnWallet } from '../../../domain/withdrawal.js'
import { type Fragment, sql } from '../connection/sql.js'
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
