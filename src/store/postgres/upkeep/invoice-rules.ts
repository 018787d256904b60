import { isLogged, isNoCurrency, type Rule, rulesOf } from './rule.js'

/** How an invoice is notified, as `callbackOf` tells it. */
const CALLBACK = `CASE WHEN i.reference IS NULL THEN 0 WHEN i.callback_url IS NULL THEN 2 ELSE 1 END`
/** An invoice on each of its wallets. */
const PLACES = `invoices AS i CROSS JOIN LATERAL unnest(i.wallet_ids) AS payee (wallet_id)`

export const INVOICE_RULES: readonly Rule[] = [
  ...rulesOf('invoices', {
    'identities does not have its owner': `
      SELECT i.id::text AS name FROM invoices AS i LEFT JOIN identities AS o ON o.owner = i.owner WHERE o.owner IS NULL`,
    'it was not created at the time of its id': `
      SELECT id::text AS name FROM invoices
      WHERE ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint <> created_at`,
    'its id is not that of its imported id': `
      SELECT id::text AS name FROM invoices
      WHERE imported_as IS NOT NULL AND (imported_as !~* '^[0-9a-f]{32}$'
        OR right(replace(id::text, '-', ''), 20) <> left(encode(sha256(convert_to(imported_as, 'UTF8')), 'hex'), 20))`,
    'it has no wallet, or one of them twice': `
      SELECT id::text AS name FROM invoices
      WHERE cardinality(wallet_ids) = 0 OR cardinality(wallet_ids) <> (SELECT count(DISTINCT one) FROM unnest(wallet_ids) AS one)`,
    'wallets does not have all of its wallets, with addresses': `
      SELECT DISTINCT i.id::text AS name FROM ${PLACES} LEFT JOIN wallets AS w ON w.id = payee.wallet_id WHERE w.address_id IS NULL`,
    'its wallets are shown in no known form': `SELECT id::text AS name FROM invoices WHERE wallet_ids_form NOT IN (0, 1, 2)`,
    'it has no currency': `SELECT id::text AS name FROM invoices WHERE ${isNoCurrency('currency')}`,
    'it has outlived an expiry and has none': `
      SELECT id::text AS name FROM invoices WHERE expires_at IS NULL AND has_outlived_expiry`,
    'it is void at no time, or at one and is not void': `
      SELECT id::text AS name FROM invoices WHERE (state = 2) <> (voided_at IS NOT NULL) OR state NOT IN (0, 1, 2, 3)`,
    'it was accepted at no time, or at one and is not accepted': `
      SELECT id::text AS name FROM invoices WHERE (state = 3) <> (accepted_at IS NOT NULL)`,
    'it is accepted and may expire': `
      SELECT id::text AS name FROM invoices WHERE accepted_at IS NOT NULL AND expires_at IS NOT NULL AND NOT has_outlived_expiry`,
    'its matches are not the deposits that are matched to it': `
      SELECT i.id::text AS name FROM invoices AS i LEFT JOIN (
        SELECT invoice_id, count(*) AS deposits FROM deposits WHERE kind <> 'dropped' GROUP BY invoice_id
      ) AS d ON d.invoice_id = i.id WHERE i.matches <> coalesce(d.deposits, 0)`,
    'it is open, and not in open_places on each of its wallets': `
      SELECT DISTINCT i.id::text AS name FROM ${PLACES}
      LEFT JOIN open_places AS p ON p.wallet_id = payee.wallet_id AND p.owner = i.owner AND p.currency = i.currency
        AND p.callback = ${CALLBACK} AND p.invoice_id = i.id AND p.atoms = i.atoms
      WHERE i.state = 0 AND p.invoice_id IS NULL`,
    'it was found paid, and is not in paid_places on each of its wallets': `
      SELECT DISTINCT i.id::text AS name FROM ${PLACES}
      LEFT JOIN paid_places AS p ON p.wallet_id = payee.wallet_id AND p.owner = i.owner AND p.currency = i.currency
        AND p.callback = ${CALLBACK} AND p.invoice_id = i.id AND p.atoms = i.atoms
        AND p.is_unmatched = (i.matches = 0)
      WHERE i.state = 1 AND p.invoice_id IS NULL`,
    'it is void, and not in void_places on each of its wallets': `
      SELECT DISTINCT i.id::text AS name FROM ${PLACES}
      LEFT JOIN void_places AS p ON p.wallet_id = payee.wallet_id AND p.owner = i.owner AND p.currency = i.currency
        AND p.voided_at = i.voided_at AND p.invoice_id = i.id
      WHERE i.voided_at IS NOT NULL AND p.invoice_id IS NULL`,
    'paid_amounts has less than its amount for one of its wallets': `
      SELECT DISTINCT i.id::text AS name FROM ${PLACES}
      LEFT JOIN paid_amounts AS a ON a.wallet_id = payee.wallet_id AND a.currency = i.currency
      WHERE i.state = 1 AND (a.atoms IS NULL OR a.atoms < i.atoms)`,
    'owner_events does not have that it was created': `
      SELECT i.id::text AS name FROM invoices AS i
      LEFT JOIN (SELECT DISTINCT invoice_id FROM owner_events WHERE type = 'invoice.created') AS e ON e.invoice_id = i.id
      WHERE e.invoice_id IS NULL AND ${isLogged('i.owner', 'i.created_at')}`,
    'owner_events does not have that it became void': `
      SELECT i.id::text AS name FROM invoices AS i
      LEFT JOIN (
        SELECT DISTINCT invoice_id FROM owner_events WHERE type IN ('invoice.voided', 'invoice.expired')
      ) AS e ON e.invoice_id = i.id
      WHERE i.voided_at IS NOT NULL AND e.invoice_id IS NULL AND ${isLogged('i.owner', 'i.voided_at')}`,
    'owner_events does not have that it was accepted': `
      SELECT i.id::text AS name FROM invoices AS i
      LEFT JOIN (SELECT DISTINCT invoice_id FROM owner_events WHERE type = 'invoice.accepted') AS e ON e.invoice_id = i.id
      WHERE i.accepted_at IS NOT NULL AND e.invoice_id IS NULL AND ${isLogged('i.owner', 'i.accepted_at')}`,
  }),
  ...rulesOf('invoices', {
    'orders does not have its order': `
      SELECT i.id::text AS name FROM invoices AS i LEFT JOIN orders AS o ON o.id = i.order_id
      WHERE i.order_id IS NOT NULL AND o.id IS NULL`,
  }),
  ...rulesOf('orders', {
    'identities does not have its owner': `
      SELECT o.id::text AS name FROM orders AS o LEFT JOIN identities AS i ON i.owner = o.owner WHERE i.owner IS NULL`,
    'it was not created at the time of its id': `
      SELECT id::text AS name FROM orders
      WHERE ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint <> created_at`,
    'it is void and accepted': `
      SELECT id::text AS name FROM orders WHERE voided_at IS NOT NULL AND accepted_at IS NOT NULL`,
    'owner_events does not have that it was created': `
      SELECT o.id::text AS name FROM orders AS o
      LEFT JOIN (SELECT DISTINCT order_id FROM owner_events WHERE type = 'order.created') AS e ON e.order_id = o.id
      WHERE e.order_id IS NULL AND ${isLogged('o.owner', 'o.created_at')}`,
    'owner_events does not have that it became void': `
      SELECT o.id::text AS name FROM orders AS o
      LEFT JOIN (
        SELECT DISTINCT order_id FROM owner_events WHERE type IN ('order.voided', 'order.expired')
      ) AS e ON e.order_id = o.id
      WHERE o.voided_at IS NOT NULL AND e.order_id IS NULL AND ${isLogged('o.owner', 'o.voided_at')}`,
    'owner_events does not have that it was accepted': `
      SELECT o.id::text AS name FROM orders AS o
      LEFT JOIN (SELECT DISTINCT order_id FROM owner_events WHERE type = 'order.accepted') AS e ON e.order_id = o.id
      WHERE o.accepted_at IS NOT NULL AND e.order_id IS NULL AND ${isLogged('o.owner', 'o.accepted_at')}`,
  }),
  ...rulesOf('open_places', {
    'invoices does not have its invoice open on the wallet': `
      SELECT p.wallet_id || ' ' || p.invoice_id AS name FROM open_places AS p LEFT JOIN invoices AS i ON i.id = p.invoice_id
      WHERE i.state IS DISTINCT FROM 0 OR NOT p.wallet_id = ANY(i.wallet_ids) OR p.owner <> i.owner OR p.currency <> i.currency
        OR p.callback <> ${CALLBACK} OR p.atoms <> i.atoms`,
  }),
  ...rulesOf('paid_places', {
    'invoices does not have its invoice paid on the wallet': `
      SELECT p.wallet_id || ' ' || p.invoice_id AS name FROM paid_places AS p LEFT JOIN invoices AS i ON i.id = p.invoice_id
      WHERE i.state IS DISTINCT FROM 1 OR NOT p.wallet_id = ANY(i.wallet_ids) OR p.owner <> i.owner OR p.currency <> i.currency
        OR p.callback <> ${CALLBACK} OR p.atoms <> i.atoms`,
  }),
  ...rulesOf('void_places', {
    'invoices does not have its invoice void on the wallet': `
      SELECT p.wallet_id || ' ' || p.invoice_id AS name FROM void_places AS p LEFT JOIN invoices AS i ON i.id = p.invoice_id
      WHERE i.voided_at IS DISTINCT FROM p.voided_at OR NOT p.wallet_id = ANY(i.wallet_ids) OR p.owner <> i.owner
        OR p.currency <> i.currency`,
  }),
  ...rulesOf('paid_amounts', {
    'it is the amount of no invoice on its wallet': `
      SELECT a.wallet_id || ' ' || a.currency AS name FROM paid_amounts AS a
      LEFT JOIN (SELECT DISTINCT payee.wallet_id, i.currency, i.atoms FROM ${PLACES}) AS i
        ON i.wallet_id = a.wallet_id AND i.currency = a.currency AND i.atoms = a.atoms
      WHERE i.wallet_id IS NULL`,
  }),
  ...rulesOf('unsettled_wallets', {
    'it is of no wallet': `
      SELECT u.wallet_id AS name FROM unsettled_wallets AS u LEFT JOIN wallets AS w ON w.id = u.wallet_id WHERE w.id IS NULL`,
  }),
  ...rulesOf('notes', {
    'invoices does not have its invoice': `
      SELECT n.id::text AS name FROM notes AS n LEFT JOIN invoices AS i ON i.id = n.invoice_id WHERE i.id IS NULL`,
  }),
  ...rulesOf('idempotency_keys', {
    'it is malformed': `
      SELECT encode(scope, 'hex') AS name FROM idempotency_keys WHERE octet_length(scope) <> 32 OR octet_length(body_hash) <> 32`,
    'invoices does not have its invoice': `
      SELECT encode(k.scope, 'hex') AS name FROM idempotency_keys AS k LEFT JOIN invoices AS i ON i.id = k.invoice_id
      WHERE i.id IS NULL`,
  }),
  ...rulesOf('signed_creations', {
    'it is malformed': `SELECT encode(digest, 'hex') AS name FROM signed_creations WHERE octet_length(digest) <> 32`,
  }),
]
