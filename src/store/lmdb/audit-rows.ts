import { AUDIT_OUTCOMES, type AuditEnd, type AuditedAction, type AuditRecord } from '../../domain/audit.js'
import type { Outcome } from '../../domain/failure.js'
import type { AuditPort } from '../audit.js'
import type { Page, PageOf } from '../reading.js'
import { type Asking, answeredNow } from '../rules/asking.js'
import { type AuditWork, beginAction, noteEnd, traced } from '../rules/audit.js'
import type { Commit } from './commit/commit.js'
import type { CommitLoop } from './commit/commit-loop.js'
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
    return this.commits.run((commit) => answeredNow(beginAction(new LmdbAuditWork(commit), action)))
  }

  note(id: string, end: AuditEnd): Promise<void> {
    return this.commits.runAdmitted((commit) => answeredNow(noteEnd(new LmdbAuditWork(commit), id, end)))
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

/** Performs an action of an operator in a commit. When it is done, its trace says so. */
export function tracedIn<T>(commit: Commit, trace: string | undefined, action: Asking<Outcome<T>>): Outcome<T> {
  return answeredNow(traced(new LmdbAuditWork(commit), trace, action))
}

/** What a commit does for these records. */
export class LmdbAuditWork implements AuditWork {
  constructor(private readonly commit: Commit) {}

  readClock(): number {
    return this.commit.nowMs
  }

  newId(): string {
    return this.commit.newId().toString('hex')
  }

  find(id: string): AuditRecord | undefined {
    const key = Buffer.from(id, 'hex')
    const stored = this.commit.tables.audit.get(key)
    return stored === undefined ? undefined : auditRecord(key, stored)
  }

  add(record: AuditRecord): void {
    putAudit(this.commit, record)
  }

  end(id: string, end: AuditEnd, endedAt: number | null): void {
    const record = this.find(id)
    if (record !== undefined) this.add({ ...record, ...end, endedAt })
  }
}
