import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { ServiceStatus } from '../../src/http/routes/admin.js'
import { hashOf, pushEvents } from '../chaos/http-client.js'
import { command } from '../cli/served.js'
import { parseExposition } from '../support/exposition.js'
import { createDatabase } from '../support/postgres-harness.js'
import { PostgresServer } from '../support/postgres-server.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { ServiceProcess } from '../support/service-process.js'
import { memoryDirectory, temporaryDirectory } from '../support/temporary-directory.js'

const WAIT_MS = 40_000
const ASK_AGAIN_MS = 50

const shared = await postgresForTests({ isDurable: true })

interface Answer {
  readonly status: number
  readonly code: string | undefined
}

/** One of two services on a database. */
class Member {
  private ended: ReturnType<ServiceProcess['end']> | null = null

  constructor(
    private readonly service: ServiceProcess,
    private readonly directory: string,
  ) {}

  /** Lets it finish what it does, once. */
  end(): ReturnType<ServiceProcess['end']> {
    this.ended ??= this.service.end('SIGTERM')
    return this.ended
  }

  /** Makes a wallet known and gives it to an owner. */
  async write(wallet: string, owner = 'alice'): Promise<Answer> {
    const record = { id: wallet, address: hashOf(wallet).slice(0, 42), network: 'SEP' }
    const answer = await pushEvents(this.service.url, [
      { id: `created ${wallet}`, type: 'wallet.created', wallet: record },
      { id: `${owner} has ${wallet}`, type: 'wallet.assigned', wallet: { id: wallet }, owner },
    ])
    assert.ok(answer !== null)
    return { status: answer.status, code: answer.json.code }
  }

  async get(path: string): Promise<Answer & { readonly text: string }> {
    const answer = await fetch(`${this.service.url}${path}`)
    const text = await answer.text()
    return { status: answer.status, code: JSON.parse(text).code, text }
  }

  async wallets(): Promise<readonly string[]> {
    const { status, text } = await this.get('/api/users/alice/wallets')
    assert.equal(status, 200, text)
    return (JSON.parse(text) as readonly { id: string }[]).map(({ id }) => id)
  }

  /** What the operator's command says on the machine. */
  async status(): Promise<ServiceStatus> {
    const { code, stdout } = await command('status', '--json', '--data', this.directory)
    assert.equal(code, 0)
    return JSON.parse(stdout)
  }

  /** A figure of the metrics, which can be collected whatever the database does. */
  async figure(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
    const answer = await fetch(this.service.metricsUrl ?? assert.fail('there are no metrics'))
    assert.equal(answer.status, 200)
    const { samples } = parseExposition(await answer.text())
    const isIt = (sample: (typeof samples)[number]) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
    return samples.find(isIt)?.value
  }
}

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + WAIT_MS
  while (!(await isSo())) {
    if (performance.now() > end) assert.fail(`not in time: ${what}`)
    await setTimeout(ASK_AGAIN_MS)
  }
}

/** A connection to the database that is none of a service. */
async function somebodyElse(store: string): Promise<pg.Client> {
  const client = new pg.Client(store)
  client.on('error', () => {})
  await client.connect()
  return client
}

interface Setting {
  readonly store: string
  /** One leads; nobody asks the other one to write. */
  readonly members: readonly [Member, Member]
}

async function withServices(
  server: PostgresServer | null,
  scenario: (setting: Setting) => Promise<void>,
): Promise<void> {
  assert.ok(server !== null)
  const places = [temporaryDirectory(), temporaryDirectory()]
  const services: ServiceProcess[] = []
  try {
    const store = await createDatabase(server)
    const environment = { BILLHOOK_STORE: store, BILLHOOK_METRICS_PORT: '0', BILLHOOK_LOG: 'fatal' }
    for (const { path } of places) services.push(await ServiceProcess.start(path, environment))
    const [one, other] = services.map((service, n) => new Member(service, places[n]?.path ?? ''))
    assert.ok(one !== undefined && other !== undefined)
    await scenario({ store, members: [one, other] })
    for (const member of [one, other]) assert.deepEqual(await member.end(), { code: 0, signal: null })
  } finally {
    for (const service of services) await service.stop()
    for (const place of places) place.remove()
  }
}

/** One whose processes the test may stop. */
async function withOwnServer(run: (server: PostgresServer) => Promise<void>): Promise<void> {
  const server = await PostgresServer.start({ isDurable: true, directory: memoryDirectory() })
  try {
    await run(server)
  } finally {
    await server.stop()
  }
}

