import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.js'
import type { Store } from '../../../src/store/store.js'
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

/** A service on a database, whose time passes as the test says. */
class Service {
  readonly scheduler = new ManualScheduler()
  readonly told: string[] = []
  private readonly stopping = new AbortController()
  private readonly opened: Promise<Store>
  private result: Store | Error | null = null

  constructor(url: string, clock: ManualClock) {
    const serving = {
      scheduler: this.scheduler,
      stop: this.stopping.signal,
      waiting: () => this.told.push('waiting'),
      lost: () => this.told.push('lost'),
    }
    this.opened = openPostgresStore({ ...postgresStoreOptions(url), clock }, serving)
    this.opened.then(
      (store) => {
        this.result = store
      },
      (error: Error) => {
        this.result = error
      },
    )
  }

  get serves(): boolean {
    return this.result !== null && !(this.result instanceof Error)
  }

  get refusal(): string | null {
    return this.result instanceof Error ? this.result.name : null
  }

  /** The next thing that it scheduled has been done, with what that asked of the database. */
  async pass(ms: number): Promise<void> {
    await until(() => this.scheduler.pending > 0 || this.result instanceof Error)
    this.scheduler.pass(ms)
    await until(() => this.scheduler.pending > 0 || this.told.includes('lost') || this.result !== null)
    await setTimeout(20)
  }

  stop(): void {
    this.stopping.abort()
  }

  async close(): Promise<void> {
    if (this.serves) await (await this.opened).close()
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + WAIT_MS
  while (!isSo()) {
    if (performance.now() > end) assert.fail('it did not come to be')
    await setTimeout(5)
  }
}

async function withTwo(run: (first: Service, second: Service, clock: ManualClock) => Promise<void>): Promise<void> {
  assert.ok(server !== null)
  const url = await createDatabase(server)
  const clock = new ManualClock()
  const first = new Service(url, clock)
  await until(() => first.serves)
  const second = new Service(url, clock)
  await until(() => second.told.includes('waiting'))
  try {
    await run(first, second, clock)
  } finally {
    second.stop()
    second.scheduler.pass(SECOND_MS)
    await first.close()
    await second.close()
  }
}

test('a service that renews its lease keeps it, however long another one waits', () =>
  withTwo(async (first, second, clock) => {
    for (let s = 0; s < LONG_S; s += 1) {
      clock.advance(SECOND_MS)
      await first.pass(SECOND_MS)
      await second.pass(SECOND_MS)
      assert.equal(second.serves, false)
    }
    assert.deepEqual([first.told, second.told], [[], ['waiting']])
  }))

test('a service that was suspended finds that another one has taken over', () =>
  withTwo(async (first, second, clock) => {
    clock.advance(LONG_S * SECOND_MS)
    await second.pass(SECOND_MS)
    await until(() => second.serves)
    await first.pass(SECOND_MS)
    await until(() => first.told.includes('lost'))
    assert.equal(first.scheduler.pending, 0, 'it does not ask again')
  }))

test('a service that ends lets the next one serve at once', () =>
  withTwo(async (first, second) => {
    await first.close()
    await second.pass(SECOND_MS)
    await until(() => second.serves)
  }))

test('a service that is stopped while it waits never serves', () =>
  withTwo(async (first, second) => {
    second.stop()
    await second.pass(SECOND_MS)
    await until(() => second.refusal !== null)
    assert.equal(second.refusal, 'StartStopped')
    assert.equal(first.serves, true)
  }))
