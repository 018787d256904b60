import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { SESSION_SETTINGS } from '../../src/store/postgres/connection/session.js'
import { administer } from '../support/postgres-database.js'
import { createDatabase } from '../support/postgres-harness.js'
import type { PostgresServer } from '../support/postgres-server.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { projectRoot } from '../support/project-root.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const run = promisify(execFile)
const WAIT_MS = 10_000
/** It refuses to run as root. */
const NOBODY = 65_534
/** Sessions of the server for all sessions of all services: fewer than one service opens. */
const POOL_SIZE = 4

const server = await postgresForTests({ isDurable: true })
const hasPooler = spawnSync('pgbouncer', ['--version']).status === 0
const skip = server === null || (!hasPooler && 'pgbouncer is not installed')

/** Starts a pgbouncer that lends a session of the server for each transaction. */
async function startPooler(target: PostgresServer, directory: string): Promise<{ child: ChildProcess; port: number }> {
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
`,
  )
  chmodSync(directory, 0o755)
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const child = spawn('pgbouncer', [settings], { stdio: ['ignore', 'ignore', 'pipe'], ...asNobody })
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  for (const end = performance.now() + WAIT_MS; !said.includes('process up'); ) {
    assert.ok(performance.now() < end && child.exitCode === null, `pgbouncer was not ready: ${said}`)
    await setTimeout(20)
  }
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
    const walks = await Promise.all(
      services.map(({ url }) =>
        run('bash', [join(projectRoot, 'examples/quickstart.sh')], { env: { ...process.env, BASE_URL: url } }),
      ),
    )
    for (const { stdout } of walks) assert.match(stdout, /Everything was as expected\.\n$/)
  } finally {
    for (const service of services) await service.stop()
    for (const directory of directories) directory.remove()
    child.kill('SIGINT')
    await once(child, 'exit')
    place.remove()
  }
})
