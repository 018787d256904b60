import { PAST_TERMS } from '../../rules/judge-report.js'
import { answeredTogether } from '../../rules/lockstep.js'
import { BOUNDLESS, Choices } from '../../rules/match-deposit.js'
import { DepositRule } from '../../rules/record-deposit.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { lockAddresses } from '../wallets/wallet-rows.js'
import { DepositMemo } from './deposit-memo.js'
import { DEPOSIT_COLUMNS, type DepositColumns, toDeposit } from './deposit-rows.js'
import { PostgresDepositWork } from './deposit-work.js'

/** Deposits of one transaction, which processes that start beside it wait for. */
const MATCHED_AT_ONCE = 50

/**
 * Matches the next confirmed deposits that were matched to nobody before every deposit was, in the order in which they were first seen.
 * Pending ones are matched when they are confirmed. Processes that start at once do it in turn. False when nothing is left.
 */
export async function matchPiece(work: Work): Promise<boolean> {
  const place = await work.row<{ matched_to: number }>(sql`SELECT matched_to FROM matching FOR UPDATE`)
  if (place === undefined) return false
  const rows = await work.rows<DepositColumns>(sql`
    SELECT ${DEPOSIT_COLUMNS} FROM deposits AS d
    WHERE d.no > ${place.matched_to}::bigint AND d.invoice_id IS NULL AND d.kind = 'confirmed' AND d.counted_as IS NOT NULL
    ORDER BY d.no LIMIT ${MATCHED_AT_ONCE}::bigint`)
  const deposits = rows.map(toDeposit)
  lockAddresses(work, deposits)
  const memo = new DepositMemo(work, 'past')
  await memo.prepare(deposits)
  const rule = new DepositRule(
    new PostgresDepositWork(work, memo, PAST_TERMS.areWalletsShared),
    PAST_TERMS,
    new Choices(BOUNDLESS),
  )
  for (const deposit of deposits) {
    const row = memo.knownRow(deposit)
    if (row !== undefined) await answeredTogether([rule.matchAgain(row)], { turn: () => {}, send: () => memo.send() })
  }
  const last = rows.at(-1)
  if (last === undefined || rows.length < MATCHED_AT_ONCE) work.write(sql`DELETE FROM matching`)
  else work.write(sql`UPDATE matching SET matched_to = ${last.no}::bigint`)
  return true
}
