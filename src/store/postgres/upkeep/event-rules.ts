import { EVENT_TYPES } from '../../../domain/event.js'
import { isLogged, listed, type Rule, rulesOf } from './rule.js'

const NAME = `e.owner || ' ' || lpad(to_hex(e.number), 16, '0')`

export const EVENT_RULES: readonly Rule[] = [
  ...rulesOf('deliveries', {
    'identities does not have its owner': `
      SELECT d.id::text AS name FROM deliveries AS d LEFT JOIN identities AS o ON o.owner = d.owner WHERE o.owner IS NULL`,
    'invoices does not have its invoice': `
      SELECT d.id::text AS name FROM deliveries AS d
      LEFT JOIN (SELECT coalesce(imported_as, replace(id::text, '-', '')) AS name FROM invoices) AS i ON i.name = d.invoice_id
      WHERE d.invoice_id IS NOT NULL AND i.name IS NULL`,
    'it tells of no deposit and no event, or of both': `
      SELECT id::text AS name FROM deliveries
      WHERE (event_id IS NULL) <> (event_type IS NULL) OR (event_id IS NULL) <> (status IS NOT NULL)
        OR (event_id IS NULL AND invoice_id IS NULL) OR event_type NOT IN (${listed(EVENT_TYPES)})`,
    'its state or its status is none': `
      SELECT id::text AS name FROM deliveries
      WHERE state NOT IN ('queued', 'attempted', 'waiting', 'settled') OR status NOT IN ('pending', 'confirmed')`,
    'it waits for no time, or has one and does not wait': `
      SELECT id::text AS name FROM deliveries WHERE (state = 'waiting') <> (next_attempt_at IS NOT NULL)`,
    'its attempts are miscounted': `
      SELECT id::text AS name FROM deliveries
      WHERE attempts < attempts_before OR attempts_before < 0 OR (attempts > 0) <> (attempted_at IS NOT NULL)
        OR (state <> 'queued' AND attempts = 0)`,
    'owner_events does not have that it failed': `
      SELECT d.id::text AS name FROM deliveries AS d
      WHERE d.state = 'settled' AND d.duration_ms IS NOT NULL AND coalesce(d.http_status NOT BETWEEN 200 AND 299, true)
        AND ${isLogged('d.owner', 'd.created_at')}
        AND (d.owner, '{"id":"' || replace(d.id::text, '-', '') || '","status":' || coalesce('"' || d.status || '"', 'null') || ',"attempt":' || d.attempts || ',')
          NOT IN (
            SELECT owner, left(data, position(',"httpStatus"' IN data)) FROM owner_events
            WHERE type = 'delivery.failed' AND data IS NOT NULL)`,
  }),
  ...rulesOf('delivery_head', {
    'deliveries has later ones': `
      SELECT coalesce(h.newest::text, 'none') AS name
      FROM (SELECT id FROM deliveries ORDER BY id DESC LIMIT 1) AS d LEFT JOIN delivery_head AS h ON h.singleton
      WHERE h.newest IS NULL OR h.newest < d.id`,
  }),
  ...rulesOf('event_heads', {
    'identities does not have its owner': `
      SELECT h.owner AS name FROM event_heads AS h LEFT JOIN identities AS o ON o.owner = h.owner WHERE o.owner IS NULL`,
    'its last event is before one that was removed': `SELECT owner AS name FROM event_heads WHERE last < removed_to`,
    'it has no event, and none was removed': `
      SELECT h.owner AS name FROM event_heads AS h
      WHERE h.removed_to IS NULL AND NOT EXISTS (SELECT 1 FROM owner_events AS e WHERE e.owner = h.owner)`,
  }),
  ...rulesOf('owner_events', {
    'event_heads does not have the end of its log behind it': `
      SELECT ${NAME} AS name FROM owner_events AS e LEFT JOIN event_heads AS h ON h.owner = e.owner
      WHERE h.last IS NULL OR h.last < e.number`,
    'it stands before the last event that was removed': `
      SELECT ${NAME} AS name FROM owner_events AS e JOIN event_heads AS h ON h.owner = e.owner WHERE e.number <= h.removed_to`,
    'the event before it is missing': `
      SELECT ${NAME} AS name FROM (
        SELECT owner, number, lag(number) OVER (PARTITION BY owner ORDER BY number) AS before FROM owner_events
      ) AS e LEFT JOIN event_heads AS h ON h.owner = e.owner
      WHERE e.number % 65536 > 0 AND e.number - 1 IS DISTINCT FROM coalesce(e.before, h.removed_to)
        AND e.number / 65536 >= (SELECT coalesce(min(since), 9223372036854775807) FROM logged)`,
    'it is the last one of its log, and event_heads has a later one': `
      SELECT ${NAME} AS name FROM (SELECT owner, max(number) AS number FROM owner_events GROUP BY owner) AS e
      JOIN event_heads AS h ON h.owner = e.owner
      WHERE h.last > e.number AND e.number / 65536 >= (SELECT coalesce(min(since), 9223372036854775807) FROM logged)`,
    'its type is none, or it does not tell what it must': `
      SELECT ${NAME} AS name FROM owner_events AS e
      WHERE e.type NOT IN (${listed(EVENT_TYPES)}) OR (e.type LIKE 'invoice.%' OR e.type LIKE 'order.%') <> (e.data IS NULL)
        OR (e.type LIKE 'order.%') <> (e.order_id IS NOT NULL)
        OR (e.type LIKE 'invoice.%' AND e.invoice_id IS NULL)
        OR (e.type = 'delivery.failed' AND e.invoice_id IS NULL AND e.data NOT LIKE '%"event":{%')`,
    'orders does not have its order': `
      SELECT ${NAME} AS name FROM owner_events AS e LEFT JOIN orders AS o ON o.id = e.order_id
      WHERE e.order_id IS NOT NULL AND o.id IS NULL`,
    'invoices does not have its invoice': `
      SELECT ${NAME} AS name FROM owner_events AS e LEFT JOIN invoices AS i ON i.id = e.invoice_id
      WHERE e.invoice_id IS NOT NULL AND i.id IS NULL`,
  }),
  ...rulesOf('logged', {
    'there is no row of it': `SELECT 'since' AS name WHERE NOT EXISTS (SELECT 1 FROM logged)`,
  }),
]
