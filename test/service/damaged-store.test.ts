import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import type { ServiceStatus } from '../../src/http/routes/admin.js'
import { ask, hashOf, pushEvents } from '../chaos/http-client.js'
import { startChild } from '../cli/child.js'
import { command, main } from '../cli/served.js'
import { spoilRoot } from '../support/damaged-pages.js'
import { parseExposition } from '../support/exposition.js'
import { createDatabase } from '../support/postgres-harness.js'
import { PostgresServer } from '../support/postgres-server.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { ServiceProcess } from '../support/service-process.js'
import { memoryDirectory, temporaryDirectory } from '../support/temporary-directory.js'

const hasPostgres = (await postgresForTests()) !== null
const DATABASE_PAGE_BYTES = 8192
const WAIT_MS = 30_000
const ASK_AGAIN_MS = 50
const PROBE_PAUSE_MS = 1000

/** A service with two wallets of one owner, and what its operator sees of it. */
class Damaged {
  private constructor(
    readonly service: ServiceProcess,
    private readonly directory: string,
  ) {}

  static async start(directory: string, environment: Readonly<Record<string, string>>): Promise<Damaged> {
    const settings = { BILLHOOK_METRICS_PORT: '0', BILLHOOK_LOG: 'fatal', ...environment }
    return new Damaged(await ServiceProcess.start(directory, settings), directory)
  }

  async own(wallet: string): Promise<number | undefined> {
    const record = { id: wallet, address: hashOf(wallet).slice(0, 42), network: 'SEP' }
    const answer = await pushEvents(this.service.url, [
      { id: `created ${wallet}`, type: 'wallet.created', wallet: record },
      { id: `alice has ${wallet}`, type: 'wallet.assigned', wallet: { id: wallet }, owner: 'alice' },
    ])
    return answer?.status
  }

  /** Makes a wallet known that belongs to nobody. */
  async know(wallet: string): Promise<number | undefined> {
    const record = { id: wallet, address: hashOf(wallet).slice(0, 42), network: 'SEP' }
    const event = { id: `created ${wallet}`, type: 'wallet.created', wallet: record }
    return (await pushEvents(this.service.url, [event]))?.status
  }

  async create(wallet: string): Promise<string> {
    const answer = await this.askFor(wallet, '1', 'one')
    assert.equal(answer?.status, 201)
    return (answer.json as { id: string }).id
  }

  /** An order that is payable in two coins. */
  async createOrder(wallet: string): Promise<string> {
    const answer = await this.askForOrder(wallet, '3')
    assert.equal(answer?.status, 201)
    return (answer.json as { id: string }).id
  }

  async tryToCreateOrder(wallet: string): Promise<number | undefined> {
    return (await this.askForOrder(wallet, '4'))?.status
  }

  async tryToCreate(wallet: string): Promise<number | undefined> {
    return (await this.askFor(wallet, '2', 'another'))?.status
  }

  private askFor(wallet: string, amount: string, reference: string) {
    const body = { owner: 'alice', walletIds: [wallet], name: 'Tea', amount, currency: 'USDT', reference }
    return ask('POST', `${this.service.url}/api/invoices`, JSON.stringify(body))
  }

  private askForOrder(wallet: string, amount: string) {
    const options = ['USDT', 'native'].map((currency) => ({ walletIds: [wallet], currency, amount }))
    const body = { owner: 'alice', name: 'Tea', price: { amount: '3.00', currency: 'EUR' }, options, orderNumber: 'N' }
    return ask('POST', `${this.service.url}/api/orders`, JSON.stringify(body))
  }

  /** How a path is answered as soon as the database is there again. */
  async whenReady(path: string): Promise<number> {
    const end = performance.now() + WAIT_MS
    for (;;) {
      const status = await this.statusOf(path)
      if (status !== 503) return status
      assert.ok(performance.now() < end, `${path} is 503`)
      await setTimeout(ASK_AGAIN_MS)
    }
  }

