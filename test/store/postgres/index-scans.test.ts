import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import pg from 'pg'
import type { WalletCommand } from '../../../src/store/commands.js'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.js'
import { addressOf, depositFact, invoiceRequest, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { createDatabase, postgresStoreOptions } from '../../support/postgres-harness.js'
import { postgresForTests } from '../../support/postgres-tests.js'

/*
 * What a creation and a deposit read does not grow with what is stored: every look-up of theirs has an index, and begins where it is to
 * begin in it. The database counts the rows that it reads otherwise.
 */

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const WALLETS = 8
/** Rounds of one invoice and one deposit for each wallet. */
const ROUNDS = 12
/** Sums that an invoice and a deposit of it read at most: of each of eight sizes those behind the invoice, and the one that is written. */
const SUMS_READ_MAX = 32
/** Tables that grow with every invoice or deposit. */
const GROWING = ['deposits', 'invoices', 'open_places', 'paid_places', 'received_spans', 'owner_events', 'deliveries']
const names = Array.from({ length: WALLETS }, (_, n) => `wallet-${n}`)

async function withStore(url: string, commands: readonly (readonly WalletCommand[])[]): Promise<void> {
  const store = await openPostgresStore(postgresStoreOptions(url))
  try {
    for (const id of names) {
      await store.ledger.applyFacts(
        [walletCreated(id), walletAssigned(id, 'alice')].map((fact) => ({ eventId: null, fact })),
      )
    }
    for (const batch of commands) {
      for (const fate of await store.commands.perform(batch)) {
        assert.equal(fate.status, 'fulfilled')
        if (fate.value.type === 'invoice') assert.ok(fate.value.outcome.ok)
        if (fate.value.type === 'deposit') assert.equal(fate.value.outcome.status, 'applied')
      }
    }
  } finally {
    // What a session has counted is known at the latest when it ends.
    await store.close()
  }
}

function invoices(round: number): readonly WalletCommand[] {
  return names.map((id) => ({
    type: 'invoice',
    request: invoiceRequest({ walletIds: [id], amount: `${100 + round}`, expiresInSeconds: 3600 }),
  }))
}

/** Each pays the invoice of its round but for the last ones, which stay open. */
function deposits(round: number): readonly WalletCommand[] {
  return names.map((id) => ({
    type: 'deposit',
    eventId: null,
    fact: depositFact('confirmed', {
      txHash: `${id}-${round}`,
      toAddress: addressOf(id),
      amount: `${100 + round}`,
      receivedAt: Date.now() + 1,
    }),
  }))
}

test('a creation and a deposit read no table from its beginning, no expiry that is not due, and no sums of before', async () => {
  if (server === null) throw new Error('a skipped test asks for its server')
  const url = await createDatabase(server)
  const rounds = Array.from({ length: ROUNDS }, (_, round) => [invoices(round), round % 3 === 0 ? [] : deposits(round)])
  await withStore(url, rounds.flat())
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query('SELECT pg_stat_reset()')
    await withStore(url, [invoices(ROUNDS), deposits(ROUNDS)])
    const tables = await client.query<{ relname: string; rows: number }>(
      'SELECT relname, seq_tup_read::int AS rows FROM pg_stat_user_tables WHERE relname = ANY($1) AND seq_tup_read > 0',
      [GROWING],
    )
    assert.deepEqual(tables.rows, [])
    const index = await client.query<{ rows: number }>(
      "SELECT idx_tup_read::int AS rows FROM pg_stat_user_indexes WHERE indexrelname = 'invoices_expiring'",
    )
    assert.deepEqual(index.rows, [{ rows: 0 }])
    const sums = await client.query<{ rows: number }>(
      "SELECT idx_tup_read::int AS rows FROM pg_stat_user_indexes WHERE indexrelname = 'received_spans_pkey'",
    )
    const read = sums.rows[0]?.rows ?? 0
    assert.ok(read > 0 && read <= WALLETS * SUMS_READ_MAX, `${read} rows of sums were read`)
  } finally {
    await client.end()
  }
})

test('a creation meets only the open invoices that ask its amount, whatever else is open on its wallets', async () => {
  if (server === null) throw new Error('a skipped test asks for its server')
  const url = await createDatabase(server)
  // The first statement is planned while nothing is stored.
  await withStore(
    url,
    Array.from({ length: ROUNDS }, (_, round) => invoices(round)),
  )
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query('SELECT pg_stat_reset()')
    await withStore(url, [invoices(ROUNDS)])
    const index = await client.query<{ rows: number }>(
      "SELECT idx_tup_read::int AS rows FROM pg_stat_user_indexes WHERE indexrelname = 'open_places_amount'",
    )
    assert.deepEqual(index.rows, [{ rows: 0 }])
  } finally {
    await client.end()
  }
})
