import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test as always } from 'node:test'
import { parseDatabaseAddress } from '../../../../src/base/database-address.js'
import { checkDatabase } from '../../../../src/store/postgres/upkeep/check.js'
import { moved } from '../../../support/moved.js'
import { administer } from '../../../support/postgres-database.js'
import { createDatabase } from '../../../support/postgres-harness.js'
import { postgresForTests } from '../../../support/postgres-tests.js'
import { memoryDirectory } from '../../../support/temporary-directory.js'
import { fillEveryTable } from '../../lmdb/full-store.js'

const server = await postgresForTests({ isDurable: true })

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

/** The tables that a check blames. */
async function blamed(url: string): Promise<readonly string[]> {
  const address = parseDatabaseAddress(url)
  assert.ok(address !== undefined)
  const tables = new Set<string>()
  const check = checkDatabase(address, ({ table }) => tables.add(table))
  for (;;) {
    const step = await check.next()
    if (step.done === true) return [...tables].sort()
  }
}

/** Each damages one row, or a few, of a table that has every kind of record; and the table that is blamed among others. */
const DAMAGES: readonly (readonly [table: string, statement: string])[] = [
  ['received_spans', 'UPDATE received_spans SET seen = seen + 1 WHERE shift = 0'],
  ['received_spans', 'DELETE FROM received_spans WHERE shift = 30'],
  ['received_spans', 'UPDATE received_spans SET unmatched_seen = unmatched_seen + 1 WHERE shift = 0'],
  ['received_spans', 'UPDATE received_spans SET unmatched_confirmed = unmatched_confirmed + 1 WHERE shift = 0'],
  ['invoices', 'UPDATE invoices SET matched_seen = matched_seen + 1'],
  ['invoices', 'UPDATE invoices SET matched_confirmed = matched_confirmed + 1'],
  ['invoices', 'UPDATE invoices SET matches = matches + 1'],
  ['invoices', 'DELETE FROM void_places'],
  ['void_places', 'UPDATE void_places SET voided_at = voided_at + 1'],
  ['invoices', 'UPDATE invoices SET accepted_at = NULL'],
  ['invoices', 'UPDATE invoices SET has_outlived_expiry = false WHERE accepted_at IS NOT NULL'],
  ['invoices', "DELETE FROM owner_events WHERE type = 'invoice.accepted'"],
  ['deposits', 'UPDATE deposits SET is_late = true WHERE invoice_id IS NULL'],
  ['invoices', 'DELETE FROM open_places'],
  ['open_places', 'UPDATE open_places SET atoms = atoms + 1'],
  ['invoices', 'UPDATE invoices SET atoms = atoms + 1'],
  ['invoices', "UPDATE invoices SET callback_url = 'shop.example/hook' WHERE reference IS NULL AND state <> 2"],
  [
    'invoices',
    "UPDATE invoices SET reference = repeat('r', 81) WHERE id = (SELECT id FROM invoices WHERE reference IS NOT NULL AND state <> 2 LIMIT 1)",
  ],
  ['invoices', "UPDATE invoices SET return_url = 'javascript:alert(1)' WHERE return_url IS NOT NULL"],
  ['invoices', "UPDATE invoices SET order_number = repeat('n', 81) WHERE order_number IS NOT NULL"],
  ['invoices', `UPDATE invoices SET metadata = '{"a": 1}' WHERE metadata IS NOT NULL`],
  ['orders', "UPDATE orders SET standing = 'paid' WHERE standing = 'none'"],
  ['orders', "UPDATE orders SET standing = 'none' WHERE standing <> 'none'"],
  ['orders', "UPDATE orders SET voided_at = created_at WHERE standing = 'none' AND voided_at IS NULL"],
  ['orders', 'UPDATE orders SET accepted_at = voided_at WHERE voided_at IS NOT NULL'],
  ['orders', "UPDATE orders SET owner = 'stranger'"],
  ['orders', "UPDATE orders SET owner = 'bob'"],
  ['orders', "UPDATE orders SET options = '[]'"],
  ['orders', "UPDATE orders SET options = 'options'"],
  ['orders', 'UPDATE orders SET options = replace(options, \'"decimals"\', \'"digits"\')'],
  ['orders', `UPDATE orders SET metadata = '{"a": 1}'`],
  ['orders', "UPDATE orders SET standing = 'lost'"],
  ['orders', 'UPDATE invoices SET order_id = NULL WHERE order_id IS NOT NULL'],
  ['orders', "UPDATE invoices SET reference = reference || '0' WHERE order_id IS NOT NULL"],
  ['orders', 'DELETE FROM invoices WHERE order_id IS NOT NULL'],
  ['orders', "UPDATE orders SET standing = 'none' WHERE is_leaning"],
  ['orders', 'UPDATE orders SET is_leaning = false'],
  ['orders', 'UPDATE orders SET is_leaning = true'],
  ['leaning_orders', 'UPDATE orders SET is_leaning = false'],
  ['leaning_orders', 'DELETE FROM leaning_orders WHERE wallet_id = (SELECT min(wallet_id) FROM leaning_orders)'],
  ['leaning_orders', "UPDATE leaning_orders SET currency = 'USDT'"],
  ['leaning_orders', "INSERT INTO leaning_orders SELECT 'wallet-8', 'USDT', id FROM orders WHERE NOT is_leaning"],
  ['invoices', 'DELETE FROM orders'],
  ['owner_events', 'DELETE FROM orders'],
  ['notes', 'UPDATE notes SET invoice_id = id'],
  ['notes', "UPDATE notes SET content = chr(27) || '[2J'"],
  ['rates', "UPDATE rates SET content = '{}'"],
  ['rates', `UPDATE rates SET content = replace(content, '"0.92"', '"1e5"')`],
  ['webhooks', "UPDATE webhooks SET callback_url = 'javascript:alert(1)'"],
  ['wallets', 'UPDATE wallets SET address_id = NULL WHERE address_id IS NOT NULL'],
  ['networks', "DELETE FROM networks WHERE id = 'SEP'"],
  ['addresses', "UPDATE addresses SET wallet_id = 'nobody' WHERE wallet_id IS NOT NULL"],
  ['deposits', 'UPDATE deposits SET address_id = -1'],
  ['api_keys', "UPDATE api_keys SET owner = 'stranger'"],
  ['webhooks', "DELETE FROM event_cursors WHERE owner = 'bob'"],
  ['webhooks', "UPDATE webhooks SET types = 'invoice.lost' WHERE owner = 'bob'"],
  ['event_cursors', "DELETE FROM webhooks WHERE owner = 'carol'"],
  ['event_cursors', 'UPDATE event_cursors SET until = after'],
  ['event_cursors', "UPDATE webhooks SET payload = 'specified' WHERE owner = 'bob'"],
  ['deliveries', 'UPDATE deliveries SET event_id = NULL WHERE event_id IS NOT NULL'],
  ['deliveries', "UPDATE deliveries SET status = 'pending' WHERE event_id IS NOT NULL"],
  ['deliveries', "DELETE FROM owner_events WHERE type = 'delivery.failed' AND data LIKE '%\"event\":%'"],
  ['event_heads', 'UPDATE event_heads SET last = 0'],
  ['owner_events', "DELETE FROM owner_events WHERE type = 'invoice.created'"],
]

test('a check finds nothing in sound data, and blames the table of what is damaged', async () => {
  assert.ok(server !== null)
  const place = memoryDirectory()
  try {
    const data = join(place.path, 'data')
    mkdirSync(data)
    await fillEveryTable(data)
    const sound = await createDatabase(server)
    await moved(data, sound)
    assert.deepEqual(await blamed(sound), [])
    const others: string[] = []
    const name = new URL(sound).pathname.slice(1)
    for (const [i, [table, statement]] of DAMAGES.entries()) {
      const copy = `${name}_${i}`
      await administer(server.url(), `CREATE DATABASE ${copy} TEMPLATE ${name}`)
      await administer(server.url(copy), statement)
      const tables = await blamed(server.url(copy))
      // They are in memory.
      await administer(server.url(), `DROP DATABASE ${copy}`)
      if (!tables.includes(table)) others.push(`${statement}: ${tables.join(', ') || 'nothing'} is blamed`)
    }
    assert.deepEqual(others, [])
  } finally {
    place.remove()
  }
})
