import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { examineDatabase } from '../../src/service/doctor/database.js'
import type { Finding } from '../../src/service/doctor/examination.js'
import { PostgresServer } from '../support/postgres-server.js'
import { postgresForTests } from '../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

function examine(store: string): Promise<readonly Finding[]> {
  return examineDatabase({ settings: { store, sandbox: false } } as Parameters<typeof examineDatabase>[0])
}

/** Without what differs from server to server. A busy machine may take long for a round trip, which is a warning. */
function tell(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ name, verdict, text }) => {
    const judged = /A round trip takes/.test(text) && verdict === 'warning' ? 'ok' : verdict
    const same = text.replace(/\d+\.\d+ ms/, 'some ms').replace(/version \d+[^ ]*?\.( |$)/, 'some version.$1')
    return `${judged} ${name}: ${same}`
  })
}

test('the doctor says how far away the database is, and what it could lose', async () => {
  assert.ok(server !== null)
  const shown = `postgres://127.0.0.1:${server.port}/postgres`
  assert.deepEqual(tell(await examine(server.url())), [
    `ok database: ${shown} is some version. A round trip takes some ms.`,
    'failed database: fsync is off, so it could lose what was answered.',
    'failed database: synchronous_commit is off, so it could lose what was answered.',
    'failed database: full_page_writes is off, so it could lose what was answered.',
    'warning replica: No commit waits for a replica.',
  ])
})

test('the doctor finds a durable database with a replica in order', async () => {
  const settings = { synchronous_standby_names: 'ANY 1 (db2, db3)' }
  const durable = await PostgresServer.start({ isDurable: true, settings })
  try {
    const shown = `postgres://127.0.0.1:${durable.port}/postgres`
    const [database, replica, ...others] = tell(await examine(durable.url()))
    assert.equal(database, `ok database: ${shown} is some version. A round trip takes some ms.`)
    assert.match(replica ?? '', /^ok replica: .*ANY 1 \(db2, db3\)/)
    assert.deepEqual(others, [])
  } finally {
    await durable.stop()
  }
})

test('the doctor says why a database cannot be used, without its password', async () => {
  const [finding, ...others] = await examine('postgres://billhook:secret@127.0.0.1:1/billhook')
  assert.deepEqual(others, [])
  assert.equal(finding?.verdict, 'failed')
  assert.match(finding?.text ?? '', /^postgres:\/\/127\.0\.0\.1:1\/billhook cannot be used: .*ECONNREFUSED/)
  assert.doesNotMatch(JSON.stringify(finding), /secret/)
})

always('the doctor has nothing to say of a database where the state is in the data directory', async () => {
  assert.deepEqual(await examine('lmdb'), [])
})
