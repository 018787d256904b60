import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FateUnknown, isRetried, isUnavailable } from '../../../../src/store/postgres/connection/errors.js'
import { StorageUnavailable } from '../../../../src/store/refusals.js'

/** What becomes of a unit of work that a statement of it ended with an error. */
type Meaning = 'retried' | 'unavailable' | 'a fault'

/** Names as in appendix A of PostgreSQL's documentation. */
const CODES: readonly (readonly [code: string, name: string, meaning: Meaning])[] = [
  ['40001', 'serialization_failure', 'retried'],
  ['40P01', 'deadlock_detected', 'retried'],
  ['23505', 'unique_violation', 'retried'],
  // Of processes that make the tables at once, one is told this, though it said IF NOT EXISTS.
  ['42P07', 'duplicate_table', 'retried'],
  ['42710', 'duplicate_object', 'retried'],
  ['08000', 'connection_exception', 'unavailable'],
  ['08006', 'connection_failure', 'unavailable'],
  ['08P01', 'protocol_violation', 'unavailable'],
  ['25006', 'read_only_sql_transaction', 'unavailable'],
  ['25P03', 'idle_in_transaction_session_timeout', 'unavailable'],
  ['42P01', 'undefined_table', 'unavailable'],
  ['26000', 'invalid_sql_statement_name', 'unavailable'],
  ['42P05', 'duplicate_prepared_statement', 'unavailable'],
  ['55P03', 'lock_not_available', 'unavailable'],
  ['53000', 'insufficient_resources', 'unavailable'],
  ['53100', 'disk_full', 'unavailable'],
  ['53200', 'out_of_memory', 'unavailable'],
  ['53300', 'too_many_connections', 'unavailable'],
  ['57014', 'query_canceled', 'unavailable'],
  ['57P01', 'admin_shutdown', 'unavailable'],
  ['57P02', 'crash_shutdown', 'unavailable'],
  ['57P03', 'cannot_connect_now', 'unavailable'],
  ['58030', 'io_error', 'unavailable'],
  ['22P02', 'invalid_text_representation', 'a fault'],
  ['22021', 'character_not_in_repertoire', 'a fault'],
  ['23502', 'not_null_violation', 'a fault'],
  ['25P02', 'in_failed_sql_transaction', 'a fault'],
  ['42601', 'syntax_error', 'a fault'],
  ['42703', 'undefined_column', 'a fault'],
  ['54000', 'program_limit_exceeded', 'a fault'],
  ['XX000', 'internal_error', 'a fault'],
]

function meaningOf(error: unknown): readonly Meaning[] {
  const meanings: Meaning[] = []
  if (isRetried(error)) meanings.push('retried')
  if (isUnavailable(error)) meanings.push('unavailable')
  return meanings.length === 0 ? ['a fault'] : meanings
}

for (const [code, name, meaning] of CODES) {
  test(`${code} (${name}) means: ${meaning}`, () => {
    assert.deepEqual(meaningOf(Object.assign(new Error(name), { code })), [meaning])
  })
}

/** What is no error of the database. */
const OTHERS: readonly unknown[] = [
  new Error('no code'),
  Object.assign(new Error('a number'), { code: 40001 }),
  Object.assign(new Error('of the system'), { code: 'ECONNREFUSED' }),
  { code: '40001' },
  '40001',
  null,
  undefined,
]

for (const [i, other] of OTHERS.entries()) {
  test(`what has no SQLSTATE says nothing about the database (${i})`, () => {
    assert.deepEqual(meaningOf(other), ['a fault'])
  })
}

test('a write of unknown fate is told as a store that is not available, with its cause', () => {
  const cause = new Error('the connection was lost')
  const error = new FateUnknown(cause)
  assert.ok(error instanceof StorageUnavailable)
  assert.equal(error.name, 'StorageUnavailable')
  assert.equal(error.cause, cause)
})
