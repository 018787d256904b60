import { formatAmount } from '../../../domain/amount.js'
import type { Network } from '../../../domain/network.js'
import { confirmationsOf, type QualifyingDeposit } from '../../../domain/payment.js'
import { type InvoiceWithDeposits, withNewest } from '../../reading.js'
import { type Fragment, sql } from '../connection/sql.js'
import { answerOf, type InvoiceRow } from '../invoices/invoice-rows.js'

/** What `depositsColumn` selects. */
export interface DepositsColumn {
  readonly deposits: readonly ListedDeposit[] | null
}

/** The column of the newest deposits of `invoices AS i`, and of one more than `limit`, which says whether there are more. */
export function depositsColumn(limit: number): Fragment {
  return sql`(${listDeposits(limit + 1)}) AS deposits`
}

/** What is answered for an invoice, with its newest deposits. */
export function withDeposits(
  row: InvoiceRow,
  column: DepositsColumn,
  nowMs: number,
  limit: number,
): InvoiceWithDeposits {
  return withNewest(answerOf(row, nowMs), row.orderId, (column.deposits ?? []).map(shown), limit)
}

/** A deposit as `listDeposits` answers it. Numbers beyond the safe ones are texts. */
interface ListedDeposit {
  readonly network: Network
  readonly tx_hash: string
  readonly index: number
  readonly received_at: number
  readonly atoms: string
  readonly is_confirmed: boolean
  readonly height: number | null
  readonly tip: number | null
}

/**
 * The newest deposits that the own money of `invoices AS i` is the sum of, newest first, as JSON: those that are matched to it, and
 * those that qualify and are matched to none. What it reads grows with `limit` and the wallets of the invoice, not with their history.
 */
function listDeposits(limit: number): Fragment {
  const qualifies = sql`d.counted_as = i.currency AND d.received_at > i.created_at AND d.kind <> 'dropped'`
  const newestOf = (most: number) => sql`ORDER BY d.received_at DESC, d.no DESC LIMIT ${most}::bigint`
  return sql`
    SELECT json_agg(json_build_object('network', d.network, 'tx_hash', d.tx_hash, 'index', d.index, 'received_at', d.received_at,
      'atoms', d.atoms::text, 'is_confirmed', d.kind = 'confirmed', 'height', b.height,
      'tip', (SELECT max(height) FROM blocks WHERE blocks.network = d.network)) ORDER BY d.received_at DESC, d.no DESC)
    FROM (
      (SELECT d.* FROM deposits AS d WHERE d.invoice_id = i.id AND ${qualifies}
          AND d.address_id IN (SELECT w.address_id FROM wallets AS w WHERE w.id = ANY(i.wallet_ids)) ${newestOf(limit)})
      UNION ALL
      (SELECT d.* FROM unnest(i.wallet_ids) AS payee (wallet_id) JOIN wallets AS w ON w.id = payee.wallet_id
        CROSS JOIN LATERAL (
          SELECT d.* FROM deposits AS d WHERE d.address_id = w.address_id AND d.invoice_id IS NULL AND ${qualifies} ${newestOf(limit)}
        ) AS d ${newestOf(limit)})
      ORDER BY received_at DESC, no DESC LIMIT ${limit}::bigint
    ) AS d
    LEFT JOIN block_deposits AS b ON b.network = d.network AND b.tx_hash = d.tx_hash AND b.index = d.index`
}

function shown({
  network,
  tx_hash,
  index,
  received_at,
  atoms,
  is_confirmed,
  height,
  tip,
}: ListedDeposit): QualifyingDeposit {
  return {
    network,
    txHash: tx_hash,
    index,
    receivedAt: received_at,
    amount: formatAmount(BigInt(atoms)),
    isConfirmed: is_confirmed,
    confirmations: confirmationsOf(is_confirmed, height, tip),
  }
}
