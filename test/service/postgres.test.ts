import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test as always } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createDatabase } from '../support/postgres-harness.js'
import type { PostgresServer } from '../support/postgres-server.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { projectRoot } from '../support/project-root.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const run = promisify(execFile)
const SANDBOX = ['--sandbox']
const WAIT_MS = 20_000
const ASK_AGAIN_MS = 20

const server = await postgresForTests({ isDurable: true })

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

interface Setting {
  readonly server: PostgresServer
  /** The address of the database. */
  readonly store: string
  /** Starts a service with a data directory of its own. It may wait for another one. */
  start(flags?: readonly string[]): { readonly ready: Promise<ServiceProcess>; readonly data: string }
}

async function onDatabase(scenario: (setting: Setting) => Promise<void>): Promise<void> {
  assert.ok(server !== null)
  const store = await createDatabase(server)
  const started: { readonly ready: Promise<ServiceProcess>; readonly remove: () => void }[] = []
  try {
    await scenario({
      server,
      store,
      start(flags = SANDBOX) {
        const directory = temporaryDirectory()
        const ready = ServiceProcess.start(directory.path, { BILLHOOK_STORE: store }, flags)
        ready.catch(() => {})
        started.push({ ready, remove: () => directory.remove() })
        return { ready, data: directory.path }
      },
    })
  } finally {
    for (const { ready, remove } of started) {
      await ready.then((service) => service.stop()).catch(() => {})
      remove()
    }
  }
}

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + WAIT_MS
  while (!(await isSo())) {
    if (performance.now() > end) assert.fail(`not in time: ${what}`)
    await setTimeout(ASK_AGAIN_MS)
  }
}

test('the walk-through against a service on PostgreSQL comes out as it should', () =>
  onDatabase(async ({ start }) => {
    const service = await start().ready
    const { stdout } = await run('bash', [join(projectRoot, 'examples/quickstart.sh')], {
      env: { ...process.env, BASE_URL: service.url },
    })
    assert.match(stdout, /Everything was as expected\.\n$/)
  }))

test('a second service waits, and takes over what was stored when the first one is killed or stopped', () =>
  onDatabase(async ({ start }) => {
    const first = await start().ready
    const { url } = first
    const kept = (await (await fetch(`${url}/api/wallets/claim/niles/trx`)).json()) as { id: string }
    let isServing = false
    const second = start().ready.then((service) => {
      isServing = true
      return service
    })
    await setTimeout(1000)
    assert.equal(isServing, false)
    await first.end('SIGKILL')
    const next = await second
    // The one that was claimed before is leased still.
    const other = (await (await fetch(`${next.url}/api/wallets/claim/niles/trx`)).json()) as { id: string }
    assert.notEqual(other.id, kept.id)
    const third = start().ready
    assert.deepEqual(await next.end('SIGTERM'), { code: 0, signal: null })
    await (await third).stop()
  }))

test('a service that waits ends with 0 when it is told to', () =>
  onDatabase(async ({ store, start }) => {
    await start().ready
    const directory = temporaryDirectory()
    const waiting = execFile(
      process.execPath,
      [join(projectRoot, 'dist/src/main.js'), 'serve', '--port', '0', '--data', directory.path, ...SANDBOX],
      { env: { PATH: process.env['PATH'], BILLHOOK_STORE: store } },
    )
    try {
      let said = ''
      waiting.stderr?.on('data', (chunk: string) => (said += chunk))
      await until(async () => said.includes('waiting until it ends'), 'the line about waiting')
      waiting.kill('SIGTERM')
      const [code] = await once(waiting, 'exit')
      assert.equal(code, 0)
    } finally {
      waiting.kill('SIGKILL')
      directory.remove()
    }
  }))

test('while the database is away requests are refused, and when it is back the same service goes on', () =>
  onDatabase(async ({ server, start }) => {
    const service = await start().ready
    const read = async () => {
      const answer = await fetch(`${service.url}/api/wallets/claim/niles/trx`)
      await answer.text()
      return answer.status
    }
    assert.equal(await read(), 200)
    await server.kill()
    try {
      assert.equal(await read(), 503)
      const page = await fetch(`${service.url}/pay/${'0'.repeat(32)}`)
      await page.text()
      assert.equal(page.status, 503)
    } finally {
      await server.launch()
    }
    await until(async () => (await read()) === 200, 'the service goes on')
  }))

test('commands work on a database beside which no service runs, a sandbox too, and make none of an empty one', () =>
  onDatabase(async ({ store, start }) => {
    const directory = temporaryDirectory()
    const command = (...args: readonly string[]) =>
      run(process.execPath, ['dist/src/main.js', ...args, '--data', directory.path], {
        cwd: projectRoot,
        env: { PATH: process.env['PATH'], BILLHOOK_STORE: store },
      })
    try {
      await assert.rejects(command('status'), /billhook: the database holds no data/)
      await (await start().ready).stop()
      const { stdout } = await command('export', 'wallets')
      assert.equal(stdout.trim().split('\n').length, 200)
    } finally {
      directory.remove()
    }
  }))

test('a sandbox and a real service do not share a database, and nobody serves without one', () =>
  onDatabase(async ({ store, start }) => {
    await (await start().ready).stop()
    const refusal = async (address: string, ...flags: string[]) => {
      const directory = temporaryDirectory()
      try {
        const args = ['dist/src/main.js', 'serve', '--port', '0', '--data', directory.path, ...flags]
        await run(process.execPath, args, {
          cwd: projectRoot,
          env: { PATH: process.env['PATH'], BILLHOOK_STORE: address },
        })
        return assert.fail('it started')
      } catch (error) {
        return (error as { stderr: string }).stderr.split('\n').find((line) => line.startsWith('billhook: ')) ?? ''
      } finally {
        directory.remove()
      }
    }
    assert.match(await refusal(store), /^billhook: the database belongs to a sandbox/)
    const nobody = 'postgres://user:secret-word@127.0.0.1:1/none'
    const told = await refusal(nobody, '--sandbox')
    assert.match(told, /^billhook: the database postgres:\/\/127\.0\.0\.1:1\/none cannot be used: .*ECONNREFUSED/)
    assert.ok(!told.includes('secret-word'))
  }))
