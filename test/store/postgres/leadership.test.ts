import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.js'
import type { Store } from '../../../src/store/store.js'
import { depositFact, invoiceRequest, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { ManualClock } from '../../support/manual-clock.js'
import { ManualScheduler } from '../../support/manual-scheduler.js'
import { createDatabase, postgresStoreOptions } from '../../support/postgres-harness.js'
import { postgresForTests } from '../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const SECOND_MS = 1000
/** Longer than a lease that nobody renews. */
const LONG_S = 12
const WAIT_MS = 10_000

/** A process that stands for the leadership of a database. Its time passes as the test says. */
class Process {
  readonly told: string[] = []
  /** Why its work cannot begin. */
  failure: Error | null = null

  private constructor(
    readonly store: Store,
    readonly scheduler: ManualScheduler,
  ) {}

  static async start(url: string, clock: ManualClock): Promise<Process> {
    const scheduler = new ManualScheduler()
    return new Process(await openPostgresStore({ ...postgresStoreOptions(url), clock, scheduler }), scheduler)
  }

  stand(): Promise<void> {
    return this.store.leadership.stand({
      begin: async () => {
        this.told.push('begin')
        if (this.failure !== null) throw this.failure
      },
      end: async () => {
        this.told.push('end')
      },
    })
  }

  /** Until the next thing that it scheduled has been done, with what that asks of the database. */
  async pass(ms: number): Promise<void> {
    await until(() => this.scheduler.pending > 0)
    this.scheduler.pass(ms)
    await until(() => this.scheduler.pending > 0)
  }

  async close(): Promise<void> {
    await this.store.leadership.resign()
    await this.store.close()
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + WAIT_MS
  while (!isSo()) {
    if (performance.now() > end) assert.fail('it did not come to be')
    await setTimeout(5)
  }
}

type Scene = (first: Process, second: Process, clock: ManualClock, url: string) => Promise<void>

async function withTwo(run: Scene): Promise<void> {
  assert.ok(server !== null)
  const url = await createDatabase(server)
  const clock = new ManualClock()
  const first = await Process.start(url, clock)
  const second = await Process.start(url, clock)
  try {
    await first.stand()
    await second.stand()
    assert.deepEqual([first.told, second.told], [['begin'], []])
    await run(first, second, clock, url)
  } finally {
    await first.close()
    await second.close()
  }
}

test('a process that renews its lease leads, however long another one waits', () =>
  withTwo(async (first, second, clock) => {
    for (let s = 0; s < LONG_S; s += 1) {
      clock.advance(SECOND_MS)
      await first.pass(SECOND_MS)
      await second.pass(SECOND_MS)
    }
    assert.deepEqual([first.told, second.told], [['begin'], []])
  }))

test('a process that was suspended ends when it finds that another one has taken over, and is a candidate again', () =>
  withTwo(async (first, second, clock) => {
    clock.advance(LONG_S * SECOND_MS)
    await second.pass(SECOND_MS)
    assert.deepEqual(second.told, ['begin'])
    await first.pass(SECOND_MS)
    assert.deepEqual(first.told, ['begin', 'end'])
    await second.store.leadership.resign()
    await first.pass(SECOND_MS)
    assert.deepEqual(
      [first.told, second.told],
      [
        ['begin', 'end', 'begin'],
        ['begin', 'end'],
      ],
    )
  }))

test('a process that resigns lets the next one lead at once', () =>
  withTwo(async (first, second) => {
    await first.store.leadership.resign()
    assert.deepEqual(first.told, ['begin', 'end'])
    await second.pass(SECOND_MS)
    assert.deepEqual(second.told, ['begin'])
  }))

test('work that cannot begin here begins elsewhere, and here later', () =>
  withTwo(async (first, second, clock, url) => {
    second.failure = new Error('no node answers')
    await first.store.leadership.resign()
    await second.pass(SECOND_MS)
    assert.deepEqual(second.told, ['begin'])
    const third = await Process.start(url, clock)
    await third.stand()
    assert.deepEqual(third.told, ['begin'])
    await third.close()
    second.failure = null
    await second.pass(LONG_S * SECOND_MS)
    assert.deepEqual(second.told, ['begin', 'begin'])
  }))

test('what a process that was replaced still means to do is refused: marks, results, steps', () =>
  withTwo(async (first, second, clock) => {
    const { store } = first
    for (const fact of [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')]) {
      await store.ledger.applyFacts([{ eventId: null, fact }])
    }
    await store.webhooks.put('alice', 'https://example.com/hook')
    await store.commands.perform([{ type: 'invoice', request: invoiceRequest({ reference: 'r' }) }])
    await store.commands.perform([{ type: 'deposit', eventId: null, fact: depositFact('pending') }])
    await store.commands.perform([{ type: 'deposit', eventId: null, fact: depositFact('confirmed') }])
    const { items } = await store.outbox.page('alice', { after: null, limit: 10 })
    const [later, earlier] = items
    assert.ok(later !== undefined && earlier !== undefined)
    assert.equal(await store.outbox.markAttempted(earlier.id), true)

    clock.advance(LONG_S * SECOND_MS)
    await second.pass(SECOND_MS)
    assert.deepEqual(second.told, ['begin'])
    assert.equal(await second.store.outbox.settleInterrupted(() => null), 1)

    const isReplaced = { name: 'Replaced' }
    await assert.rejects(store.outbox.markAttempted(later.id), isReplaced)
    const answered = { kind: 'answered', httpStatus: 200, durationMs: 1 } as const
    await assert.rejects(
      store.outbox.recordResult(earlier.id, answered, () => null),
      isReplaced,
    )
    await assert.rejects(store.outbox.releaseRetries(1, 1), isReplaced)
    await assert.rejects(
      store.outbox.settleInterrupted(() => null),
      isReplaced,
    )
    const forget = { type: 'chain', step: { type: 'forget', network: 'SEP' } } as const
    const [fate] = await store.commands.perform([forget])
    assert.equal(fate?.status === 'rejected' && fate.reason.name, 'Replaced')
    const progress = { origin: 'o', newestMs: 1, windowMs: 1, comparingMs: null, comparedAtMs: 1 }
    await assert.rejects(store.ledger.saveStep({ progress, taken: [], setAside: [], settled: [] }), isReplaced)

    assert.equal((await store.outbox.find(later.id))?.state, 'queued')
    const interrupted = await store.outbox.find(earlier.id)
    assert.equal(interrupted?.result?.kind === 'failed' && interrupted.result.reason, 'interrupted')
    assert.equal(await second.store.outbox.markAttempted(later.id), true, 'the one that leads goes on')
  }))

test('the leader removes old changes, but none that it has not heard of itself, or behind which one may still come', () =>
  withTwo(async (first, _, clock, url) => {
    const client = new pg.Client(url)
    await client.connect()
    const change = "INSERT INTO change_log (at, writer, wallet_ids, owed) VALUES (1, gen_random_uuid(), '{}', '[]')"
    const kept = async () =>
      (await client.query('SELECT no FROM change_log ORDER BY no')).rows.map(({ no }) => Number(no))
    const removeOld = async () => {
      clock.advance(SECOND_MS)
      await first.pass(SECOND_MS)
      return kept()
    }
    try {
      await client.query(change)
      await client.query(`BEGIN; ${change}; ROLLBACK`)
      await client.query(change)
      assert.deepEqual(await removeOld(), [1, 3])
      await first.store.changes.onOwed(() => {})
      assert.deepEqual(await removeOld(), [3])
    } finally {
      await client.end()
    }
  }))
