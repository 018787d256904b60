import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { SESSION_SETTINGS } from '../../src/store/postgres/connection/session.js'
import { endChild, untilLine } from '../support/child-process.js'
import { administer } from '../support/postgres-database.js'
import { createDatabase } from '../support/postgres-harness.js'
import type { PostgresServer } from '../support/postgres-server.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { noWalkThrough, walkThrough } from '../support/walk-through.js'

const run = promisify(execFile)
/** A command that begins in spite of what is wrong is ended. */
const BEGUN_MS = 30_000
/** It refuses to run as root. */
const NOBODY = 65_534
/** Sessions of the server for all sessions of all services: fewer than one service opens. */
const POOL_SIZE = 4

const server = await postgresForTests({ isDurable: true })
const skip = server === null || missingPrograms('pgbouncer') || noWalkThrough

/** Starts a pgbouncer that lends a session of the server for each transaction. */
async function startPooler(
  target: PostgresServer,
  directory: string,
  setting = '',
): Promise<{ child: ChildProcess; port: number }> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  const settings = join(directory, 'pgbouncer.ini')
  writeFileSync(
    settings,
    `[databases]
* = host=127.0.0.1 port=${target.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = transaction
default_pool_size = ${POOL_SIZE}
max_client_conn = 100
${setting}
`,
  )
  chmodSync(directory, 0o755)
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const child = spawn('pgbouncer', [settings], { stdio: ['ignore', 'ignore', 'pipe'], ...asNobody })
  await untilLine(child, (line) => line.includes('process up') || undefined)
  return { child, port }
}

test('two services behind a pooler of transactions come through the walk-through at once', {
  skip,
  timeout: 120_000,
}, async () => {
  assert.ok(server !== null)
  const direct = await createDatabase(server)
  for (const [name, value] of Object.entries(SESSION_SETTINGS)) {
    await administer(direct, `ALTER ROLE postgres SET ${name} = '${value}'`)
  }
  const place = temporaryDirectory()
  const { child, port } = await startPooler(server, place.path)
  const store = `postgres://postgres@127.0.0.1:${port}/${direct.split('/').at(-1)}?pooler=transaction`
  const directories = [temporaryDirectory(), temporaryDirectory()]
  const services: ServiceProcess[] = []
  try {
    for (const { path } of directories) {
      services.push(await ServiceProcess.start(path, { BILLHOOK_STORE: store }, ['--sandbox']))
    }
    await Promise.all(services.map(({ url }) => walkThrough(url)))
  } finally {
    for (const service of services) await service.stop()
    for (const directory of directories) directory.remove()
    await endChild(child, 'SIGINT')
    await administer(direct, 'ALTER ROLE postgres RESET ALL')
    place.remove()
  }
})

const SERVE = ['serve', '--port', '0']
const UNNAMED: Readonly<
  Record<string, { readonly setting?: string; readonly commands: readonly (readonly string[])[] }>
> = {
  'a pooler of transactions that the address does not name ends the start of any command with one line': {
    commands: [SERVE, ['keys', 'list'], ['migrate', '--from', 'lmdb:DATA', '--to', 'postgres:']],
  },
  'a pooler of transactions that lends its sessions in turn is noticed, too': {
    setting: 'server_round_robin = 1',
    commands: [SERVE],
  },
}

for (const [name, { setting, commands }] of Object.entries(UNNAMED)) {
  test(name, { skip }, async () => {
    assert.ok(server !== null)
    const direct = await createDatabase(server)
    const place = temporaryDirectory()
    const data = temporaryDirectory()
    // Something to move.
    await (await ServiceProcess.start(data.path)).stop()
    const { child, port } = await startPooler(server, place.path, setting)
    const store = `postgres://postgres@127.0.0.1:${port}/${direct.split('/').at(-1)}`
    try {
      const refusalOf = (address: string, command: readonly string[]) => {
        const words = command.map((word) => word.replace('DATA', data.path))
        return run(process.execPath, ['dist/src/main.js', ...words], {
          cwd: projectRoot,
          env: { PATH: process.env['PATH'], BILLHOOK_STORE: address, BILLHOOK_DATA: data.path, BILLHOOK_LOG: 'warn' },
          timeout: BEGUN_MS,
        }).then(
          () => assert.fail('it began'),
          (error: { readonly stderr: string }) => error.stderr,
        )
      }
      for (const command of commands) {
        assert.match(
          await refusalOf(store, command),
          /^billhook: a pooler .* lends a session for each transaction: add pooler=transaction .*\n$/,
        )
      }
      // The sessions of the pooler still have what those commands have set. They began without.
      assert.match(
        await refusalOf(`${store}?pooler=transaction`, SERVE),
        /^billhook: behind a pooler the settings are the role's, and \w+ is \w+: ALTER ROLE .* RECONNECT the pooler.*\n$/,
      )
    } finally {
      await endChild(child, 'SIGINT')
      place.remove()
      data.remove()
    }
  })
}

test('the walk-through comes out as it should against each of two services on one database', {
  skip: server === null || noWalkThrough,
  timeout: 120_000,
}, async () => {
  assert.ok(server !== null)
  const store = { BILLHOOK_STORE: await createDatabase(server) }
  const directories = [temporaryDirectory(), temporaryDirectory()]
  const services: ServiceProcess[] = []
  try {
    for (const { path } of directories) services.push(await ServiceProcess.start(path, store, ['--sandbox']))
    // Each time it finds only its own wallets and invoices.
    for (const { url } of services) await walkThrough(url)
  } finally {
    for (const service of services) await service.stop()
    for (const directory of directories) directory.remove()
  }
})
