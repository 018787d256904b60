import { type Currency, formatAmount } from '../../../domain/amount.js'
import type { Network, Networks } from '../../../domain/network.js'
import type { StrayDeposit } from '../../../domain/payment.js'
import type { StraySearch } from '../../deposits.js'
import type { Database } from '../connection/database.js'
import { sql } from '../connection/sql.js'

interface StrayColumns {
  readonly network: Network
  readonly tx_hash: string
  readonly currency: Currency
  readonly atoms: string
}

/** The newest deposits of a search that no invoice has matched. Each currency and wallet is a seek in the order of receipt. */
export async function strayDeposits(
  database: Database,
  networks: Networks,
  { walletIds, currency, since }: StraySearch,
  limit: number,
): Promise<readonly StrayDeposit[]> {
  const others = networks.ids.flatMap((network) =>
    networks.currenciesOn(network).flatMap((one) => (one === currency ? [] : [{ network, currency: one }])),
  )
  const rows = await database.readPage<StrayColumns>(sql`
    SELECT network, tx_hash, counted_as AS currency, atoms::text AS atoms FROM (
      SELECT newest.* FROM unnest(${walletIds}::text[]) AS payee (wallet_id) JOIN wallets AS w ON w.id = payee.wallet_id
      JOIN unnest(${others.map(({ network }) => network)}::text[], ${others.map((one) => one.currency)}::text[])
        AS other (network, currency) ON other.network = w.network
      CROSS JOIN LATERAL (
        SELECT * FROM deposits WHERE address_id = w.address_id AND counted_as = other.currency AND received_at > ${since}::bigint
          AND kind <> 'dropped' AND invoice_id IS NULL
        ORDER BY received_at DESC, no DESC LIMIT ${limit}::bigint
      ) AS newest ORDER BY newest.received_at DESC, newest.no DESC LIMIT ${limit}::bigint
    ) AS d ORDER BY received_at DESC, no DESC`)
  return rows.map(({ network, tx_hash, currency: own, atoms }) => {
    return { network, txHash: tx_hash, currency: own, amount: formatAmount(BigInt(atoms)) }
  })
}
