import { firstIdAt, ID } from '../../../domain/id.js'
import { type Delivery, INTERRUPTED } from '../../../domain/webhook.js'
import type { LaneKey, LaneOfOwner, OldestQueued, OutboxDepth, OutboxPort } from '../../outbox.js'
import type { Page, PageOf } from '../../reading.js'
import { endAttempt, redeliver, settleAll } from '../../rules/deliveries.js'
import { tracedIn } from '../audit.js'
import type { Database } from '../connection/database.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Fence } from '../fence.js'
import { nextBehind, pageBehind } from '../pages.js'
import { Attempts } from './attempts.js'
import { adjustWaiting, putNexts, redeliveryIn, releaseDue, selectDeliveries } from './deliveries.js'
import { DELIVERY_COLUMNS, type DeliveryColumns, toDelivery } from './delivery-rows.js'

/** Deliveries: queued, attempted, waiting and settled. */
export function postgresOutbox(database: Database, fence: Fence): OutboxPort {
  const attempts = new Attempts(database, fence)
  /** The last delivery that `removeSettledBefore` has examined. */
  let removedTo: string | null = null
  const select = async (rest: Fragment) => (await database.read<DeliveryColumns>(deliveriesWhere(rest))).map(toDelivery)
  return {
    find: async (id) => (ID.test(id) ? (await select(sql`WHERE d.id = ${id}::uuid`))[0] : undefined),
    page: (owner, page) => newestFirst(database, sql`d.owner = ${owner}`, page),
    nextOf: (owner, page) =>
      nextBehind(page, (behind, rows) =>
        database.readPage<{ readonly id: string }>(
          sql`SELECT d.id FROM deliveries AS d WHERE d.owner = ${owner} ${behind(sql`d.id`)} ORDER BY d.id DESC ${rows}`,
        ),
      ),
    queuedLanes: () => readLanes(database),
    async queued(lane, after, limit) {
      await attempts.takeBack()
      const behind = after === null ? sql`` : sql`AND d.id > ${after}::uuid`
      return select(sql`WHERE d.state = 'queued' AND d.lane = ${lane} ${behind} ORDER BY d.id LIMIT ${limit}::bigint`)
    },
    markAttempted: (id) => attempts.mark(id),
    recordResult: (id, result, retry) => attempts.end({ id, result, retry }),
    settleInterrupted: (retry) =>
      settleAll((limit) =>
        database.write(async (work) => {
          await fence.hold(work)
          const attempted = await selectDeliveries(
            work,
            sql`WHERE d.state = 'attempted' ORDER BY d.id LIMIT ${limit}::bigint FOR UPDATE`,
          )
          await work.readClock()
          await putNexts(
            work,
            attempted.map((delivery) => endAttempt(delivery, INTERRUPTED, retry)),
          )
          return attempted.length
        }),
      ),
    async nextRetryAt() {
      const row = await database.readOne<{ at: number }>(sql`
        SELECT d.next_attempt_at AS at FROM deliveries AS d WHERE d.state = 'waiting' ORDER BY d.next_attempt_at, d.id LIMIT 1`)
      return row?.at ?? null
    },
    adjustRetries: (after, limit) =>
      database.write(async (work) => {
        await fence.hold(work)
        return adjustWaiting(work, after, limit)
      }),
    releaseRetries: (attemptsMax, limit) =>
      database.write(async (work) => {
        await fence.hold(work)
        return releaseDue(work, attemptsMax, limit)
      }),
    redeliver: (owner, id, trace) =>
      database.writeRequested((work) => tracedIn(work, trace, redeliver(redeliveryIn(work), owner, id))),
    async removeSettledBefore(timeMs, limit) {
      const behind = removedTo === null ? sql`` : sql`AND d.id > ${removedTo}::uuid`
      const examined = await database.read<{ id: string }>(sql`
        SELECT d.id FROM deliveries AS d WHERE d.id < ${firstIdAt(timeMs)}::uuid ${behind} ORDER BY d.id LIMIT ${limit}::bigint`)
      const ids = examined.map(({ id }) => id)
      removedTo = ids.length < limit ? null : (ids.at(-1) ?? null)
      // A redelivery may have settled it long after it was made.
      return database.writeRequested((work) =>
        work.wrote(sql`
          DELETE FROM deliveries AS d WHERE d.id = ANY(${ids}::uuid[]) AND d.state = 'settled'
            AND coalesce(d.attempted_at, d.created_at) < ${timeMs}::bigint`),
      )
    },
    async depth() {
      const [row] = await database.readPage<OutboxDepth>(sql`
        SELECT (SELECT count(*) FROM deliveries WHERE state = 'queued') AS queued,
          (SELECT count(*) FROM deliveries WHERE state = 'attempted') AS attempted,
          (SELECT count(*) FROM deliveries WHERE state = 'waiting') AS waiting`)
      return row ?? { queued: 0, attempted: 0, waiting: 0 }
    },
    oldestQueued: (after, lanes) => readOldest(database, after, lanes),
  }
}

