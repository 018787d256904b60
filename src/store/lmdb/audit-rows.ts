import { isDeepStrictEqual } from 'node:util'
import { AUDIT_OUTCOMES, type AuditEnd, type AuditedAction, type AuditRecord } from '../../domain/audit.js'
import type { AuditPort } from '../audit.js'
import type { ImportOutcome, Page, PageOf } from '../store.js'
import type { Commit, CommitLoop } from './commit/commit-loop.js'
import { newestFirst } from './overview.js'
import { idAt, timeOfId } from './tables/keys.js'
import { integer, oneOf, orNull, recordCodec, text } from './tables/record-codec.js'
import { removeKeys } from './tables/tables.js'

/** The id of a record is its key, and begins with the time. */
const auditCodec = recordCodec<Omit<AuditRecord, 'id' | 'at'>>('audit', 1, {
  who: text,
  from: text,
  action: text,
  owner: orNull(text),
  subject: orNull(text),
  outcome: orNull(oneOf(AUDIT_OUTCOMES)),
  detail: orNull(text),
  endedAt: orNull(integer),
})

/** What operators did. */
export class LmdbAudit implements AuditPort {
  constructor(private readonly commits: CommitLoop) {}

  begin(action: AuditedAction): Promise<AuditRecord> {
    return this.commits.run((commit) => {
      const id = commit.newId()
      const record = { id: id.toString('hex'), at: timeOfId(id), ...action, outcome: null, detail: null, endedAt: null }
      putAudit(commit, record)
      return record
    })
  }

  note(id: string, end: AuditEnd): Promise<void> {
    return this.commits.runAdmitted((commit) => noteAudit(commit, id, end))
  }

  page(page: Page): PageOf<AuditRecord> {
    const { audit } = this.commits.snapshot.tables
    return newestFirst(audit, page, (key) => {
      const stored = audit.get(key)
      if (stored === undefined) throw new Error('a record that is listed is not there')
      return auditRecord(key, stored)
    })
  }

  removeBefore(timeMs: number, limit: number): Promise<number> {
    return this.commits.run(({ tables }) => removeKeys(tables.audit, { end: idAt(timeMs), limit }).length)
  }
}

export function auditRecord(key: Buffer, value: Uint8Array): AuditRecord {
  return { id: key.toString('hex'), at: timeOfId(key), ...auditCodec.decode(value) }
}

export function putAudit({ tables }: Commit, { id, at: _, ...record }: AuditRecord): void {
  tables.audit.putSync(Buffer.from(id, 'hex'), auditCodec.encode(record))
}

/** Notes what came of an action. One whose record has been removed since is left alone. */
function noteAudit(commit: Commit, id: string, { outcome, detail }: AuditEnd): void {
  const key = Buffer.from(id, 'hex')
  const stored = commit.tables.audit.get(key)
  if (stored === undefined) return
  const endedAt = outcome === null ? null : commit.nowMs
  putAudit(commit, { ...auditRecord(key, stored), outcome, detail, endedAt })
}

/** Notes in the transaction of an action that it is done. */
export function noteDone(commit: Commit, trace: string | undefined): void {
  if (trace !== undefined) noteAudit(commit, trace, { outcome: 'done', detail: null })
}

/** Adds a record of another store. */
export function importAudit(commit: Commit, record: AuditRecord): ImportOutcome {
  const key = Buffer.from(record.id, 'hex')
  const stored = commit.tables.audit.get(key)
  if (stored === undefined) {
    putAudit(commit, record)
    return { status: 'added' }
  }
  return isDeepStrictEqual(auditRecord(key, stored), record)
    ? { status: 'known' }
    : { status: 'refused', error: 'another record has its id' }
}
