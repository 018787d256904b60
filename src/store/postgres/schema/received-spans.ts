/**
 * What was received on an address within spans of 1, 2¹², 2¹⁸, 2²⁴ and 2³⁰ ms; shift is the exponent. unmatched_seen,
 * unmatched_confirmed: of the deposits that are matched to no invoice. Each deposit changes the sums of most sizes again. Where a
 * page has room for the row that replaces another, no index changes, and the old row is gone with the next change of the page. It
 * replaces sums of more sizes: a process of before is told that its table is gone, and neither records nor reads sums.
 */
export const RECEIVED_SPANS: readonly string[] = [
  `DROP TABLE IF EXISTS received_sums`,
  `CREATE TABLE IF NOT EXISTS received_spans (
     address_id bigint, currency text, shift smallint, start bigint, seen numeric NOT NULL, confirmed numeric NOT NULL,
     unmatched_seen numeric NOT NULL, unmatched_confirmed numeric NOT NULL,
     PRIMARY KEY (address_id, currency, shift, start)) WITH (fillfactor = 50)`,
  `INSERT INTO received_spans (address_id, currency, shift, start, seen, confirmed, unmatched_seen, unmatched_confirmed)
     SELECT d.address_id, d.counted_as, size.shift, (d.received_at >> size.shift) << size.shift, sum(d.atoms),
       coalesce(sum(d.atoms) FILTER (WHERE d.kind = 'confirmed'), 0),
       coalesce(sum(d.atoms) FILTER (WHERE d.invoice_id IS NULL), 0),
       coalesce(sum(d.atoms) FILTER (WHERE d.kind = 'confirmed' AND d.invoice_id IS NULL), 0)
     FROM deposits AS d CROSS JOIN (VALUES (0), (12), (18), (24), (30)) AS size (shift)
     WHERE d.counted_as IS NOT NULL AND d.kind <> 'dropped' GROUP BY 1, 2, 3, 4 ON CONFLICT DO NOTHING`,
]
