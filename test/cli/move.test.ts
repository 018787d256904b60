import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test as always } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { Acknowledged } from '../chaos/acknowledged.js'
import { assertDelivered, assertKept, LATEST } from '../chaos/crash-checks.js'
import { CrashLoad } from '../chaos/crash-load.js'
import { Random } from '../simulation/random.js'
import { administer, openDatabase } from '../support/postgres-database.js'
import { createDatabase } from '../support/postgres-harness.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { projectRoot } from '../support/project-root.js'
import { openReceiver } from '../support/receiver.js'
import { ServiceProcess } from '../support/service-process.js'
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.js'
import type { Ended } from './child.js'
import { runInProcess } from './in-process.js'

const run = promisify(execFile)
const SEED = 7
const STEPS = 400
const LEASE_SECONDS = '86400'
const EXPORTED = ['identities', 'wallets', 'invoices', 'deposits', 'keys', 'events']
/** Tables at which a move is killed, in the order in which it fills them. */
const KILLED_AT = ['invoices', 'deposits', 'deliveries', 'owner_events']
const LOOK_MS = 20

const server = await postgresForTests({ isDurable: true })

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

/** In this process, where nothing has to be killed. Rejects with what it said when it fails. */
async function billhook(store: string | null, ...args: readonly string[]): Promise<Ended> {
  const environment = store === null ? {} : { BILLHOOK_STORE: store }
  const ended = await runInProcess(args, { cwd: projectRoot, environment })
  if (ended.code !== 0) throw Object.assign(new Error(ended.stderr), { stderr: ended.stderr })
  return ended
}

async function refusalOf(command: Promise<unknown>): Promise<string> {
  return command.then(
    () => assert.fail('it was not refused'),
    (error: { readonly stderr: string }) => error.stderr,
  )
}

function serve(store: string, data: string) {
  return run(process.execPath, ['dist/src/main.js', 'serve', '--port', '0', '--data', data], {
    cwd: projectRoot,
    env: { PATH: process.env['PATH'], BILLHOOK_STORE: store },
  })
}

async function exportsOf(store: string | null, data: string): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {}
  for (const kind of EXPORTED) {
    const { stdout } = await billhook(store, 'export', kind, '--data', data)
    texts[kind] = stdout.split('\n').sort().join('\n')
  }
  return texts
}

/** A shop with a past: its services say the same wherever its data is. */
class Shop {
  readonly acknowledged = new Acknowledged()
  readonly received = new Map<string, number>()
  private readonly random = new Random(SEED)

  private constructor(
    private readonly load: CrashLoad,
    readonly close: () => Promise<void>,
  ) {}

  static async open(): Promise<Shop> {
    const received = new Map<string, number>()
    const receiver = await openReceiver(({ body }, response) => {
      const { txHash, status } = JSON.parse(body.toString())
      received.set(`${txHash} ${status}`, (received.get(`${txHash} ${status}`) ?? 0) + 1)
      response.end()
    })
    const acknowledged = new Acknowledged()
    const load = new CrashLoad(acknowledged, new Random(SEED), receiver.url)
    const shop = new Shop(load, () => receiver.close())
    return Object.assign(shop, { acknowledged, received })
  }

  async serve<T>(
    data: string,
    environment: Readonly<Record<string, string>>,
    use: (url: string) => Promise<T>,
  ): Promise<T> {
    const service = await ServiceProcess.start(data, { BILLHOOK_WALLET_LEASE_SECONDS: LEASE_SECONDS, ...environment })
    try {
      return await use(service.url)
    } finally {
      assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
    }
  }

  async live(url: string, isNew: boolean): Promise<void> {
    if (isNew) await this.load.setUp(url)
    for (let step = 0; step < STEPS; step += 1) assert.ok(await this.load.step(url, this.random.below(3)))
  }

  async assertGoesOn(url: string): Promise<void> {
    await assertKept(url, this.acknowledged)
    for (const creation of this.acknowledged.idempotent.slice(-LATEST)) assert.ok(await this.load.repeat(url, creation))
    await this.live(url, false)
    for (const [name, times] of this.received) assert.equal(times, 1, `${name} was delivered ${times} times`)
    await assertDelivered(url, this.acknowledged, this.received)
  }
}

