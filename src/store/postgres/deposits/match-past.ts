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
const MATCHED_AT_ONCE = 500

/**
 * Matches the next confirmed deposits that were matched to nobody before every deposit was, in the order in which they were first seen.
 * Pending ones are matched when they are confirmed. Processes that start at once do it in turn. False when nothing is left.
 */
export async function matchPiece(work: Work, atOnce = MATCHED_AT_ONCE): Promise<boolean> {
  const place = await work.row<{ matched_to: number }>(sql`SELECT matched_to FROM matching FOR UPDATE`)
  if (place === undefined) return false
  const rows = await work.rows<DepositColumns>(sql`
    SELECT ${DEPOSIT_COLUMNS} FROM deposits AS d
    WHERE d.no > ${place.matched_to}::bigint AND d.invoice_id IS NULL AND d.kind = 'confirmed' AND d.counted_as IS NOT NULL
    ORDER BY d.no LIMIT ${atOnce}::bigint`)
  const deposits = rows.map(toDeposit)
  lockAddresses(work, deposits)
  const memo = new DepositMemo(work, 'past')
  await memo.prepare(deposits)
  const rule = new DepositRule(
    new PostgresDepositWork(work, memo, PAST_TERMS.areWalletsShared),
    PAST_TERMS,
    new Choices(BOUNDLESS),
  )
  const known = deposits.flatMap((deposit) => memo.knownRow(deposit) ?? [])
  const lockstep = { turn: () => {}, send: () => memo.send() }
  // The searches of all are asked at once and kept, so that each then asks again only for what an earlier match has changed.
  await answeredTogether(
    known.map((row) => rule.foresee({ from: 'confirmed', reaches: [], deposit: row.deposit }, row)),
    lockstep,
  )
  for (const row of known) await answeredTogether([rule.matchAgain(row)], lockstep)
  const last = rows.at(-1)
  if (last === undefined || rows.length < atOnce) work.write(sql`DELETE FROM matching`)
  else work.write(sql`UPDATE matching SET matched_to = ${last.no}::bigint`)
  return true
}
