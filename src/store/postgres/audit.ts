import type { AuditEnd, AuditedAction, AuditRecord } from '../../domain/audit.js'
import type { Outcome } from '../../domain/failure.js'
import { firstIdAt, timeOfId } from '../../domain/id.js'
import type { AuditPort } from '../audit.js'
import type { Page, PageOf } from '../reading.js'
import { type Asking, answeredLater } from '../rules/asking.js'
import { type AuditWork, beginAction, noteEnd, traced } from '../rules/audit.js'
import type { Database } from './connection/database.js'
import { sql } from './connection/sql.js'
import type { Work } from './connection/work.js'
import { pageBehind } from './pages.js'

export interface AuditColumns extends Omit<AuditRecord, 'at' | 'from' | 'endedAt'> {
  readonly origin: string
  readonly ended_at: number | null
}

export const AUDIT_COLUMNS = sql`a.id, a.who, a.origin, a.action, a.owner, a.subject, a.outcome, a.detail, a.ended_at`

/** What operators did. */
export class PostgresAudit implements AuditPort {
  constructor(private readonly database: Database) {}

  begin(action: AuditedAction): Promise<AuditRecord> {
    return this.database.writeRequested((work) => answeredLater(beginAction(new PostgresAuditWork(work), action)))
  }

  note(id: string, end: AuditEnd): Promise<void> {
    return this.database.write((work) => answeredLater(noteEnd(new PostgresAuditWork(work), id, end)))
  }

  page(page: Page): Promise<PageOf<AuditRecord>> {
    return pageBehind(page, async (behind, limit) => {
      const rows = await this.database.readPage<AuditColumns>(sql`
        SELECT ${AUDIT_COLUMNS} FROM audit AS a WHERE true ${behind(sql`a.id`)} ORDER BY a.id DESC LIMIT ${limit}::bigint`)
      return rows.map((row) => ({ item: toAudit(row), id: row.id }))
    })
  }

  removeBefore(timeMs: number, limit: number): Promise<number> {
    return this.database.writeRequested((work) =>
      work.wrote(sql`
        DELETE FROM audit WHERE id IN (
          SELECT id FROM audit WHERE id < ${firstIdAt(timeMs)}::uuid ORDER BY id LIMIT ${limit}::bigint)`),
    )
  }
}

export function toAudit({
  id,
  who,
  origin,
  action,
  owner,
  subject,
  outcome,
  detail,
  ended_at,
}: AuditColumns): AuditRecord {
  const at = timeOfId(id)
  return { id, at, who, from: origin, action, owner, subject, outcome, detail, endedAt: ended_at }
}

/** Performs an action of an operator in a unit of work. When it is done, its trace says so. */
export function tracedIn<T>(work: Work, trace: string | undefined, action: Asking<Outcome<T>>): Promise<Outcome<T>> {
  return answeredLater(traced(new PostgresAuditWork(work), trace, action))
}

/** What a unit of work does for these records. */
export class PostgresAuditWork implements AuditWork {
  constructor(private readonly work: Work) {}

  readClock(): Promise<number> {
    return this.work.readClock()
  }

  newId(): string {
    return this.work.newId()
  }

  async find(id: string): Promise<AuditRecord | undefined> {
    const row = await this.work.row<AuditColumns>(sql`SELECT ${AUDIT_COLUMNS} FROM audit AS a WHERE a.id = ${id}::uuid`)
    return row === undefined ? undefined : toAudit(row)
  }

  add({ id, who, from, action, owner, subject, outcome, detail, endedAt }: AuditRecord): void {
    this.work.write(sql`
      INSERT INTO audit (id, who, origin, action, owner, subject, outcome, detail, ended_at)
      VALUES (${id}::uuid, ${who}, ${from}, ${action}, ${owner}, ${subject}, ${outcome}, ${detail}, ${endedAt}::bigint)`)
  }

  end(id: string, { outcome, detail }: AuditEnd, endedAt: number | null): void {
    this.work.write(sql`
      UPDATE audit SET outcome = ${outcome}, detail = ${detail}, ended_at = ${endedAt}::bigint WHERE id = ${id}::uuid`)
  }
}
