import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { OwnerEvent } from '../../../../src/domain/event.js'
import type { Database } from '../../../../src/store/postgres/connection/database.js'
import { sql } from '../../../../src/store/postgres/connection/sql.js'
import { NUMBERS_PER_MS } from '../../../../src/store/postgres/events/event-log.js'
import { PostgresEvents } from '../../../../src/store/postgres/events/event-port.js'
import { refusalOf, unwrap } from '../../../support/fixtures.js'
import { ManualClock, START_MS } from '../../../support/manual-clock.js'
import { openDatabase } from '../../../support/postgres-database.js'
import { createDatabase } from '../../../support/postgres-harness.js'
import type { PostgresServer } from '../../../support/postgres-server.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

function present(): PostgresServer {
  if (server === null) throw new Error('a skipped test asks for its server')
  return server
}

/** What an event of this test tells: who wrote it, as which of his. */
interface Told {
  readonly writer: number
  readonly count: number
}

/** Runs with several processes' databases, of which each has a clock of its own. */
async function withDatabases(
  count: number,
  run: (databases: readonly Database[], clocks: readonly ManualClock[]) => Promise<void>,
): Promise<void> {
  const url = await createDatabase(present())
  const clocks = Array.from({ length: count }, () => new ManualClock())
  const databases: Database[] = []
  for (const clock of clocks) databases.push(await openDatabase(url, clock))
  try {
    await run(databases, clocks)
  } finally {
    for (const database of databases) await database.close()
  }
}

/** Enters events of some owners, in one unit of work. */
function log(database: Database, owners: readonly string[], told: (i: number) => Told): Promise<void> {
  return database.write(async (work) => {
    await work.readClock()
    for (const [i, owner] of owners.entries()) {
      work.log(owner, { type: 'deposit.pending', invoiceId: null, data: JSON.stringify(told(i)) })
    }
  })
}

/** Reads on behind what a reader has, to the end as it is now. */
async function readOn(events: PostgresEvents, owner: string, read: OwnerEvent[], limit: number): Promise<void> {
  for (;;) {
    const { items } = unwrap(await events.page(owner, { after: read.at(-1)?.id ?? null, limit }))
    if (items.length === 0) return
    read.push(...items)
  }
}

function toldBy({ deposit }: OwnerEvent): Told {
  return deposit as unknown as Told
}

function assertIncreasing(ids: readonly string[]): void {
  const [misplaced] = ids.filter((id, i) => i > 0 && id <= (ids[i - 1] ?? ''))
  assert.equal(misplaced, undefined)
}

const WRITERS = 4
const UNITS = 40

test('numbers increase under concurrent writers whose clocks go back, and a reader who goes on misses nothing', async () => {
  await withDatabases(WRITERS, async (databases, clocks) => {
    let isOver = false
    const writing = databases.map(async (database, writer) => {
      let count = 0
      for (let unit = 0; unit < UNITS; unit += 1) {
        // Each goes back by more than it went on, at times of its own.
        clocks[writer]?.set(START_MS + ((unit * (7 + writer)) % 20) - 10)
        const owners = ['alice', 'bob', 'alice'].slice(unit % 2)
        const first = count
        count += owners.length
        await log(database, owners, (i) => ({ writer, count: first + i }))
      }
      return count
    })
    const reading = databases.slice(0, 2).map(async (database, i) => {
      const [owner, read] = [['alice', 'bob'][i] ?? '', [] as OwnerEvent[]]
      while (!isOver) await readOn(new PostgresEvents(database), owner, read, 3)
      await readOn(new PostgresEvents(database), owner, read, 100)
      return read
    })
    const written = Promise.all(writing).finally(() => {
      isOver = true
    })
    const [counts, logs] = await Promise.all([written, Promise.all(reading)])
    for (const read of logs) {
      assertIncreasing(read.map(({ id }) => id))
      for (let writer = 0; writer < WRITERS; writer += 1) {
        const own = read.map(toldBy).filter((told) => told.writer === writer)
        assert.deepEqual(
          own,
          [...own].sort((one, other) => one.count - other.count),
        )
      }
    }
    const all = logs.flat().map(toldBy)
    const known = new Set(all.map(({ writer, count }) => `${writer} ${count}`))
    const entered = counts.reduce((sum, count) => sum + count, 0)
    assert.deepEqual([all.length, known.size], [entered, entered])
  })
})