const REFUSED = { status: 503, code: 'storage_unavailable' }
const isReady = async (member: Member) => (await member.get('/readyz')).status === 200
const allReady = async (members: readonly Member[]) => (await Promise.all(members.map(isReady))).every(Boolean)
const noneReady = async (members: readonly Member[]) => !(await Promise.all(members.map(isReady))).some(Boolean)

// Most of it is waiting.
describe('two services', { skip: shared === null, concurrency: true }, () => {
  test('a server of which every process stands still: every request is refused, each service and its metrics say so, and nothing is lost or done twice', () =>
    withOwnServer(async (server) => {
      await withServices(server, async ({ members }) => {
        const [leader, other] = members
        assert.deepEqual(await leader.write('before'), { status: 200, code: undefined })
        const stopped = server.pids
        for (const pid of stopped) process.kill(pid, 'SIGSTOP')
        try {
          const first = [...Array(20).keys()].map((n) => leader.write(`meanwhile-${n}`))
          const reads = members.map((member) => member.get('/api/users/alice/wallets'))
          await until(() => noneReady(members), 'every service says that it is not ready')
          for (const member of members) assert.equal(await member.figure('billhook_store_writable'), 0)
          const { not_ready: why, records } = await leader.status()
          assert.match(why ?? '', /^the store refuses writes: the database server has not answered for \d+ ms$/)
          assert.equal(records, null)
          for (const answer of await Promise.all(first)) assert.deepEqual(answer, REFUSED)
          for (const { status, code } of await Promise.all(reads)) assert.deepEqual({ status, code }, REFUSED)
          assert.deepEqual(await leader.write('later'), REFUSED)
          assert.deepEqual(await other.end(), { code: 0, signal: null }, 'SIGTERM ends it meanwhile')
        } finally {
          for (const pid of stopped) process.kill(pid, 'SIGCONT')
        }
        await until(() => isReady(leader), 'the service is ready')
        assert.equal(await leader.figure('billhook_store_writable'), 1)
        // The refused ones are repeated, as an answer of 503 asks for.
        for (const n of Array(20).keys()) {
          assert.deepEqual(await leader.write(`meanwhile-${n}`), { status: 200, code: undefined })
        }
        const known = await leader.wallets()
        assert.equal(new Set(known).size, known.length)
        assert.equal(known.length, 21)
      })
    }))

  test('a lock of a table that never comes: writes are refused, and each service says so, until it is given back', () =>
    withServices(shared, async ({ store, members }) => {
      const other = await somebodyElse(store)
      await other.query('BEGIN')
      await other.query('LOCK TABLE invoices IN ACCESS EXCLUSIVE MODE')
      await until(() => noneReady(members), 'every service says that it is not ready')
      for (const member of members) {
        assert.equal(await member.figure('billhook_store_writable'), 0)
        assert.equal(await member.figure('billhook_degraded', { reason: 'database_lock' }), 1)
        // What does not need the table is refused once a probe has waited for it, too.
        await until(async () => (await member.write('refused')).code === REFUSED.code, 'writes are refused')
      }
      await other.end()
      await until(() => allReady(members), 'every service is ready')
      assert.deepEqual(await members[0].write('afterwards'), { status: 200, code: undefined })
    }))

  test('a lock of one wallet that never comes refuses what is about it, and is told without keeping others away', () =>
    withServices(shared, async ({ store, members: [member] }) => {
      assert.deepEqual(await member.write('locked'), { status: 200, code: undefined })
      const other = await somebodyElse(store)
      await other.query('BEGIN')
      await other.query("SELECT FROM wallets WHERE id = 'locked' FOR UPDATE")
      assert.deepEqual(await member.write('locked', 'bob'), REFUSED)
      const { status, text } = await member.get('/readyz')
      assert.equal(status, 200)
      assert.match(text, /Somebody keeps a lock in the database/)
      assert.equal(await member.figure('billhook_degraded', { reason: 'database_lock' }), 1)
      assert.equal(await member.figure('billhook_store_writable'), 1)
      await until(async () => (await member.write('free')).status === 200, 'others go on')
      await other.end()
      await until(async () => (await member.write('locked', 'bob')).status === 200, 'the wallet is free')
      assert.deepEqual(await member.wallets(), ['free'])
    }))
})