/** The deliveries of all owners, newest first. */
export function newestDeliveries(database: Database, page: Page): Promise<PageOf<Delivery>> {
  return newestFirst(database, sql`true`, page)
}

/** Deliveries of an owner that a condition on `deliveries AS d` selects, oldest first. */
export function deliveriesSince(
  database: Database,
  owner: string,
  condition: Fragment,
  limit: number,
): Promise<readonly Delivery[]> {
  return selectPage(database, sql`WHERE d.owner = ${owner} AND ${condition} ORDER BY d.id LIMIT ${limit}::bigint`)
}

/** Visits one delivery of each lane, however many are queued. */
function readLanes(database: Database): Promise<readonly LaneOfOwner[]> {
  return database.read<LaneOfOwner>(sql`
    WITH RECURSIVE lanes AS (
      (SELECT d.lane, d.owner FROM deliveries AS d WHERE d.state = 'queued' ORDER BY d.lane, d.id LIMIT 1)
      UNION ALL
      SELECT next.lane, next.owner FROM lanes CROSS JOIN LATERAL (
        SELECT d.lane, d.owner FROM deliveries AS d WHERE d.state = 'queued' AND d.lane > lanes.lane ORDER BY d.lane, d.id LIMIT 1
      ) AS next
    )
    SELECT lane, owner FROM lanes`)
}

/** The first delivery of each lane is its oldest. */
async function readOldest(database: Database, after: LaneKey | null, lanes: number): Promise<OldestQueued> {
  const rows = await database.read<{ lane: string; created_at: number }>(sql`
    WITH RECURSIVE oldest AS (
      (SELECT d.lane, d.created_at, 1 AS place FROM deliveries AS d WHERE d.state = 'queued' AND d.lane > ${after ?? ''}
        ORDER BY d.lane, d.id LIMIT 1)
      UNION ALL
      SELECT next.lane, next.created_at, oldest.place + 1 FROM oldest CROSS JOIN LATERAL (
        SELECT d.lane, d.created_at FROM deliveries AS d WHERE d.state = 'queued' AND d.lane > oldest.lane
        ORDER BY d.lane, d.id LIMIT 1
      ) AS next WHERE oldest.place < ${lanes}::bigint
    )
    SELECT lane, created_at FROM oldest ORDER BY lane`)
  const createdAt = rows.length === 0 ? null : Math.min(...rows.map(({ created_at }) => created_at))
  return { createdAt, next: rows.length < lanes ? null : (rows.at(-1)?.lane ?? null) }
}

function newestFirst(database: Database, condition: Fragment, page: Page): Promise<PageOf<Delivery>> {
  return pageBehind(page, async (behind, limit) => {
    const rest = sql`WHERE ${condition} ${behind(sql`d.id`)} ORDER BY d.id DESC LIMIT ${limit}::bigint`
    return (await selectPage(database, rest)).map((item) => ({ item, id: item.id }))
  })
}

async function selectPage(database: Database, rest: Fragment): Promise<readonly Delivery[]> {
  return (await database.readPage<DeliveryColumns>(deliveriesWhere(rest))).map(toDelivery)
}

function deliveriesWhere(rest: Fragment): Fragment {
  return sql`SELECT ${DELIVERY_COLUMNS} FROM deliveries AS d ${rest}`
}
