import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SCHEMA_VERSION } from '../../../src/store/lmdb/file/schema.js'
import { openEnvironment, openTables } from '../../../src/store/lmdb/tables/tables.js'
import { projectRoot } from '../../support/project-root.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

/** What version 19 of the data is made of: the tables, and the version of the records in them. */
const VERSION = 19
const TABLES = [
  ...['active-api-keys', 'addresses', 'api-key-ids', 'api-keys', 'attempted-deliveries', 'block-deposits', 'blocks'],
  ...['audit', 'blocks-aside', 'deposits-aside'],
  ...[
    'chains',
    'confirmed-totals',
    'currencies',
    'deliveries',
    'deposit-numbers',
    'deposits',
    'event-cursors',
    'event-times',
    'events',
    'expiries',
    'free-wallets',
  ],
  ...[
    'idempotency-expiries',
    'idempotency-keys',
    'identities',
    'identity-keys',
    'imported-invoices',
    'invoices',
    'leaning-orders',
    'ledger-dates',
    'ledger-set-aside',
  ],
  ...[
    'ledger-taken',
    'invoice-notes',
    'matches',
    'meta',
    'networks',
    'notes',
    'numbered-orders',
    'open-amounts',
    'open-invoices',
    'open-sets',
    'order-expiries',
    'order-fields',
    'order-numbers',
    'orders',
    'owner-api-keys',
    'owner-deliveries',
  ],
  ...[
    'owner-events',
    'owner-invoices',
    'owner-orders',
    'owner-wallets',
    'paid-amounts',
    'paid-invoices',
    'payee-numbers',
    'payees',
  ],
  ...[
    'queued-deliveries',
    'received-deposits',
    'references',
    'seen-totals',
    'signed-creations',
    'unmatched-invoices',
    'unsettled-wallets',
  ],
  ...['invoice-deposits', 'unmatched-confirmed-totals', 'unmatched-seen-totals', 'void-invoices'],
  ...['waiting-deliveries', 'wallets', 'watches', 'webhooks', 'withdrawn-wallets'],
]
const RECORDS = [
  ...[
    'addresses 1',
    'api-keys 1',
    'audit 1',
    'blocks 1',
    'blocks-aside 1',
    'deliveries 2',
    'deposits-aside 1',
    'deposits 2',
    'event-cursors 1',
    'identities 1',
    'identity-keys 1',
    'invoices 5',
    'meta/birth 1',
  ],
  ...['ledger-set-aside 1', 'meta/ledger-cursor 1', 'meta/ledger-progress 1', 'meta/migration 1', 'meta/move 1'],
  ...[
    'meta/rates 1',
    'meta/sequences 1',
    'networks 2',
    'notes 1',
    'order-fields 1',
    'orders 2',
    'owner-events 1',
    'owner-events 1',
    'owner-events 2',
    'owner-events 2',
    'payees 1',
    'wallets 1',
    'watches 1',
    'webhooks 3',
    'withdrawn-wallets 1',
  ],
]

/** A record's name and version where its codec is made. */
const CODEC = /recordCodec<[^(]*>\(\s*'([^']+)',\s*(\d+),/g

test('tables and records change only together with the version of the data, so that older programs refuse it', async () => {
  const folder = join(projectRoot, 'src/store/lmdb')
  const records = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(CODEC)])
    .map(([, name, version]) => `${name} ${version}`)
  const place = temporaryDirectory()
  const root = openEnvironment(place.path)
  try {
    openTables(root)
    const tables = [...root.getKeys()].map((key) => key.toString().replace(/\0$/, ''))
    // When this fails, raise the version, add a migration (`file/migration.ts`), and write down the new layout here.
    assert.deepEqual(
      { version: SCHEMA_VERSION, tables: tables.sort(), records: records.sort() },
      { version: VERSION, tables: [...TABLES].sort(), records: [...RECORDS].sort() },
    )
  } finally {
    await root.close()
    place.remove()
  }
})
