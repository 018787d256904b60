/** Orders, invoices that name theirs, and their events. */
export const ORDERS: readonly string[] = [
  // Transactions, so that one whose answer was lost can be looked up. It replaces transactions, into which every transaction of a process
  // of before writes: it can read, and write nothing more. It would count deposits for an invoice and not for its order.
  `DROP TABLE IF EXISTS transactions`,
  `CREATE TABLE IF NOT EXISTS units (id uuid PRIMARY KEY, at bigint NOT NULL)`,
  `CREATE INDEX IF NOT EXISTS units_at ON units (at)`,
  // options: a list as JSON, see `orders/order-rows.ts`. Order numbers are compared by their bytes, as those of invoices are.
  `CREATE TABLE IF NOT EXISTS orders (
     id uuid PRIMARY KEY, owner text NOT NULL, price_amount text NOT NULL, price_currency text NOT NULL, name text NOT NULL,
     description text, reference text, return_url text, order_number text COLLATE "C", metadata text, callback_url text,
     created_at bigint NOT NULL, expires_at bigint NOT NULL, voided_at bigint, accepted_at bigint, standing text NOT NULL,
     options text NOT NULL, is_expiry_decided boolean NOT NULL)`,
  `CREATE INDEX IF NOT EXISTS orders_owner ON orders (owner, id)`,
  `CREATE INDEX IF NOT EXISTS orders_order_number ON orders (order_number, owner, id) WHERE order_number IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS orders_expiring ON orders (expires_at, id) WHERE NOT is_expiry_decided`,
  `ALTER TABLE invoices ADD COLUMN IF NOT EXISTS order_id uuid`,
  `CREATE INDEX IF NOT EXISTS invoices_order ON invoices (order_id) WHERE order_id IS NOT NULL`,
  // The order that an event is about. invoice_id: the invoice whose deposit brought it about.
  `ALTER TABLE owner_events ADD COLUMN IF NOT EXISTS order_id uuid`,
]
