import type { RetryDecision } from '../../../domain/retry.js'
import type { Delivery, DeliveryResult } from '../../../domain/webhook.js'
import type { OwedDelivery, WaitingDelivery } from '../../outbox.js'
import { adjust, type Next, type RedeliveryWork, release } from '../../rules/deliveries.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { deliveryData } from '../events/event-data.js'
import { isNamed } from '../invoices/invoice-rows.js'
import { DELIVERY_COLUMNS, type DeliveryColumns, toDelivery } from './delivery-rows.js'
import { laneOf } from './new-deliveries.js'

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
  const ahead = waiting.map((delivery) => adjust(delivery, nowMs)).filter((delivery) => delivery !== null)
  await putNexts(
    work,
    ahead.map((delivery) => ({ delivery, failed: null })),
  )
  const last = waiting.length < limit ? undefined : waiting.at(-1)
  return last === undefined ? null : { dueAt: last.nextAttemptAt ?? 0, id: last.id }
}

/** Releases what is due, and answers what was queued. */
export async function releaseDue(work: Work, attemptsMax: number, limit: number): Promise<readonly OwedDelivery[]> {
  const nowMs = await work.readClock()
  const due = await selectDeliveries(
    work,
    sql`WHERE d.state = 'waiting' AND d.next_attempt_at <= ${nowMs}::bigint
      ORDER BY d.next_attempt_at, d.id LIMIT ${limit}::bigint FOR UPDATE SKIP LOCKED`,
  )
  const nexts = due.map((delivery) => release(delivery, attemptsMax))
  await putNexts(work, nexts)
  return nexts.filter(({ failed }) => failed === null).map(({ delivery }) => owedBy(delivery))
}

/** What a unit of work does to queue a delivery once more. */
export function redeliveryIn(work: Work): RedeliveryWork {
  return {
    readClock: () => work.readClock(),
    delivery: async (id) => (await lockDeliveries(work, [id])).get(id),
    queue: (delivery) => {
      const owed = owedBy(delivery)
      putDeliveries(work, [delivery])
      work.owes(owed)
      return owed
    },
  }
}

/** Writes what became of deliveries that are locked, and tells their owners. */
export async function putNexts(work: Work, nexts: readonly Next[]): Promise<void> {
  putDeliveries(
    work,
    nexts.map(({ delivery }) => delivery),
  )
  const told = nexts.map(async ({ delivery: { owner, invoiceId }, failed }) => {
    if (failed === null) return null
    const named = (invoiceId === null ? null : isNamed(invoiceId)) ?? sql`false`
    const invoice = await work.row<{ id: string }>(sql`SELECT i.id FROM invoices AS i WHERE ${named}`)
    return {
      owner,
      event: { type: 'delivery.failed', invoiceId: invoice?.id ?? null, data: deliveryData(failed) },
    } as const
  })
  for (const one of await Promise.all(told)) if (one !== null) work.log(one.owner, one.event)
}

function putDeliveries(work: Work, deliveries: readonly Delivery[]): void {
  if (deliveries.length === 0) return
  const column = <T>(of: (delivery: Delivery) => T) => deliveries.map(of)
  const answered = column(({ result }) => (result?.kind === 'answered' ? result : null))
  const failed = column(({ result }) => (result?.kind === 'failed' ? result : null))
  work.write(sql`
    UPDATE deliveries AS d SET state = next.state, attempted_at = next.attempted_at, attempts_before = next.attempts_before,
      next_attempt_at = next.next_attempt_at, http_status = next.http_status, failure = next.failure, detail = next.detail,
      duration_ms = next.duration_ms
    FROM unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ state }) => state)}::text[],
      ${column(({ attemptedAt }) => attemptedAt)}::bigint[], ${column(({ attemptsBefore }) => attemptsBefore)}::bigint[],
      ${column(({ nextAttemptAt }) => nextAttemptAt)}::bigint[], ${answered.map((result) => result?.httpStatus ?? null)}::integer[],
      ${failed.map((result) => result?.reason ?? null)}::text[], ${failed.map((result) => result?.detail ?? null)}::text[],
      ${column(({ result }) => result?.durationMs ?? null)}::bigint[]
    ) AS next (id, state, attempted_at, attempts_before, next_attempt_at, http_status, failure, detail, duration_ms)
    WHERE d.id = next.id`)
}

/** Locks deliveries that the rest of a statement on `deliveries AS d` selects, and reads them. */
export async function selectDeliveries(work: Work, rest: Fragment): Promise<readonly Delivery[]> {
  const rows = await work.rows<DeliveryColumns>(sql`SELECT ${DELIVERY_COLUMNS} FROM deliveries AS d ${rest}`)
  return rows.map(toDelivery)
}

function owedBy({ id, owner, url }: Delivery): OwedDelivery {
  return { id, lane: laneOf(owner, url), owner }
}
