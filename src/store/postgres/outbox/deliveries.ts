import { failureShown } from '../../../domain/event.js'
import { type Outcome, succeed } from '../../../domain/failure.js'
import { afterSetBack, isUsedUp, judgeRedelivery, type RetryDecision } from '../../../domain/retry.js'
import { type Delivery, type DeliveryResult, isDelivered } from '../../../domain/webhook.js'
import type { OwedDelivery, Redelivery, WaitingDelivery } from '../../outbox.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { deliveryData } from '../events/event-data.js'
import { isNamed } from '../invoices/invoice-rows.js'
import { DELIVERY_COLUMNS, type DeliveryColumns, toDelivery } from './delivery-rows.js'
import { laneOf } from './new-deliveries.js'

/*
 * The life of a delivery:
 *
 *     queued ──► attempted ──► settled
 *       ▲            │            │
 *       ├─ waiting ◄─┘            │
 *       └── redelivered ◄─────────┘
 */

/** Marks deliveries attempted, and answers which of them were still queued. Rejects when one is not there. */
export async function markAttempted(work: Work, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const marked = await work.written<{ id: string }>(sql`
    UPDATE deliveries SET state = 'attempted', attempted_at = ${work.now}, attempts = attempts + 1
    WHERE id IN (SELECT d.id FROM deliveries AS d WHERE d.id = ANY(${ids}::uuid[]) AND d.state = 'queued' ORDER BY d.id FOR UPDATE)
    RETURNING id`)
  return new Set(marked.map(({ id }) => id))
}

/** Which of these deliveries are there. */
export async function known(work: Work, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await work.rows<{ id: string }>(sql`SELECT id FROM deliveries WHERE id = ANY(${ids}::uuid[])`)
  return new Set(rows.map(({ id }) => id))
}

/** Queues deliveries again whose marks may have been written, and whose attempts have not begun. */
export function takeBackMarks(work: Work, ids: readonly string[]): void {
  work.write(sql`
    UPDATE deliveries SET state = 'queued', attempts = attempts - 1, attempted_at = NULL
    WHERE id IN (SELECT d.id FROM deliveries AS d WHERE d.id = ANY(${ids}::uuid[]) AND d.state = 'attempted' ORDER BY d.id FOR UPDATE)`)
}

/** The end of an attempt. */
export interface AttemptOver {
  readonly id: string
  readonly result: DeliveryResult
  readonly retry: RetryDecision
}

/** Locks deliveries by their ids, and reads them. */
export async function lockDeliveries(work: Work, ids: readonly string[]): Promise<ReadonlyMap<string, Delivery>> {
  const rows = await selectDeliveries(work, sql`WHERE d.id = ANY(${ids}::uuid[]) ORDER BY d.id FOR UPDATE`)
  return new Map(rows.map((delivery) => [delivery.id, delivery]))
}

/** A delivery whose attempt ends, and how. */
export interface EndOfAttempt {
  readonly delivery: Delivery
  readonly result: DeliveryResult
  readonly retry: RetryDecision
}

/** Ends attempts of locked deliveries, after the clock was read. Answers when each is attempted again, null for never. */
export async function endAttempts(work: Work, ends: readonly EndOfAttempt[]): Promise<readonly (number | null)[]> {
  if (ends.length === 0) return []
  const nexts = ends.map(({ delivery, result, retry }) => retry(delivery, result))
  const answered = ends.map(({ result }) => (result.kind === 'answered' ? result : null))
  const failed = ends.map(({ result }) => (result.kind === 'failed' ? result : null))
  work.write(sql`
    UPDATE deliveries AS d SET state = over.state, next_attempt_at = over.next_attempt_at, http_status = over.http_status,
      failure = over.failure, detail = over.detail, duration_ms = over.duration_ms
    FROM unnest(
      ${ends.map(({ delivery }) => delivery.id)}::uuid[], ${nexts.map((at) => (at === null ? 'settled' : 'waiting'))}::text[],
      ${nexts}::bigint[], ${answered.map((result) => result?.httpStatus ?? null)}::integer[],
      ${failed.map((result) => result?.reason ?? null)}::text[], ${failed.map((result) => result?.detail ?? null)}::text[],
      ${ends.map(({ result }) => result.durationMs)}::bigint[]
    ) AS over (id, state, next_attempt_at, http_status, failure, detail, duration_ms) WHERE d.id = over.id`)
  for (const [i, { delivery, result }] of ends.entries()) {
    if (nexts[i] === null && !isDelivered(result)) await logFailure(work, { ...delivery, result })
  }
  return nexts
}

