import type { AuditRecord } from '../../../domain/audit.js'
import type { LedgerProgress } from '../../../domain/ledger-progress.js'
import type { MovedRecords } from '../../moving/records.js'
import { AUDIT_COLUMNS, type AuditColumns, toAudit } from '../audit.js'
import { sql } from '../connection/sql.js'
import { type IdentityKeysColumns, toIdentityKeys } from '../identity-keys.js'
import { behindPlace, bytesOf, type Column, insertInto, type PostgresMovedKind } from './moved-kind.js'

export const answers: PostgresMovedKind<'answers', MovedRecords['answers']> = {
  select: (behind) =>
    sql`SELECT id, at, error FROM answered_events ${behindPlace([bytesOf(sql`id`)], ['text'], behind)}`,
  toRecord: ({ id, at, error }) => ({ record: { id, at, error }, place: [id] }),
  write: (work, records) =>
    work.write(
      insertInto(
        'answered_events',
        [
          { name: 'id', type: 'text', of: ({ id }) => id },
          { name: 'at', type: 'bigint', of: ({ at }) => at },
          { name: 'error', type: 'text', of: ({ error }) => error },
        ],
        records,
      ),
    ),
}

interface ProgressColumns {
  readonly origin: string
  readonly newest_ms: number
  readonly window_ms: number
  readonly comparing_ms: number | null
  readonly compared_at_ms: number
}

const PROGRESS: readonly Column<LedgerProgress>[] = [
  { name: 'origin', type: 'text', of: ({ origin }) => origin },
  { name: 'newest_ms', type: 'bigint', of: ({ newestMs }) => newestMs },
  { name: 'window_ms', type: 'bigint', of: ({ windowMs }) => windowMs },
  { name: 'comparing_ms', type: 'bigint', of: ({ comparingMs }) => comparingMs },
  { name: 'compared_at_ms', type: 'bigint', of: ({ comparedAtMs }) => comparedAtMs },
]

export const ledger: PostgresMovedKind<'ledger', ProgressColumns> = {
  select: (behind) =>
    sql`SELECT origin, newest_ms, window_ms, comparing_ms, compared_at_ms FROM ledger_progress WHERE ${behind === null}`,
  toRecord: ({ origin, newest_ms, window_ms, comparing_ms, compared_at_ms }) => ({
    record: {
      origin,
      newestMs: newest_ms,
      windowMs: window_ms,
      comparingMs: comparing_ms,
      comparedAtMs: compared_at_ms,
    },
    place: [],
  }),
  write: (work, records) => work.write(insertInto('ledger_progress', PROGRESS, records, { singleton: 'true' })),
}

export const ledgerTaken: PostgresMovedKind<'ledgerTaken', { readonly timestamp_ms: number; readonly umid: string }> = {
  select: (behind) => {
    const order = behindPlace([sql`timestamp_ms`, bytesOf(sql`umid`)], ['bigint', 'text'], behind)
    return sql`SELECT timestamp_ms, umid FROM ledger_taken ${order}`
  },
  toRecord: ({ timestamp_ms, umid }) => ({ record: { umid, timestampMs: timestamp_ms }, place: [timestamp_ms, umid] }),
  write: (work, records) =>
    work.write(
      insertInto(
        'ledger_taken',
        [
          { name: 'timestamp_ms', type: 'bigint', of: ({ timestampMs }) => timestampMs },
          { name: 'umid', type: 'text', of: ({ umid }) => umid },
        ],
        records,
      ),
    ),
}

interface SetAsideColumns {
  readonly umid: string
  readonly timestamp_ms: number
  readonly attempts: number
  readonly due_ms: number
}

export const ledgerSetAside: PostgresMovedKind<'ledgerSetAside', SetAsideColumns> = {
  select: (behind) => sql`
    SELECT umid, timestamp_ms, attempts, due_ms FROM ledger_set_aside ${behindPlace([bytesOf(sql`umid`)], ['text'], behind)}`,
  toRecord: ({ umid, timestamp_ms, attempts, due_ms }) => ({
    record: { umid, timestampMs: timestamp_ms, attempts, dueMs: due_ms },
    place: [umid],
  }),
  write: (work, records) =>
    work.write(
      insertInto(
        'ledger_set_aside',
        [
          { name: 'umid', type: 'text', of: ({ umid }) => umid },
          { name: 'timestamp_ms', type: 'bigint', of: ({ timestampMs }) => timestampMs },
          { name: 'attempts', type: 'bigint', of: ({ attempts }) => attempts },
          { name: 'due_ms', type: 'bigint', of: ({ dueMs }) => dueMs },
        ],
        records,
      ),
    ),
}

export const identityKeys: PostgresMovedKind<'identityKeys', IdentityKeysColumns> = {
  select: (behind) => sql`
    SELECT identity, pushed, history FROM identity_keys ${behindPlace([bytesOf(sql`identity`)], ['text'], behind)}`,
  toRecord: (row) => ({ record: toIdentityKeys(row), place: [row.identity] }),
  write: (work, records) =>
    work.write(
      insertInto(
        'identity_keys',
        [
          { name: 'identity', type: 'text', of: ({ identity }) => identity },
          { name: 'pushed', type: 'text', of: ({ pushed }) => (pushed === null ? null : JSON.stringify(pushed)) },
          { name: 'history', type: 'text', of: ({ history }) => (history === null ? null : JSON.stringify(history)) },
        ],
        records,
      ),
    ),
}

export const logged: PostgresMovedKind<'logged', { readonly since: number }> = {
  select: (behind) => sql`SELECT since FROM logged WHERE ${behind === null}`,
  toRecord: ({ since }) => ({ record: { since }, place: [] }),
  write(work, records) {
    for (const { since } of records) {
      work.write(sql`
        INSERT INTO logged (singleton, since) VALUES (true, ${since}::bigint)
        ON CONFLICT (singleton) DO UPDATE SET since = excluded.since`)
    }
  },
}

const AUDIT: readonly Column<AuditRecord>[] = [
  { name: 'id', type: 'uuid', of: ({ id }) => id },
  { name: 'who', type: 'text', of: ({ who }) => who },
  { name: 'origin', type: 'text', of: ({ from }) => from },
  { name: 'action', type: 'text', of: ({ action }) => action },
  { name: 'owner', type: 'text', of: ({ owner }) => owner },
  { name: 'subject', type: 'text', of: ({ subject }) => subject },
  { name: 'outcome', type: 'text', of: ({ outcome }) => outcome },
  { name: 'detail', type: 'text', of: ({ detail }) => detail },
  { name: 'ended_at', type: 'bigint', of: ({ endedAt }) => endedAt },
]

export const audit: PostgresMovedKind<'audit', AuditColumns> = {
  select: (behind) => sql`SELECT ${AUDIT_COLUMNS} FROM audit AS a ${behindPlace([sql`a.id`], ['uuid'], behind)}`,
  toRecord: (row) => ({ record: toAudit(row), place: [row.id] }),
  write: (work, records) => work.write(insertInto('audit', AUDIT, records)),
}
