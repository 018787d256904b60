import { createHash } from 'node:crypto'
import { failureShown } from '../../../domain/event.js'
import { type Outcome, succeed } from '../../../domain/failure.js'
import { isUsedUp, judgeRedelivery, type RetryDecision } from '../../../domain/retry.js'
import { type Delivery, type DeliveryResult, isDelivered } from '../../../domain/webhook.js'
import type { OwedDelivery, Redelivery } from '../../outbox.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { deliveryData } from '../events/event-data.js'
import { isNamed } from '../invoices/invoice-rows.js'
import { DELIVERY_COLUMNS, type DeliveryColumns, toDelivery } from './delivery-rows.js'

/*
 * The life of a delivery:
 *
 *     queued ──► attempted ──► settled
 *       ▲            │            │
 *       ├─ waiting ◄─┘            │
 *       └── redelivered ◄─────────┘
 */

const LANE_HEX_LENGTH = 32
const LANE_SEPARATOR = '\n'

/** A delivery that a deposit causes. */
type NewDelivery = Pick<Delivery, 'owner' | 'invoiceId' | 'status' | 'url' | 'body'>

/** Queues a delivery, in the transaction of the deposit that caused it. */
export async function enqueueDelivery(work: Work, delivery: NewDelivery): Promise<OwedDelivery> {
  const { owner, invoiceId, status, url, body } = delivery
  const id = await nextId(work)
  const lane = laneOf(owner, url)
  work.write(sql`
    INSERT INTO deliveries (id, owner, lane, invoice_id, status, url, body, state, created_at, attempts, attempts_before)
    VALUES (${id}::uuid, ${owner}, ${lane}, ${invoiceId}, ${status}, ${url}, ${body}, 'queued', ${work.nowMs}::bigint, 0, 0)`)
  return { id, lane, owner }
}

/** False when it is not queued any more, so that no attempt is made twice. */
export async function markAttempted(work: Work, id: string): Promise<boolean> {
  const nowMs = await work.readClock()
  const written = await work.wrote(sql`
    UPDATE deliveries SET state = 'attempted', attempted_at = ${nowMs}::bigint, attempts = attempts + 1
    WHERE id = ${id}::uuid AND state = 'queued'`)
  if (written > 0) return true
  if ((await work.row(sql`SELECT 1 FROM deliveries WHERE id = ${id}::uuid`)) === undefined) {
    throw new Error('a mark names a delivery that is not there')
  }
  return false
}

/**
 * Ends the attempt in progress. A result for another delivery would send that one again, or replace its result.
 * Answers when it is attempted again, null for never.
 */
export async function endAttempt(
  work: Work,
  id: string,
  result: DeliveryResult,
  retry: RetryDecision,
): Promise<number | null> {
  const delivery = await lockDelivery(work, id)
  await work.readClock()
  if (delivery === undefined) throw new Error('an attempt names a delivery that is not there')
  return endAttemptOf(work, delivery, result, retry)
}

/** The same, for a locked delivery after the clock was read. */
export async function endAttemptOf(
  work: Work,
  delivery: Delivery,
  result: DeliveryResult,
  retry: RetryDecision,
): Promise<number | null> {
  const { id, state } = delivery
  if (state !== 'attempted') throw new Error('a delivery that is not being attempted has no result')
  const nextAttemptAt = retry(delivery, result)
  const next = nextAttemptAt === null ? 'settled' : 'waiting'
  const answered = result.kind === 'answered' ? result : null
  const failed = result.kind === 'failed' ? result : null
  work.write(sql`
    UPDATE deliveries SET state = ${next}, next_attempt_at = ${nextAttemptAt}::bigint, http_status = ${answered?.httpStatus ?? null},
      failure = ${failed?.reason ?? null}, detail = ${failed?.detail ?? null}, duration_ms = ${result.durationMs}::bigint
    WHERE id = ${id}::uuid`)
  if (nextAttemptAt === null && !isDelivered(result)) await logFailure(work, { ...delivery, result })
  return nextAttemptAt
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
  const known = await lockDelivery(work, id)
  const judged = judgeRedelivery(known, owner, await work.readClock())
  if (!judged.ok) return judged
  const delivery: Delivery = {
    ...judged.value,
    state: 'queued',
    attemptsBefore: judged.value.attempts,
    nextAttemptAt: null,
  }
  work.write(sql`
    UPDATE deliveries SET state = 'queued', attempts_before = attempts, next_attempt_at = NULL WHERE id = ${id}::uuid`)
  return succeed({ delivery, owed: owedBy(delivery) })
}

/** Locks deliveries that the rest of a statement on `deliveries AS d` selects, and reads them. */
export async function selectDeliveries(work: Work, rest: Fragment): Promise<readonly Delivery[]> {
  const rows = await work.rows<DeliveryColumns>(sql`SELECT ${DELIVERY_COLUMNS} FROM deliveries AS d ${rest}`)
  return rows.map(toDelivery)
}

async function lockDelivery(work: Work, id: string): Promise<Delivery | undefined> {
  return (await selectDeliveries(work, sql`WHERE d.id = ${id}::uuid FOR UPDATE`))[0]
}

/** Tells the owner that a delivery is not attempted again. */
async function logFailure(work: Work, { id, owner, status, attempts, result, invoiceId }: Delivery): Promise<void> {
  const data = deliveryData({ id, status, attempt: attempts, ...failureShown(result) })
  const invoice = await work.row<{ id: string }>(
    sql`SELECT i.id FROM invoices AS i WHERE ${isNamed(invoiceId) ?? sql`false`}`,
  )
  work.log(owner, { type: 'delivery.failed', invoiceId: invoice?.id ?? null, data })
}

/**
 * An id behind those of all deliveries, of this time if that is possible: whoever has read the queue up to an id finds the
 * `confirmed` of a deposit behind its `pending`.
 */
async function nextId(work: Work): Promise<string> {
  const own = work.newId()
  const [head] = await work.written<{ newest: string }>(sql`
    INSERT INTO delivery_head AS head (singleton, newest) VALUES (true, ${own}::uuid)
    ON CONFLICT (singleton) DO UPDATE SET newest = greatest(head.newest, excluded.newest) RETURNING newest`)
  if (head === undefined || head.newest === own) return own
  const id = work.newId(timeOf(head.newest) + 1)
  work.write(sql`UPDATE delivery_head SET newest = ${id}::uuid`)
  return id
}

const TIME_HEX_LENGTH = 12

function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, TIME_HEX_LENGTH), 16)
}

function owedBy({ id, owner, url }: Delivery): OwedDelivery {
  return { id, lane: laneOf(owner, url), owner }
}

/** Names a lane: the owner, and the scheme, host and port of its receiver. */
function laneOf(owner: string, url: string): string {
  const name = owner + LANE_SEPARATOR + new URL(url).origin
  return createHash('sha256').update(name).digest('hex').slice(0, LANE_HEX_LENGTH)
}
