import { Fragment, sql } from '../connection/sql.js'
import { RECEIVED, sumsOfDeposits, sumsOfMatches } from '../payments/sums.js'
import { canonical, isLogged, isNoCurrency, isNoNetwork, type Rule, rulesOf } from './rule.js'

const NAME = `d.network || ' ' || d.tx_hash || ' ' || d.index`

export const DEPOSIT_RULES: readonly Rule[] = [
  ...rulesOf('deposits', {
    'addresses does not have its address': `
      SELECT ${NAME} AS name FROM deposits AS d
      LEFT JOIN addresses AS a ON a.network = d.network AND a.address = ${canonical('d.to_address')}
      WHERE a.id IS DISTINCT FROM d.address_id`,
    'its kind or its currency is none': `
      SELECT ${NAME} AS name FROM deposits AS d
      WHERE d.kind NOT IN ('pending', 'confirmed', 'dropped') OR ${isNoCurrency('d.counted_as')}`,
    'it is confirmed at no time, or too early': `
      SELECT ${NAME} AS name FROM deposits AS d WHERE (d.kind = 'confirmed') <> (d.confirmed_at IS NOT NULL)`,
    'it has not reached its own status': `
      SELECT ${NAME} AS name FROM deposits AS d
      WHERE NOT d.is_pending_reached OR (d.kind = 'confirmed' AND NOT d.is_confirmed_reached)`,
    'it has no amount': `SELECT ${NAME} AS name FROM deposits AS d WHERE d.atoms <= 0`,
    'it is late for no invoice': `SELECT ${NAME} AS name FROM deposits AS d WHERE d.is_late AND d.invoice_id IS NULL`,
    'invoices does not have the invoice that it is matched to': `
      SELECT ${NAME} AS name FROM deposits AS d LEFT JOIN invoices AS i ON i.id = d.invoice_id
      WHERE d.invoice_id IS NOT NULL AND i.id IS NULL`,
    // The beginning of what \`depositData\` makes of it, where the two ways of writing JSON are the same.
    'owner_events does not have that it was confirmed': `
      SELECT ${NAME} AS name FROM deposits AS d JOIN invoices AS i ON i.id = d.invoice_id
      WHERE d.confirmed_at IS NOT NULL AND d.tx_hash ~ '^[0-9A-Za-z]*$' AND ${isLogged('i.owner', 'd.confirmed_at')}
        AND (d.invoice_id, '{"network":"' || d.network || '","txHash":"' || d.tx_hash || '","index":' || d.index || ',') NOT IN (
          SELECT invoice_id, left(data, position(',"toAddress"' IN data)) FROM owner_events
          WHERE type = 'deposit.confirmed' AND invoice_id IS NOT NULL AND data IS NOT NULL)`,
  }),
  {
    table: 'received_spans',
    what: 'it is not the sum of the deposits within its span',
    select: sql`
      SELECT coalesce(s.address_id, d.address_id) || ' ' || coalesce(s.currency, d.currency) || ' ' || coalesce(s.shift, d.shift)
        || ' ' || coalesce(s.start, d.start) AS name
      FROM received_spans AS s FULL JOIN (${sumsOfDeposits}) AS d
        ON d.address_id = s.address_id AND d.currency = s.currency AND d.shift = s.shift AND d.start = s.start
      WHERE coalesce(s.seen, 0) <> coalesce(d.seen, 0) OR coalesce(s.confirmed, 0) <> coalesce(d.confirmed, 0)
        OR coalesce(s.unmatched_seen, 0) <> coalesce(d.unmatched_seen, 0)
        OR coalesce(s.unmatched_confirmed, 0) <> coalesce(d.unmatched_confirmed, 0)`,
  },
  {
    table: 'invoices',
    what: 'it has other sums than the deposits that are matched to it',
    select: sql`
      SELECT i.id::text AS name FROM invoices AS i LEFT JOIN (${sumsOfMatches}) AS m ON m.invoice_id = i.id
      WHERE i.matched_seen <> coalesce(m.seen, 0) OR i.matched_confirmed <> coalesce(m.confirmed, 0)`,
  },
  ...rulesOf('received_spans', {
    'addresses does not have its address': `
      SELECT s.address_id || ' ' || s.currency AS name FROM received_spans AS s LEFT JOIN addresses AS a ON a.id = s.address_id
      WHERE a.id IS NULL`,
  }),
  ...rulesOf('blocks', {
    'it does not follow from the block before': `
      SELECT network || ' ' || height AS name FROM (
        SELECT network, height, parent_hash, lag(height) OVER chain AS below, lag(hash) OVER chain AS hash_below
        FROM blocks WINDOW chain AS (PARTITION BY network ORDER BY height)
      ) AS b WHERE below IS NOT NULL AND (height <> below + 1 OR parent_hash <> hash_below)`,
    'it is of no network': `SELECT network || ' ' || height AS name FROM blocks WHERE ${isNoNetwork('network')}`,
    'chains has no confirmed height of its network': `
      SELECT DISTINCT b.network AS name FROM blocks AS b LEFT JOIN chains AS c ON c.network = b.network WHERE c.confirmed IS NULL`,
  }),
  ...rulesOf('chains', {
    'its confirmed height is not among its blocks': `
      SELECT c.network AS name FROM chains AS c
      LEFT JOIN (SELECT network, min(height) AS oldest, max(height) AS tip FROM blocks GROUP BY network) AS b
        ON b.network = c.network
      WHERE c.confirmed IS NOT NULL AND (b.tip IS NULL OR c.confirmed < b.oldest - 1 OR c.confirmed > b.tip)`,
    'it does not count the wallets that have an address': `
      SELECT network AS name FROM (
        SELECT coalesce(c.network, w.network) AS network, coalesce(c.bound, 0) AS bound, coalesce(w.last, 0) AS last
        FROM chains AS c FULL JOIN (
          SELECT network, max(bound_no) AS last FROM wallets WHERE bound_no IS NOT NULL GROUP BY network
        ) AS w ON w.network = c.network
      ) AS counted WHERE bound <> last`,
  }),
  ...rulesOf('block_deposits', {
    'blocks does not have its block': `
      SELECT ${NAME} AS name FROM block_deposits AS d
      LEFT JOIN blocks AS b ON b.network = d.network AND b.height = d.height WHERE b.height IS NULL`,
    'deposits does not have its deposit': `
      SELECT ${NAME} AS name FROM block_deposits AS d
      LEFT JOIN deposits AS known ON known.network = d.network AND known.tx_hash = d.tx_hash AND known.index = d.index
      WHERE known.network IS NULL`,
    'another one is at its place in the block': `
      SELECT ${NAME} AS name FROM (
        SELECT held.*, count(*) OVER (PARTITION BY network, height, place) AS places FROM block_deposits AS held
      ) AS d WHERE places > 1`,
  }),
  ...rulesOf('blocks_aside', {
    'it is set aside and not confirmed, or waited for and confirmed': `
      SELECT a.network || ' ' || a.height AS name FROM blocks_aside AS a LEFT JOIN chains AS c ON c.network = a.network
      WHERE (a.hash IS NOT NULL) <> (a.height <= coalesce(c.confirmed, -1))`,
    'blocks has another one at its height': `
      SELECT a.network || ' ' || a.height AS name FROM blocks_aside AS a
      JOIN blocks AS b ON b.network = a.network AND b.height = a.height WHERE a.hash IS NOT NULL AND b.hash <> a.hash`,
    'its lists of deposits differ in length': `
      SELECT network || ' ' || height AS name FROM blocks_aside
      WHERE coalesce(array_length(tx_hashes, 1), 0) <> coalesce(array_length(indexes, 1), 0)`,
    'it is of no network': `SELECT network || ' ' || height AS name FROM blocks_aside WHERE ${isNoNetwork('network')}`,
  }),
  ...rulesOf('deposits_aside', {
    'it is of no network, or no report': `
      SELECT ${NAME} AS name FROM deposits_aside AS d
      WHERE ${isNoNetwork('d.network')} OR d.report NOT IN ('pending', 'confirmed', 'dropped')`,
  }),
  ...rulesOf('answered_events', {
    'its id is malformed, or it was answered before time began': `
      SELECT id AS name FROM answered_events WHERE id = '' OR at < 0`,
  }),
  ...rulesOf('ledger_progress', {
    'it was read further than it begins': `
      SELECT origin AS name FROM ledger_progress WHERE window_ms > newest_ms OR NOT singleton`,
  }),
  ...rulesOf('ledger_taken', {
    'no ledger was followed so far': `
      SELECT t.umid AS name FROM ledger_taken AS t LEFT JOIN ledger_progress AS p ON p.singleton
      WHERE p.newest_ms IS NULL OR t.timestamp_ms > p.newest_ms`,
    'it is no transaction': `SELECT umid AS name FROM ledger_taken WHERE umid !~ '^[0-9a-f]{64}$'`,
  }),
  ...rulesOf('ledger_set_aside', {
    'no ledger was followed, or it was never asked for': `
      SELECT s.umid AS name FROM ledger_set_aside AS s LEFT JOIN ledger_progress AS p ON p.singleton
      WHERE p.singleton IS NULL OR s.attempts < 1`,
    'it is no transaction': `SELECT umid AS name FROM ledger_set_aside WHERE umid !~ '^[0-9a-f]{64}$'`,
  }),
  ...rulesOf('identity_keys', {
    'it has no keys': `SELECT identity AS name FROM identity_keys WHERE pushed IS NULL AND history IS NULL`,
    'identities does not know it': `
      SELECT k.identity AS name FROM identity_keys AS k LEFT JOIN identities AS o ON o.owner = k.identity
      WHERE k.pushed IS NOT NULL AND o.is_known IS NOT TRUE`,
  }),
]

/** Open and paid invoices whose sums say otherwise. */
export const PAYMENT_RULES: readonly Rule[] = [
  {
    table: 'invoices',
    what: 'it is open, sums cover it, and none of its wallets is in unsettled_wallets',
    select: coveredWhere(`i.state = 0 AND received.confirmed >= i.atoms
      AND NOT EXISTS (SELECT 1 FROM unsettled_wallets AS u WHERE u.wallet_id = ANY(i.wallet_ids))`),
  },
  {
    table: 'invoices',
    what: 'it was found paid, and sums do not cover it',
    select: coveredWhere('i.state = 1 AND received.confirmed < i.atoms'),
  },
]

function coveredWhere(condition: string): Fragment {
  return sql`SELECT i.id::text AS name FROM invoices AS i ${RECEIVED} WHERE ${new Fragment([condition], [])}`
}
