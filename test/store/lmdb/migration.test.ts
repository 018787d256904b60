import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { describe, test } from 'node:test'
import { OperatorError, StartStopped } from '../../../src/operator-error.js'
import { MIGRATIONS, migrationPlan, prepareSchema, SCHEMA_VERSION } from '../../../src/store/lmdb/file/schema.js'
import { openEnvironment } from '../../../src/store/lmdb/tables/tables.js'
import { lmdbUpkeep } from '../../../src/store/lmdb/upkeep/upkeep.js'
import type { MigrationControl, MigrationPlan } from '../../../src/store/migration.js'
import { endChild, untilLine } from '../../support/child-process.js'
import { allRows, putEarlierData } from '../../support/earlier-data.js'
import { quiet } from '../../support/migration.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

const CHILD = new URL('migrate-and-hang.js', import.meta.url).pathname
const STEP_ROWS = 100

interface Data {
  readonly path: string
  migrate(control: MigrationControl, stepRows?: number, version?: number): Promise<void>
  plan(): Promise<MigrationPlan>
  rows: () => ReturnType<typeof allRows>
}

/** Runs with the data of version 0.1.0 in a directory of its own. */
async function withData<T>(run: (data: Data) => Promise<T>): Promise<T> {
  const { path, remove } = temporaryDirectory()
  const opened = async <Result>(use: (root: ReturnType<typeof openEnvironment>) => Promise<Result>) => {
    const root = openEnvironment(path)
    try {
      return await use(root)
    } finally {
      await root.close()
    }
  }
  try {
    putEarlierData(path)
    return await run({
      path,
      migrate: (control, stepRows = STEP_ROWS, version = SCHEMA_VERSION) =>
        opened(async (root) => {
          const migrations = version === SCHEMA_VERSION ? MIGRATIONS : []
          await prepareSchema(root, path, control, { version, migrations, stepRows })
        }),
      plan: () => opened(async (root) => migrationPlan(root, path)),
      rows: () => allRows(path),
    })
  } finally {
    remove()
  }
}

/** Lets so many steps be done. */
function stopsAfter(steps: number): MigrationControl {
  let done = 0
  return { ...quiet(), isStopping: () => done++ === steps }
}

/** The rows after a migration that nothing interrupts, in one step for each pass. */
const uninterrupted = withData(async (data) => {
  await data.migrate(quiet(), 1_000_000)
  return await data.rows()
})

