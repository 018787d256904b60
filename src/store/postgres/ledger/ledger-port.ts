import type {
  LedgerMemory,
  LedgerProgress,
  LedgerStep,
  ListedTransaction,
  SetAside,
} from '../../../domain/ledger-progress.js'
import type { FlawOfAddress } from '../../../domain/wallet.js'
import { FORGOTTEN_MAX, type LedgerPort } from '../../ledger.js'
import { eventsBy } from '../../rules/ledger-facts.js'
import type { Database } from '../connection/database.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { eachAlone } from '../each-alone.js'
import type { Fence } from '../fence.js'
import { findKeys, putKeyHistory } from '../identity-keys.js'
import { factWorkOn } from '../wallets/wallet-facts.js'

interface ProgressColumns {
  readonly origin: string
  readonly newest_ms: number
  readonly window_ms: number
  readonly comparing_ms: number | null
  readonly compared_at_ms: number
}

/** Facts of the ledger, each applied once, and the memory of a follower. */
export function postgresLedger(database: Database, flawOfAddress: FlawOfAddress, fence: Fence): LedgerPort {
  return {
    applyFacts: eventsBy(factWorkOn, eachAlone(database), flawOfAddress),
    memory: () => readMemory(database),
    keyHistory: async (identity) => (await findKeys(database, identity))?.history ?? undefined,
    saveKeyHistory: (identity, history) =>
      database.write(async (work) => {
        await fence.hold(work)
        putKeyHistory(work, identity, history)
      }),
    saveStep: (step) =>
      database.write(async (work) => {
        await fence.hold(work)
        await writeStep(work, step)
      }),
    removeEventsBefore: (timeMs, limit) =>
      database.writeRequested((work) =>
        work.wrote(sql`
          DELETE FROM answered_events WHERE id IN (
            SELECT id FROM answered_events WHERE at < ${timeMs}::bigint ORDER BY at LIMIT ${limit}::bigint)`),
      ),
  }
}

async function readMemory(database: Database): Promise<LedgerMemory | undefined> {
  const row = await database.readOne<ProgressColumns>(
    sql`SELECT origin, newest_ms, window_ms, comparing_ms, compared_at_ms FROM ledger_progress`,
  )
  if (row === undefined) return undefined
  const taken = await database.read<{ umid: string; timestamp_ms: number }>(sql`
    SELECT umid, timestamp_ms FROM ledger_taken WHERE timestamp_ms >= ${row.window_ms}::bigint ORDER BY timestamp_ms, umid`)
  const setAside = await database.read<{ umid: string; timestamp_ms: number; attempts: number; due_ms: number }>(
    sql`SELECT umid, timestamp_ms, attempts, due_ms FROM ledger_set_aside ORDER BY umid`,
  )
  return {
    progress: toProgress(row),
    taken: taken.map(({ umid, timestamp_ms }) => ({ umid, timestampMs: timestamp_ms })),
    setAside: setAside.map(({ umid, timestamp_ms, attempts, due_ms }) => {
      return { umid, timestampMs: timestamp_ms, attempts, dueMs: due_ms }
    }),
  }
}

async function writeStep(work: Work, { progress, taken, setAside, settled }: LedgerStep): Promise<void> {
  const known = await work.row<{ origin: string }>(sql`SELECT origin FROM ledger_progress FOR UPDATE`)
  if (known?.origin !== progress.origin) {
    work.write(sql`DELETE FROM ledger_taken`)
    work.write(sql`DELETE FROM ledger_set_aside`)
  }
  takeTransactions(work, taken)
  work.write(sql`DELETE FROM ledger_set_aside WHERE umid = ANY(${settled}::text[])`)
  putAside(work, setAside)
  work.write(sql`
    DELETE FROM ledger_taken WHERE (timestamp_ms, umid) IN (
      SELECT timestamp_ms, umid FROM ledger_taken WHERE timestamp_ms < ${progress.windowMs}::bigint
      ORDER BY timestamp_ms, umid LIMIT ${FORGOTTEN_MAX}::bigint)`)
  work.write(sql`
    INSERT INTO ledger_progress (singleton, origin, newest_ms, window_ms, comparing_ms, compared_at_ms)
    VALUES (true, ${progress.origin}, ${progress.newestMs}::bigint, ${progress.windowMs}::bigint, ${progress.comparingMs}::bigint,
      ${progress.comparedAtMs}::bigint)
    ON CONFLICT (singleton) DO UPDATE SET origin = excluded.origin, newest_ms = excluded.newest_ms, window_ms = excluded.window_ms,
      comparing_ms = excluded.comparing_ms, compared_at_ms = excluded.compared_at_ms`)
}

function takeTransactions(work: Work, taken: readonly ListedTransaction[]): void {
  work.write(sql`
    INSERT INTO ledger_taken (timestamp_ms, umid)
    SELECT * FROM unnest(${taken.map(({ timestampMs }) => timestampMs)}::bigint[], ${taken.map(({ umid }) => umid)}::text[])
    ON CONFLICT DO NOTHING`)
}

function putAside(work: Work, setAside: readonly SetAside[]): void {
  const byId = [...new Map(setAside.map((one) => [one.umid, one])).values()]
  work.write(sql`
    INSERT INTO ledger_set_aside (umid, timestamp_ms, attempts, due_ms)
    SELECT * FROM unnest(${byId.map(({ umid }) => umid)}::text[], ${byId.map(({ timestampMs }) => timestampMs)}::bigint[],
      ${byId.map(({ attempts }) => attempts)}::bigint[], ${byId.map(({ dueMs }) => dueMs)}::bigint[])
    ON CONFLICT (umid) DO UPDATE SET timestamp_ms = excluded.timestamp_ms, attempts = excluded.attempts, due_ms = excluded.due_ms`)
}

function toProgress({ origin, newest_ms, window_ms, comparing_ms, compared_at_ms }: ProgressColumns): LedgerProgress {
  return {
    origin,
    newestMs: newest_ms,
    windowMs: window_ms,
    comparingMs: comparing_ms,
    comparedAtMs: compared_at_ms,
  }
}
