/**
 * A subquery for one row, `confirmed` and `pending`: the sums received for `invoice`, a table or alias of the outer
 * query.
 */
export function receivedFor(invoice: string): string {
  return `
    SELECT coalesce(sum(deposits.atoms) FILTER (WHERE kind = 'confirmed'), 0) AS confirmed,
      coalesce(sum(deposits.atoms) FILTER (WHERE kind = 'pending'), 0) AS pending
    FROM wallets JOIN deposits USING (network, address)
    WHERE wallets.id = ANY (${invoice}.wallet_ids) AND deposits.currency = ${invoice}.currency
      AND received_at > ${invoice}.created_at`
}