test('an event has the time of its unit, and the time of the event before when the clock went back', async () => {
  await withDatabases(1, async ([database], [clock]) => {
    assert.ok(database !== undefined && clock !== undefined)
    const times = [0, 5, -1000, 6, 6, 3].map((offset) => START_MS + offset)
    for (const [i, time] of times.entries()) {
      clock.set(time)
      await log(database, ['alice', 'alice'], (j) => ({ writer: 0, count: 2 * i + j }))
    }
    const { items } = unwrap(await new PostgresEvents(database).page('alice', { after: null, limit: 100 }))
    assert.deepEqual(
      items.map((event) => [event.at - START_MS, toldBy(event).count]),
      [0, 0, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6].map((at, count) => [at, count]),
    )
    // The first of each new time begins its millisecond.
    assert.deepEqual(
      items.map(({ id }) => Number(BigInt(`0x${id}`) % NUMBERS_PER_MS)),
      [0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5],
    )
  })
})

test('more events in a millisecond than it has numbers run into the next one, and none is lost', async () => {
  await withDatabases(1, async ([database], [clock]) => {
    assert.ok(database !== undefined && clock !== undefined)
    const units = [60_000, 10_000, 1, 2]
    let count = 0
    for (const events of units) {
      const first = count
      count += events
      // The third unit comes a millisecond later, which the second has begun.
      if (events === 1) clock.advance(1)
      await log(database, new Array(events).fill('alice'), (i) => ({ writer: 0, count: first + i }))
    }
    const read: OwnerEvent[] = []
    await readOn(new PostgresEvents(database), 'alice', read, 20_000)
    const start = BigInt(START_MS) * NUMBERS_PER_MS
    assert.equal(read.length, 70_003)
    assert.deepEqual(
      read.map(({ id }) => Number(BigInt(`0x${id}`) - start)),
      read.map((_, i) => i),
    )
    assert.deepEqual(
      read.map((event) => toldBy(event).count),
      read.map((_, i) => i),
    )
    assert.equal(read[65_535]?.at, START_MS)
    assert.equal(read[65_536]?.at, START_MS + 1)
  })
})

test('a removal that waited for another one does not say that less was removed', async () => {
  await withDatabases(2, async ([database, beside]) => {
    assert.ok(database !== undefined && beside !== undefined)
    await log(database, new Array(10).fill('alice'), (count) => ({ writer: 0, count }))
    const events = new PostgresEvents(database)
    const { items } = unwrap(await events.page('alice', { after: null, limit: 100 }))
    const removing = await beside.write(async (work) => {
      const eighth = BigInt(`0x${items[7]?.id}`)
      work.write(sql`UPDATE event_heads SET removed_to = ${eighth}::bigint WHERE owner = 'alice'`)
      work.write(sql`DELETE FROM owner_events WHERE owner = 'alice' AND number <= ${eighth}::bigint`)
      await work.readClock()
      await work.rows(sql`SELECT 1`)
      const waiting = events.removeBefore(START_MS + 1000, 1)
      await blocked(database)
      return { waiting }
    })
    assert.equal(await removing.waiting, 0, 'the other one had removed it')
    assert.equal(refusalOf(await events.page('alice', { after: items[6]?.id ?? null, limit: 100 })), 'events_removed')
    const { items: left } = unwrap(await events.page('alice', { after: items[7]?.id ?? null, limit: 100 }))
    assert.deepEqual(left, items.slice(8))
  })
})

/** Resolves when a statement waits for a lock. */
async function blocked(database: Database): Promise<void> {
  for (;;) {
    const waiting = await database.read(sql`SELECT pid FROM pg_locks WHERE NOT granted`)
    if (waiting.length > 0) return
    await setTimeout(1)
  }
}
