/** Events as webhooks: the statements of one version of the schema. */
export const EVENT_WEBHOOKS: readonly string[] = [
  // Which events are sent with the payload events, with a comma between them; null for all.
  `ALTER TABLE webhooks ADD COLUMN IF NOT EXISTS types text`,
  // Up to which number the events of an owner with that payload are queued as deliveries. until: the last one to be queued, once the
  // owner has chosen another payload. Its row is the lock of the queueing.
  `CREATE TABLE IF NOT EXISTS event_cursors (owner text PRIMARY KEY, after bigint NOT NULL, until bigint)`,
  // The event that a delivery tells. It has no status of a deposit, and may name no invoice.
  `ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS event_id text`,
  `ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS event_type text`,
  `ALTER TABLE deliveries ALTER COLUMN invoice_id DROP NOT NULL`,
  `ALTER TABLE deliveries ALTER COLUMN status DROP NOT NULL`,
  // Owners with that payload to whom something happened.
  `ALTER TABLE change_log ADD COLUMN IF NOT EXISTS logged text[] NOT NULL DEFAULT '{}'`,
]
