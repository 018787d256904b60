import { Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { sumsOfDeposits, sumsOfMatches } from '../payments/sums.js'

/** The columns that count up, of which rows came with their numbers. */
const COUNTED_UP = [
  ['wallets', 'no'],
  ['addresses', 'id'],
  ['api_keys', 'no'],
  ['deposits', 'no'],
] as const

/** Makes what follows from all records together: sums, the ends of the logs, the last numbers. */
export function completeMove(work: Work): void {
  work.write(sql`SET LOCAL enable_seqscan = on`)
  work.write(sql`SET LOCAL enable_hashjoin = on`)
  work.write(sql`
    INSERT INTO received_spans (address_id, currency, shift, start, seen, confirmed, unmatched_seen, unmatched_confirmed) ${sumsOfDeposits}`)
  work.write(sql`
    UPDATE invoices AS i SET matched_seen = m.seen, matched_confirmed = m.confirmed FROM (${sumsOfMatches}) AS m WHERE i.id = m.invoice_id`)
  work.write(sql`
    INSERT INTO event_heads AS h (owner, last) SELECT owner, max(number) FROM owner_events GROUP BY owner
    ON CONFLICT (owner) DO UPDATE SET last = greatest(h.last, excluded.last)`)
  work.write(sql`
    INSERT INTO delivery_head (singleton, newest) SELECT true, id FROM deliveries ORDER BY id DESC LIMIT 1
    ON CONFLICT (singleton) DO UPDATE SET newest = excluded.newest`)
  work.write(sql`
    INSERT INTO chains AS c (network, bound) SELECT network, max(bound_no) FROM wallets WHERE bound_no IS NOT NULL GROUP BY network
    ON CONFLICT (network) DO UPDATE SET bound = excluded.bound`)
  for (const [table, column] of COUNTED_UP) {
    work.write(
      new Fragment(
        [
          `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), (SELECT coalesce(max(${column}), 0) + 1 FROM ${table}), false)`,
        ],
        [],
      ),
    )
  }
  work.write(sql`SELECT setval('assignments', (SELECT coalesce(max(assignment_no), 0) + 1 FROM wallets), false)`)
}
