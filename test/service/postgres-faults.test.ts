import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test as always } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { hashOf, pushEvents } from '../chaos/http-client.js'
import { makeCertificate } from '../support/certificates.js'
import { administer } from '../support/postgres-database.js'
import { createDatabase } from '../support/postgres-harness.js'
import { PostgresServer, type ServerOptions } from '../support/postgres-server.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { projectRoot } from '../support/project-root.js'
import { ServiceProcess } from '../support/service-process.js'
import { noSmallDisk, smallDisk } from '../support/small-disk.js'
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.js'

const run = promisify(execFile)
const WAIT_MS = 30_000
const ASK_AGAIN_MS = 20
const NOBODY = 65_534
const MIB = 1024 * 1024

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

/** A service and how it answers a write, a read and whether it is ready. */
interface Setting {
  readonly server: PostgresServer
  readonly url: string
  write(): Promise<number>
  read(): Promise<number>
  ready(): Promise<number>
  /** Wallets whose writes were answered with 200. */
  readonly written: ReadonlySet<string>
  wallets(): Promise<ReadonlySet<string>>
}

/** Runs with a service on a server of its own. */
async function withService(options: ServerOptions, scenario: (setting: Setting) => Promise<void>): Promise<void> {
  const server = await PostgresServer.start({ isDurable: true, ...options })
  const place = temporaryDirectory()
  let service: ServiceProcess | null = null
  try {
    const store = await createDatabase(server)
    service = await ServiceProcess.start(place.path, { BILLHOOK_STORE: store, BILLHOOK_LOG: 'fatal' })
    const { url } = service
    const written = new Set<string>()
    const statusOf = async (path: string) => {
      const answer = await fetch(`${url}${path}`)
      const body = await answer.text()
      if (answer.status === 503 && path !== '/readyz') assert.equal(JSON.parse(body).code, 'storage_unavailable')
      return answer.status
    }
    await scenario({
      server,
      url,
      written,
      async write() {
        const id = `wallet-${written.size}-${Math.random()}`
        const wallet = { id, address: hashOf(id).slice(0, 42), network: 'SEP' }
        const answer = await pushEvents(url, [
          { id: `created ${id}`, type: 'wallet.created', wallet },
          { id: `assigned ${id}`, type: 'wallet.assigned', wallet: { id }, owner: 'alice' },
        ])
        assert.ok(answer !== null)
        if (answer.status === 200) written.add(id)
        else assert.equal(answer.json.code, 'storage_unavailable')
        return answer.status
      },
      read: () => statusOf('/api/users/alice/wallets'),
      ready: () => statusOf('/readyz'),
      async wallets() {
        const answer = await fetch(`${url}/api/users/alice/wallets`)
        const listed = (await answer.json()) as readonly { id: string }[]
        assert.equal(answer.status, 200, JSON.stringify(listed))
        return new Set(listed.map(({ id }) => id))
      },
    })
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
  } finally {
    await service?.stop()
    await server.stop()
    place.remove()
  }
}

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + WAIT_MS
  while (!(await isSo())) {
    if (performance.now() > end) assert.fail(`not in time: ${what}`)
    await setTimeout(ASK_AGAIN_MS)
  }
}

test('on a server that became read-only writes are refused and reads go on, until it takes writes again', () =>
  withService({}, async ({ server, write, read, ready }) => {
    assert.equal(await write(), 200)
    await administer(server.url(), 'ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()')
    await until(async () => (await write()) === 503, 'writes are refused')
    assert.equal(await read(), 200)
    await until(async () => (await ready()) === 503, 'the service says that it is not ready')
    const lift = ['SET default_transaction_read_only = off', 'ALTER SYSTEM RESET default_transaction_read_only']
    await administer(server.url(), ...lift, 'SELECT pg_reload_conf()')
    await until(async () => (await write()) === 200, 'writes go on')
    await until(async () => (await ready()) === 200, 'the service is ready')
  }))

