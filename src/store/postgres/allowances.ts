import type { AllowancePort, Debt } from '../allowances.js'
import type { Database } from './connection/database.js'
import { sql } from './connection/sql.js'

const MICROS_PER_MS = 1000
/** A transaction that read its time before the last look may commit behind it. */
const LOOKED_BACK_MS = 5000
/** Debts of one answer: those that grew last. */
const ANSWERED_MAX = 10_000

/** What clients owe, by the time at which it is paid. */
export class PostgresAllowances implements AllowancePort {
  readonly isShared = true
  private lookedAt = 0

  constructor(private readonly database: Database) {}

  async exchange(added: readonly Debt[]): Promise<readonly Debt[]> {
    if (added.length > 0) await this.add(added)
    const rows = await this.database.read<Debt & { readonly now: number }>(sql`
      SELECT name AS limit, client, paid_at - clock.now * ${MICROS_PER_MS}::bigint AS micros, clock.now
      FROM allowances CROSS JOIN (SELECT ${this.database.now} AS now) AS clock
      WHERE grown_at > ${this.lookedAt - LOOKED_BACK_MS}::bigint
        AND paid_at > clock.now * ${MICROS_PER_MS}::bigint ORDER BY grown_at DESC LIMIT ${ANSWERED_MAX}::bigint`)
    this.lookedAt = rows[0]?.now ?? this.lookedAt
    return rows
  }

  private async add(added: readonly Debt[]): Promise<void> {
    await this.database.write(async (work) => {
      const nowMs = await work.readClock()
      const now = nowMs * MICROS_PER_MS
      work.write(sql`
        INSERT INTO allowances AS known (name, client, paid_at, grown_at)
        SELECT name, client, ${now}::bigint + micros, ${nowMs}::bigint FROM unnest(
          ${added.map(({ limit }) => limit)}::text[], ${added.map(({ client }) => client)}::text[],
          ${added.map(({ micros }) => micros)}::bigint[]
        ) AS added (name, client, micros) ORDER BY name, client
        ON CONFLICT (name, client) DO UPDATE SET
          paid_at = greatest(known.paid_at, ${now}::bigint) + excluded.paid_at - ${now}::bigint, grown_at = excluded.grown_at`)
    })
  }
}