/** Lets deliveries wait no longer than they were to wait: the next `limit` behind one of them. Answers the last, null at the end. */
export async function adjustWaiting(
  work: Work,
  after: WaitingDelivery | null,
  limit: number,
): Promise<WaitingDelivery | null> {
  const nowMs = await work.readClock()
  const behind =
    after === null ? sql`` : sql`AND (d.next_attempt_at, d.id) > (${after.dueAt}::bigint, ${after.id}::uuid)`
  const waiting = await selectDeliveries(
    work,
    sql`WHERE d.state = 'waiting' ${behind} ORDER BY d.next_attempt_at, d.id LIMIT ${limit}::bigint FOR UPDATE`,
  )
  const ahead = waiting.flatMap((delivery) => {
    const adjusted = afterSetBack(delivery, nowMs)
    return adjusted === null ? [] : [{ id: delivery.id, ...adjusted }]
  })
  if (ahead.length > 0) {
    work.write(sql`
      UPDATE deliveries AS d SET attempted_at = new.attempted_at, next_attempt_at = new.next_attempt_at
      FROM unnest(
        ${ahead.map(({ id }) => id)}::uuid[], ${ahead.map(({ attemptedAt }) => attemptedAt)}::bigint[],
        ${ahead.map(({ nextAttemptAt }) => nextAttemptAt)}::bigint[]
      ) AS new (id, attempted_at, next_attempt_at) WHERE d.id = new.id`)
  }
  const last = waiting.length < limit ? undefined : waiting.at(-1)
  return last === undefined ? null : { dueAt: last.nextAttemptAt ?? 0, id: last.id }
}

/** Queues what is due, or settles it where it has had its attempts: the operator has lowered their number. */
export async function releaseDue(work: Work, attemptsMax: number, limit: number): Promise<readonly OwedDelivery[]> {
  const nowMs = await work.readClock()
  const due = await selectDeliveries(
    work,
    sql`WHERE d.state = 'waiting' AND d.next_attempt_at <= ${nowMs}::bigint
      ORDER BY d.next_attempt_at, d.id LIMIT ${limit}::bigint FOR UPDATE SKIP LOCKED`,
  )
  const over = due.filter((delivery) => isUsedUp(delivery, attemptsMax))
  const again = due.filter((delivery) => !isUsedUp(delivery, attemptsMax))
  const ids = (deliveries: readonly Delivery[]) => sql`id = ANY(${deliveries.map(({ id }) => id)}::uuid[])`
  work.write(sql`UPDATE deliveries SET state = 'settled', next_attempt_at = NULL WHERE ${ids(over)}`)
  work.write(sql`UPDATE deliveries SET state = 'queued', next_attempt_at = NULL WHERE ${ids(again)}`)
  for (const delivery of over) await logFailure(work, delivery)
  return again.map(owedBy)
}

/** Queues a delivery whose attempts are over, or that waits for another; its attempts are counted from 0 again. */
export async function redeliver(work: Work, owner: string, id: string): Promise<Outcome<Redelivery>> {
  const judged = judgeRedelivery((await lockDeliveries(work, [id])).get(id), owner, await work.readClock())
  if (!judged.ok) return judged
  const delivery: Delivery = {
    ...judged.value,
    state: 'queued',
    attemptsBefore: judged.value.attempts,
    nextAttemptAt: null,
  }
  work.write(sql`
    UPDATE deliveries SET state = 'queued', attempts_before = attempts, next_attempt_at = NULL WHERE id = ${id}::uuid`)
  const owed = owedBy(delivery)
  work.owes(owed)
  return succeed({ delivery, owed })
}

/** Locks deliveries that the rest of a statement on `deliveries AS d` selects, and reads them. */
export async function selectDeliveries(work: Work, rest: Fragment): Promise<readonly Delivery[]> {
  const rows = await work.rows<DeliveryColumns>(sql`SELECT ${DELIVERY_COLUMNS} FROM deliveries AS d ${rest}`)
  return rows.map(toDelivery)
}

/** Tells the owner that a delivery is not attempted again. */
async function logFailure(work: Work, { id, owner, status, attempts, result, invoiceId }: Delivery): Promise<void> {
  const data = deliveryData({ id, status, attempt: attempts, ...failureShown(result) })
  const invoice = await work.row<{ id: string }>(
    sql`SELECT i.id FROM invoices AS i WHERE ${isNamed(invoiceId) ?? sql`false`}`,
  )
  work.log(owner, { type: 'delivery.failed', invoiceId: invoice?.id ?? null, data })
}

function owedBy({ id, owner, url }: Delivery): OwedDelivery {
  return { id, lane: laneOf(owner, url), owner }
}