/** Migrates in a process of its own, which is killed where it hangs. */
async function migrateAndKill(path: string, what: 'commit' | 'row', count: number): Promise<'killed' | 'done'> {
  const child = spawn(process.execPath, [CHILD, path, String(STEP_ROWS), what, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = await untilLine(child, (line) => line)
  await endChild(child)
  return said === 'here' ? 'killed' : 'done'
}

function refusedAs(pattern: RegExp) {
  return (error: unknown) => error instanceof OperatorError && pattern.test(error.message)
}

describe('a migration', () => {
  test('in steps of any size gives the same rows', async () => {
    const expected = await uninterrupted
    assert.deepEqual(
      Object.keys(expected).filter((name) => name.includes('queue-')),
      [],
    )
    for (const made of ['paid-invoices', 'deposit-numbers', 'watches', 'invoice-deposits', 'received-deposits'])
      assert.ok((expected[made] ?? []).length > 0, made)
    for (const stepRows of [1, 7, STEP_ROWS]) {
      await withData(async (data) => {
        await data.migrate(quiet(), stepRows)
        assert.deepEqual(await data.rows(), expected, `${stepRows} rows`)
      })
    }
  })

  test('says how far it is, and goes on with its count', async () => {
    await withData(async (data) => {
      const plan = await data.plan()
      assert.ok(plan.rows > 4 * STEP_ROWS)
      assert.deepEqual([plan.from, plan.to, plan.done], [2, SCHEMA_VERSION, 0])
      const heard: (number | string)[] = []
      const hears = (control: MigrationControl): MigrationControl => ({
        ...control,
        begins: ({ rows, done }) => heard.push(`begins with ${rows - plan.rows} more and ${done} done`),
        stepped: (done) => heard.push(done),
        finished: () => heard.push('finished'),
      })
      await assert.rejects(data.migrate(hears(stopsAfter(3))), StartStopped)
      const before = heard.splice(0)
      const done = before.at(-1)
      assert.deepEqual([before.length, before[0]], [4, 'begins with 0 more and 0 done'])
      assert.deepEqual(await data.plan(), { ...plan, done })
      await data.migrate(hears(quiet()))
      assert.equal(heard.at(0), `begins with 0 more and ${done} done`)
      assert.equal(heard.at(-1), 'finished')
      const counts = [...before, ...heard].filter((entry) => typeof entry === 'number')
      assert.deepEqual(
        counts,
        counts.toSorted((a, b) => a - b),
      )
      assert.ok(Number(counts.at(-1)) <= plan.rows && Number(counts.at(-1)) >= plan.rows - STEP_ROWS)
      assert.deepEqual(await data.plan(), { from: SCHEMA_VERSION, to: SCHEMA_VERSION, rows: 0, done: 0 })
    })
  })

  test('that is cut off after any step, and again, ends with the same rows', async () => {
    const expected = await uninterrupted
    for (let steps = 0, isDone = false; !isDone; steps += 1) {
      await withData(async (data) => {
        const first = await data.migrate(stopsAfter(steps)).catch((error) => error)
        isDone = !(first instanceof StartStopped)
        if (!isDone) await data.migrate(stopsAfter(1)).catch((error) => assert.ok(error instanceof StartStopped))
        await data.migrate(quiet())
        assert.deepEqual(await data.rows(), expected, `cut off after ${steps} steps`)
      })
      assert.ok(isDone || steps < 100)
    }
  })

  test('that is not at its end is no damage: the check refuses to judge, and finds nothing wrong afterwards', async () => {
    await withData(async (data) => {
      const check = async () => {
        const found: unknown[] = []
        const steps = lmdbUpkeep(data.path, [], { now: () => Date.now() }).check((violation) => found.push(violation))
        for await (const _ of steps);
        return found
      }
      await assert.rejects(data.migrate(stopsAfter(3)), StartStopped)
      await assert.rejects(check(), refusedAs(/is in the middle of a migration: run "billhook migrate"/))
      await data.migrate(quiet())
      assert.deepEqual(await check(), [])
    })
  })

  test('is refused to an earlier program from its first step on, in one line that says what to do', async () => {
    for (const steps of [0, 2]) {
      await withData(async (data) => {
        await assert.rejects(data.migrate(stopsAfter(steps)), StartStopped)
        const before = await data.rows()
        await assert.rejects(data.migrate(quiet(), STEP_ROWS, 2), (error) => {
          assert.ok(error instanceof OperatorError)
          assert.equal(
            error.message,
            `${data.path} was written by a newer Billhook (data version ${SCHEMA_VERSION}, this program knows 2): ` +
              'start the newer version again, or restore a backup made before the upgrade',
          )
          return true
        })
        assert.deepEqual(await data.rows(), before)
      })
    }
  })

  for (const [what, counts] of [
    // The first one of each process begins or takes up the migration.
    ['commit', [2]],
    ['row', [1]],
  ] as const) {
    for (const count of counts) {
      test(`whose process is killed at ${what} ${count} of each start ends with the same rows`, async () => {
        const expected = await uninterrupted
        await withData(async (data) => {
          let kills = 0
          let end = await migrateAndKill(data.path, what, count)
          while (end === 'killed') {
            kills += 1
            assert.ok(kills < 60, 'it does not come to an end')
            // Within a transaction nothing is kept, so the next process is killed behind it.
            if (what === 'row') end = await migrateAndKill(data.path, 'commit', 2)
            if (end === 'killed') end = await migrateAndKill(data.path, what, count)
          }
          assert.ok(kills > 2, `${kills} kills`)
          assert.deepEqual(await data.rows(), expected)
        })
      })
    }
  }
})