  async statusOf(path: string): Promise<number> {
    const answer = await fetch(`${this.service.url}${path}`)
    await answer.text()
    return answer.status
  }

  /** What `/readyz`, the metrics and `billhook status` say. */
  async told() {
    const ready = await fetch(`${this.service.url}/readyz`)
    const { status, degraded = [] } = (await ready.json()) as { status?: string; degraded?: string[] }
    const { code, stdout } = await command('status', '--json', '--data', this.directory)
    const { condition, degraded: told } = JSON.parse(stdout) as ServiceStatus
    const scraped = await fetch(this.service.metricsUrl ?? assert.fail('there are no metrics'))
    const { value } = parseExposition(await scraped.text())
    const metric = value('billhook_degraded', { reason: 'store_damaged' })
    return { http: ready.status, status, degraded: degraded.length, code, condition, told: told.length, metric }
  }
}

type Told = Awaited<ReturnType<Damaged['told']>>

/** A commit that fails makes the service unready until it was probed. */
async function tells(damaged: Damaged, expected: Told): Promise<void> {
  const end = performance.now() + WAIT_MS
  for (;;) {
    const told = await damaged.told()
    if (isDeepStrictEqual(told, expected)) return
    if (performance.now() > end) assert.deepEqual(told, expected)
    await setTimeout(ASK_AGAIN_MS)
  }
}

const WELL: Told = { http: 200, status: 'ready', degraded: 0, code: 0, condition: 'ready', told: 0, metric: 0 }
const REFUSES: Told = {
  ...{ http: 503, status: undefined, degraded: 0, code: 0 },
  ...{ condition: 'not_ready', told: 1, metric: 1 },
}
const TOLD: Told = { http: 200, status: 'degraded', degraded: 1, code: 0, condition: 'degraded', told: 1, metric: 1 }

async function within(scenario: (directory: string) => Promise<void>): Promise<void> {
  const place = temporaryDirectory()
  try {
    await scenario(place.path)
  } finally {
    place.remove()
  }
}

/** The ids of what a service has. */
interface Made {
  readonly invoice: string
  readonly order: string
}

interface Case {
  readonly what: string
  readonly table: string
  readonly come: (service: Damaged, made: Made) => Promise<void>
}

const CASES: readonly Case[] = [
  {
    what: 'a read of a client',
    table: 'invoices',
    come: async (service, { invoice }) => assert.equal(await service.statusOf(`/api/invoices/${invoice}`), 500),
  },
  {
    what: 'a write of a client',
    table: 'references',
    come: async (service) => assert.ok(((await service.tryToCreate('one')) ?? 0) >= 500),
  },
  {
    what: 'a read of an order',
    table: 'orders',
    come: async (service, { order }) => assert.equal(await service.statusOf(`/api/orders/${order}`), 500),
  },
  {
    what: 'the page of an order, whose options are damaged',
    table: 'invoices',
    come: async (service, { order }) => assert.equal(await service.statusOf(`/order/${order}`), 500),
  },
  {
    what: 'a list of orders',
    table: 'owner-orders',
    come: async (service) => assert.equal(await service.statusOf('/api/users/alice/orders'), 500),
  },
  {
    what: 'a push of the gateway',
    table: 'addresses',
    come: async (service) => assert.ok(((await service.own('two')) ?? 0) >= 500),
  },
  {
    what: 'a collector of metrics',
    table: 'free-wallets',
    come: async (service) => assert.equal((await service.told()).http, 200),
  },
]