test('a shop moves to a database and back, killed again and again on the way, and nothing is lost or done twice', {
  timeout: 240_000,
}, async () => {
  assert.ok(server !== null)
  const shop = await Shop.open()
  const places: TemporaryDirectory[] = []
  const directory = () => {
    const place = temporaryDirectory()
    places.push(place)
    return place.path
  }
  try {
    const [first, second, aside] = [directory(), join(directory(), 'new'), directory()]
    const store = await createDatabase(server)
    await shop.serve(first, {}, (url) => shop.live(url, true))
    const before = await exportsOf(null, first)

    await (await openDatabase(store)).close()
    let earlier = 0
    for (const table of KILLED_AT) {
      const done = await killedAt(table, store, () => spawnMove(store, `lmdb:${first}`, 'postgres:'))
      assert.ok(done > earlier, `the move that was killed at ${table} had moved ${done} records`)
      earlier = done
      const refused = await refusalOf(serve(store, aside))
      assert.match(refused, /billhook: the database has only a part of what is being moved there from lmdb:/)
    }
    const moved = await billhook(store, 'migrate', '--from', `lmdb:${first}`, '--to', 'postgres:')
    assert.match(moved.stdout, /^\d+ records were moved, and are the same in both stores/)
    assert.deepEqual(await exportsOf(store, aside), before)
    const sound = await billhook(store, 'check', '--data', aside)
    assert.match(sound.stdout, /rows were checked: nothing is wrong\./)
    await shop.serve(aside, { BILLHOOK_STORE: store }, (url) => shop.assertGoesOn(url))

    const later = await exportsOf(store, aside)
    const back = await billhook(store, 'migrate', '--from', 'postgres:', '--to', `lmdb:${second}`)
    assert.match(back.stdout, /^\d+ records were moved, and are the same in both stores/)
    assert.deepEqual(await exportsOf(null, second), later)
    await shop.serve(second, {}, (url) => shop.assertGoesOn(url))
    assert.match((await billhook(null, 'check', '--data', second)).stdout, /nothing is wrong/)
  } finally {
    await shop.close()
    for (const place of places) place.remove()
  }
})

/**
 * Kills a move that waits for a table which it is to fill, with what it has sent to the database. Answers how many records are there by
 * then, or fails when the move comes to its end.
 */
async function killedAt(table: string, store: string, start: () => ChildProcess): Promise<number> {
  const client = new pg.Client({ connectionString: store })
  await client.connect()
  try {
    await client.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`)
    const child = start()
    const waiting = `SELECT pid FROM pg_locks WHERE NOT granted AND relation = '${table}'::regclass`
    while ((await client.query(waiting)).rows.length === 0) {
      assert.equal(child.exitCode, null, `the move ended before it came to ${table}`)
      await setTimeout(LOOK_MS)
    }
    child.kill('SIGKILL')
    await once(child, 'exit')
    await client.query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) AS waiting`)
    await client.query('ROLLBACK')
    const { rows } = await client.query<{ done: string }>('SELECT done FROM moves')
    return Number(rows[0]?.done)
  } finally {
    await client.end()
  }
}

function spawnMove(store: string, from: string, to: string): ChildProcess {
  return spawn(process.execPath, ['dist/src/main.js', 'migrate', '--from', from, '--to', to], {
    cwd: projectRoot,
    env: { PATH: process.env['PATH'], BILLHOOK_STORE: store },
    stdio: 'ignore',
  })
}

test('a move is refused from a store that is served, a sandbox or nothing, and into one that has other data', async () => {
  assert.ok(server !== null)
  const [data, other, sandbox] = [temporaryDirectory(), temporaryDirectory(), temporaryDirectory()]
  const [store, taken] = [await createDatabase(server), await createDatabase(server)]
  const move = (from: string, to: string, configured: string | null = store) =>
    refusalOf(billhook(configured, 'migrate', '--from', from, '--to', to))
  try {
    assert.match(await move(`lmdb:${data.path}`, 'postgres:'), /holds no data/)
    assert.match(await move('postgres:', `lmdb:${data.path}`, null), /BILLHOOK_STORE, which names none/)
    assert.match(await move('mysql://one', `lmdb:${data.path}`), /a store is lmdb:DIR/)
    assert.match(await refusalOf(billhook(store, 'migrate', '--from', 'postgres:')), /A move needs --from and --to/)
    const service = await ServiceProcess.start(other.path, { BILLHOOK_STORE: taken })
    assert.match(await move('postgres:', `lmdb:${data.path}`, taken), /a service runs on postgres:/)
    await service.stop()
    const own = await ServiceProcess.start(data.path)
    assert.match(await move(`lmdb:${data.path}`, 'postgres:'), /in use|another process/)
    await own.stop()
    await (await ServiceProcess.start(sandbox.path, {}, ['--sandbox'])).stop()
    assert.match(await move(`lmdb:${sandbox.path}`, 'postgres:'), /a sandbox cannot be moved/)
    const filled = await createDatabase(server)
    const at = { BILLHOOK_STORE: filled }
    await (await ServiceProcess.start(temporaryDirectory().path, at)).stop()
    await administer(filled, "INSERT INTO identities (owner, is_known) VALUES ('alice', true)")
    assert.match(await move(`lmdb:${data.path}`, 'postgres:', filled), /holds other data: name an empty database/)
  } finally {
    for (const place of [data, other, sandbox]) place.remove()
  }
})
