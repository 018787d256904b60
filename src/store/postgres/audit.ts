import { isDeepStrictEqual } from 'node:util'
import type { AuditEnd, AuditedAction, AuditRecord } from '../../domain/audit.js'
import type { AuditPort } from '../audit.js'
import type { ImportOutcome, Page, PageOf } from '../store.js'
import type { Database } from './connection/database.js'
import { sql } from './connection/sql.js'
import type { Work } from './connection/work.js'
import { firstIdAt } from './invoices/invoice-rows.js'
import { timeOfDeliveryId } from './outbox/new-deliveries.js'
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
    return this.database.writeRequested(async (work) => {
      const at = await work.readClock()
      const record = { id: work.newId(), at, ...action, outcome: null, detail: null, endedAt: null }
      putAudit(work, record)
      return record
    })
  }

  note(id: string, end: AuditEnd): Promise<void> {
    return this.database.write((work) => noteAudit(work, id, end))
  }

  page(page: Page): Promise<PageOf<AuditRecord>> {
    return pageBehind(page, async (behind, limit) => {
      const rows = await this.database.read<AuditColumns>(sql`
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
  const at = timeOfDeliveryId(id)
  return { id, at, who, from: origin, action, owner, subject, outcome, detail, endedAt: ended_at }
}

function putAudit(work: Work, { id, who, from, action, owner, subject, outcome, detail, endedAt }: AuditRecord): void {
  work.write(sql`
    INSERT INTO audit (id, who, origin, action, owner, subject, outcome, detail, ended_at)
    VALUES (${id}::uuid, ${who}, ${from}, ${action}, ${owner}, ${subject}, ${outcome}, ${detail}, ${endedAt}::bigint)`)
}

/** Notes what came of an action. One whose record has been removed since is left alone. */
async function noteAudit(work: Work, id: string, { outcome, detail }: AuditEnd): Promise<void> {
  const endedAt = outcome === null ? null : await work.readClock()
  work.write(sql`
    UPDATE audit SET outcome = ${outcome}, detail = ${detail}, ended_at = ${endedAt}::bigint WHERE id = ${id}::uuid`)
}

/** Notes in the transaction of an action that it is done. */
export async function noteDone(work: Work, trace: string | undefined): Promise<void> {
  if (trace !== undefined) await noteAudit(work, trace, { outcome: 'done', detail: null })
}

/** Adds a record of another store. */
export async function importAudit(work: Work, record: AuditRecord): Promise<ImportOutcome> {
  const row = await work.row<AuditColumns>(sql`SELECT ${AUDIT_COLUMNS} FROM audit AS a WHERE a.id = ${record.id}::uuid`)
  if (row === undefined) {
    putAudit(work, record)
    return { status: 'added' }
  }
  return isDeepStrictEqual(toAudit(row), record)
    ? { status: 'known' }
    : { status: 'refused', error: 'another record has its id' }
}