describe('a service that comes across a damaged page while it runs says so until it ends, and does not start again', () => {
  for (const { what, table, come } of CASES) {
    test(`by ${what}`, () =>
      within(async (directory) => {
        const damaged = await Damaged.start(directory, {})
        try {
          assert.equal(await damaged.own('one'), 200)
          assert.equal(await damaged.know('free'), 200)
          const made = { invoice: await damaged.create('one'), order: await damaged.createOrder('one') }
          await tells(damaged, WELL)
          spoilRoot(directory, table)
          await come(damaged, made)
          await tells(damaged, TOLD)
          // What does not need the page goes on.
          assert.equal(await damaged.statusOf('/api/users/alice/webhook'), 200)
          await tells(damaged, TOLD)
        } finally {
          assert.deepEqual(await damaged.service.end('SIGTERM'), { code: 0, signal: null })
        }
        assert.equal(readFileSync(join(directory, 'billhook.lock'), 'utf8'), 'damage was found\n')
        const again = await startChild(main, ['serve', '--port', '0', '--data', directory]).ended
        assert.equal(again.code, 1)
        assert.match(again.stderr, /: page \d+ is damaged\n$/)
      }))
  }
})

/** What a commit meets, by the table that is damaged. */
const COMMITS: Readonly<Record<string, (damaged: Damaged) => Promise<number | undefined>>> = {
  'open-invoices': (damaged) => damaged.tryToCreate('one'),
  'order-expiries': (damaged) => damaged.tryToCreateOrder('one'),
  'numbered-orders': (damaged) => damaged.tryToCreateOrder('one'),
}

for (const [table, commit] of Object.entries(COMMITS)) {
  test(`a commit that meets a damaged page of ${table} is the last one: reads go on, and the service says that it takes no writes`, () =>
    within(async (directory) => {
      const damaged = await Damaged.start(directory, {})
      try {
        assert.equal(await damaged.own('one'), 200)
        const id = await damaged.create('one')
        const order = await damaged.createOrder('one')
        spoilRoot(directory, table)
        assert.equal(await commit(damaged), 503)
        // Longer than the pause before a probe.
        for (let n = 0; n < 5; n += 1) {
          await tells(damaged, REFUSES)
          assert.equal(await damaged.statusOf(`/api/invoices/${id}`), 200)
          assert.equal(await damaged.statusOf(`/api/orders/${order}`), 200)
          await setTimeout(PROBE_PAUSE_MS / 2)
        }
        assert.equal(await damaged.tryToCreate('one'), 503)
      } finally {
        await damaged.service.end('SIGTERM')
      }
      assert.equal(damaged.service.child.signalCode, null)
    }))
}

for (const table of ['invoices', 'orders']) {
  test(
    `a service says that PostgreSQL came across a damaged page of ${table}, until it ends`,
    {
      skip: !hasPostgres,
    },
    () =>
      within(async (directory) => {
        const server = await PostgresServer.start({ isDurable: true, directory: memoryDirectory() })
        let damaged: Damaged | null = null
        try {
          const store = await createDatabase(server)
          damaged = await Damaged.start(directory, { BILLHOOK_STORE: store })
          assert.equal(await damaged.own('one'), 200)
          const path = {
            invoices: `/api/invoices/${await damaged.create('one')}`,
            orders: `/api/orders/${await damaged.createOrder('one')}`,
          }[table]
          await tells(damaged, WELL)
          const file = await fileOf(store, table)
          await server.kill()
          const fd = openSync(join(server.dataDirectory, file), 'r+')
          writeSync(fd, Buffer.alloc(DATABASE_PAGE_BYTES, 'garbage '), 0, DATABASE_PAGE_BYTES, 0)
          closeSync(fd)
          await server.launch()
          assert.equal(await damaged.whenReady(path ?? ''), 500)
          await tells(damaged, TOLD)
          assert.equal(await damaged.statusOf('/api/users/alice/wallets'), 200)
          await tells(damaged, TOLD)
        } finally {
          await damaged?.service.stop()
          await server.stop()
        }
      }),
  )
}

/** The file of a table, below the directory of the server, with all that was written of it. */
async function fileOf(store: string, table: string): Promise<string> {
  const client = new pg.Client(store)
  await client.connect()
  await client.query('CHECKPOINT')
  const { rows } = await client.query('SELECT pg_relation_filepath($1::regclass) AS path', [table])
  await client.end()
  return rows[0].path
}
