import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import pg from 'pg'
import { BEHIND_ALL, type OwedDelivery } from '../../../src/store/outbox.js'
import { ChangeLog } from '../../../src/store/postgres/change-log.js'
import type { Row } from '../../../src/store/postgres/connection/session.js'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.js'
import type { Store } from '../../../src/store/store.js'
import { depositFact, invoiceRequest, unwrap, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { ManualClock } from '../../support/manual-clock.js'
import { createDatabase, postgresStoreOptions } from '../../support/postgres-harness.js'
import { postgresForTests } from '../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

async function withTwo(run: (first: Store, second: Store, url: string) => Promise<void>): Promise<void> {
  assert.ok(server !== null)
  const url = await createDatabase(server)
  const options = { ...postgresStoreOptions(url), clock: new ManualClock() }
  const first = await openPostgresStore(options)
  const second = await openPostgresStore(options)
  try {
    for (const fact of [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')]) {
      await first.ledger.applyFacts([{ eventId: null, fact }])
    }
    await first.webhooks.put('alice', 'https://example.com/hook')
    await run(first, second, url)
  } finally {
    await first.close()
    await second.close()
  }
}

/** What is told next. One that is never told fails by the time limit of the tests. */
async function nextOwed(store: Store): Promise<{ readonly told: Promise<readonly OwedDelivery[]> }> {
  let tell: (owed: readonly OwedDelivery[]) => void = () => {}
  const told = new Promise<readonly OwedDelivery[]>((resolve) => {
    tell = resolve
  })
  await store.changes.onOwed((owed) => tell(owed))
  return { told }
}

function nextChange(store: Store, walletId: string): Promise<void> {
  return new Promise((resolve) => {
    store.changes.onChange(({ walletIds }) => {
      if (walletIds.has(walletId)) resolve()
    })
  })
}

test('a process hears of the deliveries that another one has queued, and queued once more', () =>
  withTwo(async (first, second) => {
    const { told } = await nextOwed(second)
    await first.commands.perform([{ type: 'invoice', request: invoiceRequest({ reference: 'r' }) }])
    const [fate] = await first.commands.perform([{ type: 'deposit', eventId: null, fact: depositFact('pending') }])
    assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'deposit')
    const { owed } = fate.value
    assert.equal(owed.length, 1)
    // It is new, and nobody else has to know more.
    assert.deepEqual(
      await told,
      owed.map((one) => ({ ...one, id: BEHIND_ALL })),
    )

    const id = owed[0]?.id ?? ''
    await second.outbox.markAttempted(id)
    await second.outbox.recordResult(id, { kind: 'answered', httpStatus: 200, durationMs: 1 }, () => null)
    const again = await nextOwed(second)
    const redelivery = unwrap(await first.outbox.redeliver('alice', id))
    assert.deepEqual(await again.told, [redelivery.owed])
  }))

test('a process hears of the wallets that another one has changed', () =>
  withTwo(async (first, second) => {
    const change = nextChange(second, 'wallet-1')
    // It begins to ask when it is first listened to.
    await second.changes.onOwed(() => {})
    await first.commands.perform([{ type: 'deposit', eventId: null, fact: depositFact('pending') }])
    await change
  }))

test('a row that is committed behind a later one is told, and one that never is holds nothing up', () =>
  withTwo(async (_, second, url) => {
    const row = (walletId: string) =>
      `INSERT INTO change_log (at, writer, wallet_ids, owed) VALUES (1, gen_random_uuid(), '{${walletId}}', '[]')`
    const [slow, never, quick] = [new pg.Client(url), new pg.Client(url), new pg.Client(url)]
    for (const client of [slow, never, quick]) await client.connect()
    // Before the process begins to ask, and behind.
    await slow.query(`BEGIN; ${row('slow')}`)
    await never.query(`BEGIN; ${row('never')}; ROLLBACK`)
    await quick.query(row('quick-1'))
    const quickly = nextChange(second, 'quick-2')
    await second.changes.onOwed(() => {})
    await quick.query(row('quick-2'))
    await quickly
    const slowly = nextChange(second, 'slow')
    await slow.query('COMMIT')
    await slowly
    for (const client of [slow, never, quick]) await client.end()
  }))

const OWED: OwedDelivery = { lane: 'lane', owner: 'alice', id: BEHIND_ALL }

/** A change log over rows of a table that is not there, and a clock that goes on when it is told to. */
class Scene {
  numbers: number[] = []
  /** Whether nothing can be read. */
  isAway = false
  nowMs = 0
  readonly log = new ChangeLog(
    <T = Row>() => {
      if (this.isAway) return Promise.reject(new Error('away'))
      const rows = this.numbers.map((no) => ({
        no,
        writer: 'another',
        wallet_ids: [],
        owed: JSON.stringify([OWED]),
        logged: [],
      }))
      // As PostgreSQL orders them when the log begins, and behind.
      const isBegun = this.log.heardUpTo > 0
      return Promise.resolve((isBegun ? rows : rows.toReversed()) as unknown as readonly T[])
    },
    () => this.nowMs,
  )

  /** Has the log ask once more. */
  async goOn(): Promise<void> {
    const end = await this.log.onOwed(() => {})
    end()
  }
}

always('what is heard ends before what is still to be read, and before a number that may still come', async () => {
  const scene = new Scene()
  assert.equal(scene.log.heardUpTo, 0)
  scene.numbers = [1, 2]
  await scene.goOn()
  assert.equal(scene.log.heardUpTo, 2)
  scene.isAway = true
  scene.numbers = [1, 2, 3]
  await scene.goOn()
  assert.equal(scene.log.heardUpTo, 2)
  scene.isAway = false
  scene.numbers = [3, 5]
  await scene.goOn()
  assert.equal(scene.log.heardUpTo, 3)
  // Its transaction has ended by then.
  scene.nowMs = 30_001
  scene.numbers = [6]
  await scene.goOn()
  assert.equal(scene.log.heardUpTo, 6)
  await scene.log.close()
})

always('a listener is refused while it cannot be known where news begins, and added when it can', async () => {
  const scene = new Scene()
  const calls: string[] = []
  const listenAs = (name: string) => scene.log.onOwed(() => calls.push(name))
  scene.isAway = true
  await assert.rejects(listenAs('refused'), /away/)
  scene.isAway = false
  scene.numbers = [1]
  await listenAs('added')
  scene.numbers = [2]
  await scene.goOn()
  assert.deepEqual([scene.log.heardUpTo, [...new Set(calls)]], [2, ['added']])
  await scene.log.close()
})
