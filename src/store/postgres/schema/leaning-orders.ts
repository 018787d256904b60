/**
 * Orders that lean on money which is matched to no invoice, on each wallet of their invoices. An order is taken to lean where such money
 * counts now. Of one that is wrong by now because such money had left, nobody is told: the check names it, and the next deposit for it
 * judges.
 */
export const LEANING_ORDERS: readonly string[] = [
  // Transactions, so that one whose answer was lost can be looked up. It replaces units, into which every transaction of a process of
  // before writes: it can read, and write nothing more. It would judge an order by such money and list it nowhere.
  `DROP TABLE IF EXISTS units`,
  `CREATE TABLE IF NOT EXISTS committed (id uuid PRIMARY KEY, at bigint NOT NULL)`,
  `CREATE INDEX IF NOT EXISTS committed_at ON committed (at)`,
  `ALTER TABLE orders ADD COLUMN IF NOT EXISTS is_leaning boolean NOT NULL DEFAULT false`,
  `CREATE TABLE IF NOT EXISTS leaning_orders (wallet_id text, currency text, order_id uuid, PRIMARY KEY (wallet_id, currency, order_id))`,
  `UPDATE orders AS o SET is_leaning = true WHERE EXISTS (
     SELECT 1 FROM invoices AS i JOIN wallets AS w ON w.id = ANY(i.wallet_ids) JOIN deposits AS d ON d.address_id = w.address_id
     WHERE i.order_id = o.id AND d.counted_as = i.currency AND d.invoice_id IS NULL AND d.kind = 'confirmed'
       AND d.received_at > i.created_at)`,
  `INSERT INTO leaning_orders (wallet_id, currency, order_id)
     SELECT payee.wallet_id, i.currency, i.order_id FROM orders AS o JOIN invoices AS i ON i.order_id = o.id
     CROSS JOIN LATERAL unnest(i.wallet_ids) AS payee (wallet_id) WHERE o.is_leaning
     ON CONFLICT DO NOTHING`,
]
