import type { Outcome } from '../../../domain/failure.js'
import { firstIdAt, ID } from '../../../domain/id.js'
import type { RetryDecision } from '../../../domain/retry.js'
import { type Delivery, type DeliveryResult, INTERRUPTED } from '../../../domain/webhook.js'
import type {
  LaneKey,
  LaneOfOwner,
  OldestQueued,
  OutboxDepth,
  OutboxPort,
  OwedDelivery,
  Redelivery,
  WaitingDelivery,
} from '../../outbox.js'
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
export class PostgresOutbox implements OutboxPort {
  /** The last delivery that `removeSettledBefore` has examined. */
  private removedTo: string | null = null

  private readonly attempts: Attempts

  constructor(
    private readonly database: Database,
    private readonly fence: Fence,
  ) {
    this.attempts = new Attempts(database, fence)
  }

  async find(id: string): Promise<Delivery | undefined> {
    if (!ID.test(id)) return undefined
    return (await this.select(sql`WHERE d.id = ${id}::uuid`))[0]
  }

  page(owner: string, page: Page): Promise<PageOf<Delivery>> {
    return this.newestFirst(sql`d.owner = ${owner}`, page)
  }

  nextOf(owner: string, page: Page): Promise<string | null> {
    return nextBehind(page, (behind, rows) =>
      this.database.readPage<{ readonly id: string }>(
        sql`SELECT d.id FROM deliveries AS d WHERE d.owner = ${owner} ${behind(sql`d.id`)} ORDER BY d.id DESC ${rows}`,
      ),
    )
  }

  /** The deliveries of all owners, newest first. */
  newest(page: Page): Promise<PageOf<Delivery>> {
    return this.newestFirst(sql`true`, page)
  }

  /** Deliveries of an owner that a condition on `deliveries AS d` selects, oldest first. */
  since(owner: string, condition: Fragment, limit: number): Promise<readonly Delivery[]> {
    return this.selectPage(sql`WHERE d.owner = ${owner} AND ${condition} ORDER BY d.id LIMIT ${limit}::bigint`)
  }

  /** Visits one delivery of each lane, however many are queued. */
  queuedLanes(): Promise<readonly LaneOfOwner[]> {
    return this.database.read<LaneOfOwner>(sql`
      WITH RECURSIVE lanes AS (
        (SELECT d.lane, d.owner FROM deliveries AS d WHERE d.state = 'queued' ORDER BY d.lane, d.id LIMIT 1)
        UNION ALL
        SELECT next.lane, next.owner FROM lanes CROSS JOIN LATERAL (
          SELECT d.lane, d.owner FROM deliveries AS d WHERE d.state = 'queued' AND d.lane > lanes.lane ORDER BY d.lane, d.id LIMIT 1
        ) AS next
      )
      SELECT lane, owner FROM lanes`)
  }

  async queued(lane: LaneKey, after: string | null, limit: number): Promise<readonly Delivery[]> {
    await this.attempts.takeBack()
    const behind = after === null ? sql`` : sql`AND d.id > ${after}::uuid`
    return this.select(
      sql`WHERE d.state = 'queued' AND d.lane = ${lane} ${behind} ORDER BY d.id LIMIT ${limit}::bigint`,
    )
  }

  markAttempted(id: string): Promise<boolean> {
    return this.attempts.mark(id)
  }

  recordResult(id: string, result: DeliveryResult, retry: RetryDecision): Promise<number | null> {
    return this.attempts.end({ id, result, retry })
  }

  settleInterrupted(retry: RetryDecision): Promise<number> {
    return settleAll((limit) =>
      this.database.write(async (work) => {
        await this.fence.hold(work)
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
    )
  }

  async nextRetryAt(): Promise<number | null> {
    const row = await this.database.readOne<{ at: number }>(sql`
      SELECT d.next_attempt_at AS at FROM deliveries AS d WHERE d.state = 'waiting' ORDER BY d.next_attempt_at, d.id LIMIT 1`)
    return row?.at ?? null
  }

  adjustRetries(after: WaitingDelivery | null, limit: number): Promise<WaitingDelivery | null> {
    return this.database.write(async (work) => {
      await this.fence.hold(work)
      return adjustWaiting(work, after, limit)
    })
  }

  releaseRetries(attemptsMax: number, limit: number): Promise<readonly OwedDelivery[]> {
    return this.database.write(async (work) => {
      await this.fence.hold(work)
      return releaseDue(work, attemptsMax, limit)
    })
  }

  redeliver(owner: string, id: string, trace?: string): Promise<Outcome<Redelivery>> {
    return this.database.writeRequested((work) => tracedIn(work, trace, redeliver(redeliveryIn(work), owner, id)))
  }

  async removeSettledBefore(timeMs: number, limit: number): Promise<number> {
    const behind = this.removedTo === null ? sql`` : sql`AND d.id > ${this.removedTo}::uuid`
    const examined = await this.database.read<{ id: string }>(sql`
      SELECT d.id FROM deliveries AS d WHERE d.id < ${firstIdAt(timeMs)}::uuid ${behind} ORDER BY d.id LIMIT ${limit}::bigint`)
    const ids = examined.map(({ id }) => id)
    this.removedTo = ids.length < limit ? null : (ids.at(-1) ?? null)
    // A redelivery may have settled it long after it was made.
    return this.database.writeRequested((work) =>
      work.wrote(sql`
        DELETE FROM deliveries AS d WHERE d.id = ANY(${ids}::uuid[]) AND d.state = 'settled'
          AND coalesce(d.attempted_at, d.created_at) < ${timeMs}::bigint`),
    )
  }

  async depth(): Promise<OutboxDepth> {
    const [row] = await this.database.readPage<OutboxDepth>(sql`
      SELECT (SELECT count(*) FROM deliveries WHERE state = 'queued') AS queued,
        (SELECT count(*) FROM deliveries WHERE state = 'attempted') AS attempted,
        (SELECT count(*) FROM deliveries WHERE state = 'waiting') AS waiting`)
    return row ?? { queued: 0, attempted: 0, waiting: 0 }
  }

  /** The first delivery of each lane is its oldest. */
  async oldestQueued(after: LaneKey | null, lanes: number): Promise<OldestQueued> {
    const rows = await this.database.read<{ lane: string; created_at: number }>(sql`
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

  private newestFirst(condition: Fragment, page: Page): Promise<PageOf<Delivery>> {
    return pageBehind(page, async (behind, limit) => {
      const found = await this.selectPage(
        sql`WHERE ${condition} ${behind(sql`d.id`)} ORDER BY d.id DESC LIMIT ${limit}::bigint`,
      )
      return found.map((item) => ({ item, id: item.id }))
    })
  }

  private async select(rest: Fragment): Promise<readonly Delivery[]> {
    return (await this.database.read<DeliveryColumns>(deliveriesWhere(rest))).map(toDelivery)
  }

  private async selectPage(rest: Fragment): Promise<readonly Delivery[]> {
    return (await this.database.readPage<DeliveryColumns>(deliveriesWhere(rest))).map(toDelivery)
  }
}

function deliveriesWhere(rest: Fragment): Fragment {
  return sql`SELECT ${DELIVERY_COLUMNS} FROM deliveries AS d ${rest}`
}
