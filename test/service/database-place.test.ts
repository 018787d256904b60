import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { administer } from '../support/postgres-database.js'
import { createDatabase } from '../support/postgres-harness.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { projectRoot } from '../support/project-root.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const run = promisify(execFile)
/** A command that begins in spite of what is wrong is ended. */
const BEGUN_MS = 30_000
const server = await postgresForTests({ isDurable: true })

let roles = 0

/** The address of a database of a role of its own, and the same as its administrator. */
async function ownDatabase(): Promise<{
  readonly store: string
  readonly administrator: string
  readonly role: string
}> {
  assert.ok(server !== null)
  const administrator = await createDatabase(server)
  roles += 1
  const role = `shop_${roles}`
  await administer(administrator, `CREATE ROLE ${role} LOGIN`)
  return { store: administrator.replace('postgres@', `${role}@`), administrator, role }
}

/** What a command that cannot begin says. */
async function refusalOf(store: string, ...command: readonly string[]): Promise<string> {
  const data = temporaryDirectory()
  try {
    return await run(process.execPath, ['dist/src/main.js', ...command, '--data', data.path], {
      cwd: projectRoot,
      env: { PATH: process.env['PATH'], BILLHOOK_STORE: store, BILLHOOK_LOG: 'warn' },
      timeout: BEGUN_MS,
    }).then(
      () => assert.fail('it began'),
      (error: { readonly stderr: string }) => error.stderr,
    )
  } finally {
    data.remove()
  }
}

const SERVE = ['serve', '--port', '0'] as const

async function serveOnce(store: string): Promise<void> {
  const data = temporaryDirectory()
  const service = await ServiceProcess.start(data.path, { BILLHOOK_STORE: store })
  await service.stop()
  data.remove()
}

describe('the place of the tables', { skip: server === null, concurrency: true }, () => {
  test('a search_path without any schema ends the start with one line that names it', async () => {
    const { store, administrator, role } = await ownDatabase()
    await administer(administrator, `ALTER ROLE ${role} SET search_path = 'nowhere'`)
    const refused = await refusalOf(store, ...SERVE)
    assert.match(
      refused,
      /^billhook: search_path \(nowhere\) names no schema .*ALTER ROLE … IN DATABASE … SET search_path = 'public'.*\n$/,
    )
  })

  test('a search_path that leads away from the tables makes no empty ones, and no command takes the database for empty', async () => {
    const { store, administrator, role } = await ownDatabase()
    await administer(
      administrator,
      `CREATE SCHEMA books AUTHORIZATION ${role}`,
      `ALTER ROLE ${role} SET search_path = 'books'`,
    )
    await serveOnce(store)
    await administer(administrator, `CREATE SCHEMA ${role} AUTHORIZATION ${role}`)
    const refused: readonly [path: string, ...commands: (readonly string[])[]][] = [
      [`"$user", books`, SERVE, ['check'], ['keys', 'list']],
      ['nowhere', SERVE],
    ]
    for (const [path, ...commands] of refused) {
      await administer(administrator, `ALTER ROLE ${role} SET search_path = ${path}`)
      for (const command of commands) {
        assert.match(
          await refusalOf(store, ...command),
          /^billhook: the tables are in the schema books, which search_path \(.*\) does not name first: .*\n$/,
        )
      }
    }
    const made = await administer(administrator, "SELECT schemaname FROM pg_tables WHERE tablename = 'billhook'")
    assert.deepEqual(made, [{ schemaname: 'books' }])
    await administer(administrator, `ALTER ROLE ${role} SET search_path = 'books'`)
    await serveOnce(store)
  })

  test('another role has tables of its own in the same database', async () => {
    const { store, administrator, role } = await ownDatabase()
    await serveOnce(administrator)
    await administer(administrator, `CREATE SCHEMA ${role} AUTHORIZATION ${role}`)
    await serveOnce(store)
    const made = await administer(
      administrator,
      "SELECT schemaname FROM pg_tables WHERE tablename = 'billhook' ORDER BY 1",
    )
    assert.deepEqual(made, [{ schemaname: 'public' }, { schemaname: role }])
  })

  test('a role that may make no tables ends the start with one line', async () => {
    const { store, administrator } = await ownDatabase()
    await administer(administrator, 'REVOKE CREATE ON SCHEMA public FROM PUBLIC')
    const refused = await refusalOf(store, ...SERVE)
    assert.match(refused, /^billhook: the database \S+ cannot be used: permission denied for schema public\n$/)
  })
})
