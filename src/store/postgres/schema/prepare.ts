import { randomBytes } from 'node:crypto'
import { OperatorError, StartStopped } from '../../../operator-error.js'
import type { StoreBirth, StoreCreation } from '../../birth.js'
import type { MigrationControl, MigrationPlan } from '../../migration.js'
import { Database, type Unit } from '../connection/database.js'
import { Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { matchPiece } from '../deposits/match-past.js'
import { ASK_PLACE, assertPlace, type Place } from './place.js'
import { assertKeepsPromises, assertSeesCommits, type Promises } from './promises.js'
import { VERSIONS } from './tables.js'

/** The version of the schema that this program needs. */
export const SCHEMA_VERSION = VERSIONS.length
/**
 * The oldest version whose programs may go on beside this one, as in an upgrade of one service after the other. A version leaves it as
 * it is when it only adds what a program that does not know it, and leads, cannot make wrong. One that raises it also takes a table
 * away from programs that run already.
 */
const OLDEST_VERSION = 20

const ID_BYTES = 8

/** How long a statement of an upgrade may take. */
const UPGRADE_TIMEOUT_MS = 60 * 60 * 1000

/** Whose wallets a database has: a simulated ledger's, or a real one's. */
export type Kind = 'sandbox' | 'real'

export interface Preparation extends StoreCreation {
  /** Null for a command, which takes the database for what it is. */
  readonly kind: Kind | null
  /** Only tests do without durability. */
  readonly promises?: Promises
  readonly migration?: MigrationControl
  /** Whether data that is being moved here is opened to go on with that. */
  readonly isMove?: boolean
}

/**
 * Brings the schema to this version. Processes that start at once wait for each other: the row with the version is the lock.
 * Throws `OperatorError` for data of a later version that this program cannot use, for data of another kind than `kind`, which the first
 * start decides, and where there is none and none may begin, or only a part.
 */
export async function prepareSchema(
  database: Database,
  { kind, mayBegin, advice = '', onCreated, migration, isMove = false, promises = 'all' }: Preparation,
): Promise<StoreBirth> {
  const { shown } = database.options.address
  const place = await database.readOne<Place>(ASK_PLACE)
  if (place === undefined) throw new Error('the database has not told where its tables are')
  assertPlace(place)
  if (!mayBegin && !place.isOurs) throw new OperatorError(`the database ${shown} holds no data${advice}`)
  await assertKeepsPromises(database, promises)
  const known = place.isOurs
    ? await database.readOne<{ version: number }>(sql`SELECT version FROM billhook`)
    : undefined
  const isUpgrade = known !== undefined && known.version > 0 && known.version < SCHEMA_VERSION
  const { birth, isNew } = await writing(database, isUpgrade, async (work) => {
    work.write(
      sql`CREATE TABLE IF NOT EXISTS billhook (singleton boolean PRIMARY KEY, version bigint NOT NULL, kind text NOT NULL)`,
    )
    work.write(sql`ALTER TABLE billhook ADD COLUMN IF NOT EXISTS oldest bigint NOT NULL DEFAULT 0`)
    work.write(sql`ALTER TABLE billhook ADD COLUMN IF NOT EXISTS store_id text`)
    work.write(sql`ALTER TABLE billhook ADD COLUMN IF NOT EXISTS born_at bigint`)
    work.write(
      sql`INSERT INTO billhook (singleton, version, kind) VALUES (true, 0, ${kind ?? 'real'}) ON CONFLICT DO NOTHING`,
    )
    const row = await work.row<HeadColumns>(
      sql`SELECT version, kind, oldest, store_id, born_at FROM billhook WHERE singleton FOR UPDATE`,
    )
    const plan: MigrationPlan = { from: row?.version ?? 0, to: SCHEMA_VERSION, rows: 0, done: 0 }
    assertKnown(plan, row?.oldest ?? 0)
    if (row !== undefined && kind !== null && row.kind !== kind) throw new OperatorError(WRONG_KIND[row.kind])
    if (plan.from < plan.to) {
      if (plan.from > 0) {
        migration?.begins(plan)
        // What is written of all records is not looked up row by row.
        for (const name of ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) {
          work.write(new Fragment([`SET LOCAL ${name} = on`], []))
        }
      }
      for (const statement of VERSIONS.slice(plan.from).flat()) work.write(new Fragment([statement], []))
      work.write(sql`UPDATE billhook SET version = ${SCHEMA_VERSION}::bigint, oldest = ${OLDEST_VERSION}::bigint`)
    }
    const move = isMove ? undefined : await work.row<{ source: string }>(sql`SELECT source FROM moves`)
    if (move !== undefined) throw unfinished('the database', move.source)
    return { birth: await birthOf(work, row), isNew: plan.from === 0 }
  })
  await matchPast(database, migration)
  await assertSeesCommits(database)
  if (isNew) onCreated?.(`the database ${shown}`, birth)
  return birth
}

/** Writes. An upgrade of a large database takes its time, and so may one that another process has begun. */
async function writing<T>(database: Database, isUpgrade: boolean, unit: Unit<T>): Promise<T> {
  if (!isUpgrade) return database.write(unit)
  const { options } = database
  const limits = { answerTimeoutMs: UPGRADE_TIMEOUT_MS, lockTimeoutMs: UPGRADE_TIMEOUT_MS }
  const patient = new Database({ ...options, address: { ...options.address, ...limits } })
  try {
    return await patient.write(unit)
  } finally {
    await patient.close()
  }
}

/** Brings to its end what a version has left to do in pieces. Throws `StartStopped` when it is to stop. */
async function matchPast(database: Database, migration: MigrationControl | undefined): Promise<void> {
  while (await database.write((work) => matchPiece(work))) {
    if (migration?.isStopping() === true) throw new StartStopped('the migration was stopped; the next one continues it')
  }
}

interface HeadColumns {
  readonly version: number
  readonly kind: Kind
  readonly oldest: number
  /** Null until a version that notes it has opened the database. */
  readonly store_id: string | null
  readonly born_at: number | null
}

/** The birth of the store, which is noted now where no version has noted it yet. */
async function birthOf(work: Work, row: HeadColumns | undefined): Promise<StoreBirth> {
  const { store_id: id = null, born_at: bornAt = null } = row ?? {}
  if (id !== null && bornAt !== null) return { id, bornAt }
  const birth = { id: randomBytes(ID_BYTES).toString('hex'), bornAt: await work.readClock() }
  work.write(sql`UPDATE billhook SET store_id = ${birth.id}, born_at = ${birth.bornAt}::bigint`)
  return birth
}

/** Nothing but the move may use data of which a part is missing. */
export function unfinished(name: string, source: string): OperatorError {
  return new OperatorError(
    `${name} has only a part of what is being moved there from ${source}: run the same "billhook migrate" again, which goes on`,
  )
}

const WRONG_KIND: Readonly<Record<Kind, string>> = {
  sandbox: 'the database belongs to a sandbox: choose another one, or use --sandbox',
  real: 'the database was used without --sandbox: choose another one for the sandbox',
}

/** A later version of the data may be one that programs of this version can use. */
function assertKnown({ from, to }: MigrationPlan, oldest: number): void {
  if (from <= to || oldest <= to) return
  throw new OperatorError(`the database has version ${from} of the data; this program knows versions up to ${to}`)
}