test('without a connection to spare requests are refused, and go on when there is one', () =>
  withService({ settings: { max_connections: '24' } }, async ({ server, write, read }) => {
    assert.equal(await write(), 200)
    const others: pg.Client[] = []
    const takeAll = async () => {
      for (;;) {
        const client = new pg.Client(server.url())
        client.on('error', () => {})
        try {
          await client.connect()
          others.push(client)
        } catch {
          return
        }
      }
    }
    await takeAll()
    const first = others[0]
    assert.ok(first !== undefined)
    for (let rounds = 0; (await read()) !== 503 || (await write()) !== 503; rounds += 1) {
      assert.ok(rounds < 100, 'the service keeps its connections')
      await first.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'billhook'")
      await takeAll()
    }
    for (const client of others) await client.end()
    await until(async () => (await write()) === 200 && (await read()) === 200, 'requests go on')
  }))

const disk = server === null || noSmallDisk !== false ? null : smallDisk(160 * MIB)
// Its server may run as another user.
if (disk !== null) chmodSync(dirname(disk.path), 0o711)

test('on a full disk writes are refused, and behind it everything is there that was answered', {
  skip: noSmallDisk,
}, async () => {
  assert.ok(disk !== null)
  const settings = { max_wal_size: '32MB', min_wal_size: '32MB', checkpoint_timeout: '30s' }
  await withService({ directory: disk, settings }, async ({ server, write, written, wallets }) => {
    for (let n = 0; n < 20; n += 1) assert.equal(await write(), 200)
    disk.fill(0)
    await until(async () => (await write()) === 503, 'writes are refused')
    disk.free()
    await until(async () => {
      // It ends when it cannot even write its log; whoever runs it starts it again.
      if (!server.isRunning) await server.launch().catch(() => {})
      return (await write()) === 200
    }, 'writes go on')
    const known = await wallets()
    for (const id of written) assert.ok(known.has(id), `${id} was answered and is lost`)
  })
})

/** A certificate authority for one server, and what clients make of it. */
function certificateIn(place: TemporaryDirectory, name: string) {
  const files = makeCertificate(place.path, name)
  const key = join(place.path, `${name}-server.key`)
  copyFileSync(files.key, key)
  chmodSync(key, 0o600)
  if (process.getuid?.() === 0) chownSync(key, NOBODY, NOBODY)
  chmodSync(place.path, 0o755)
  return { certificate: files.certificate, key }
}

test('the server is verified where the address asks for it, and another one is refused', async (t) => {
  const place = temporaryDirectory()
  const own = certificateIn(place, 'database')
  const other = certificateIn(place, 'other')
  const settings = { ssl: 'on', ssl_cert_file: own.certificate, ssl_key_file: own.key }
  const secured = await PostgresServer.start({ isDurable: true, settings }).catch((error: Error) => error)
  try {
    if (secured instanceof Error) {
      if (!/ssl|SSL/.test(secured.message)) throw secured
      t.skip('this PostgreSQL has no TLS')
      return
    }
    const address = (root: string) =>
      `${secured.url().replace('postgres@', 'postgres:secret-word@')}?sslmode=verify-full&sslrootcert=${root}`
    const data = temporaryDirectory()
    const service = await ServiceProcess.start(data.path, { BILLHOOK_STORE: address(own.certificate) }, ['--sandbox'])
    const sessions = await administer(
      secured.url(),
      "SELECT DISTINCT s.ssl FROM pg_stat_ssl AS s JOIN pg_stat_activity AS a USING (pid) WHERE a.application_name = 'billhook' AND a.pid <> pg_backend_pid() AND s.ssl",
    )
    assert.deepEqual(sessions, [{ ssl: true }])
    await service.stop()
    const refused = await run(
      process.execPath,
      ['dist/src/main.js', 'serve', '--sandbox', '--port', '0', '--data', data.path],
      { cwd: projectRoot, env: { PATH: process.env['PATH'], BILLHOOK_STORE: address(other.certificate) } },
    ).then(
      () => assert.fail('it started'),
      (error: { readonly stderr: string }) => error.stderr,
    )
    assert.match(
      refused,
      /billhook: the database postgres:\/\/127\.0\.0\.1:\d+\/postgres cannot be used: .*certificate/,
    )
    assert.ok(!refused.includes('secret-word'))
    data.remove()
  } finally {
    if (!(secured instanceof Error)) await secured.stop()
    place.remove()
  }
})
