import { INTERRUPTED } from '../../../domain/webhook.js'
import type { LaneKey, LaneOfOwner, OldestQueued, OutboxPort } from '../../outbox.js'
import { adjust, redeliver, settleAll } from '../../rules/deliveries.js'
import type { AtOnce } from '../at-once.js'
import { tracedIn } from '../audit-rows.js'
import type { Snapshot } from '../commit/commit.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { nextOfOwner, pageOfOwner } from '../identities/owner-lists.js'
import { type DeliveryId, endOf, ID_BYTES, idOfKey, parseId, WIDE_BYTES } from '../tables/keys.js'
import { firstKey, NOTHING, rowCount } from '../tables/tables.js'
import {
  adjustWaiting,
  dueKey,
  endAttemptOf,
  LANE_BYTES,
  markAttempted,
  redeliveryIn,
  releaseDue,
  removeSettledBefore,
} from './deliveries.js'
import { findDelivery, getDelivery } from './delivery-rows.js'

/** A key of `queued-deliveries`: lane, delivery. */
const QUEUED_KEY_BYTES = LANE_BYTES + ID_BYTES
const BEHIND_ALL = Buffer.alloc(QUEUED_KEY_BYTES + 1, 0xff)

/** Deliveries: queued, attempted, waiting and settled. */
export function lmdbOutbox(commits: CommitLoop): AtOnce<OutboxPort> {
  return {
    find(id) {
      const bytes = parseId<DeliveryId>(id)
      return bytes === undefined ? undefined : findDelivery(commits.snapshot, bytes)
    },
    page(owner, page) {
      const { snapshot } = commits
      return pageOfOwner(snapshot, snapshot.tables.ownerDeliveries, ID_BYTES, owner, page, (key) =>
        getDelivery(snapshot, idOfKey<DeliveryId>(key)),
      )
    },
    nextOf(owner, page) {
      const { snapshot } = commits
      return nextOfOwner(snapshot, snapshot.tables.ownerDeliveries, ID_BYTES, owner, page)
    },
    queuedLanes: () => queuedLanes(commits.snapshot),
    queued(lane, after, limit) {
      const { snapshot } = commits
      const prefix = Buffer.from(lane, 'hex')
      const start = after === null ? prefix : Buffer.concat([prefix, Buffer.from(after, 'hex'), Buffer.of(0)])
      const range = { start, end: endOf(prefix, QUEUED_KEY_BYTES + 1), limit }
      const keys = [...snapshot.tables.queuedDeliveries.getKeys(range)]
      return keys.map((key) => getDelivery(snapshot, idOfKey<DeliveryId>(key)))
    },
    markAttempted: (id) => commits.runAdmitted((commit) => markAttempted(commit, namedId(id))),
    recordResult: (id, result, retry) =>
      commits.runAdmitted((commit) => endAttemptOf(commit, namedId(id), result, retry)),
    settleInterrupted: (retry) =>
      settleAll((limit) =>
        commits.runAdmitted((commit) => {
          const ids = [...commit.tables.attemptedDeliveries.getKeys({ limit })]
          for (const id of ids) endAttemptOf(commit, id as DeliveryId, INTERRUPTED, retry)
          return ids.length
        }),
      ),
    nextRetryAt() {
      const { waitingDeliveries } = commits.snapshot.tables
      return firstKey(waitingDeliveries, NOTHING, BEHIND_ALL)?.readUIntBE(0, WIDE_BYTES) ?? null
    },
    async adjustRetries(after, limit) {
      const { snapshot } = commits
      const start = after === null ? NOTHING : endOf(dueKey(after.dueAt, namedId(after.id)), WIDE_BYTES + ID_BYTES + 1)
      const keys = [...snapshot.tables.waitingDeliveries.getKeys({ start, limit })]
      const { nowMs } = snapshot
      const isAhead = (key: Buffer) => adjust(getDelivery(snapshot, idOfKey<DeliveryId>(key)), nowMs) !== null
      const ahead = keys.filter(isAhead)
      if (ahead.length > 0) await commits.runAdmitted((commit) => adjustWaiting(commit, ahead))
      const last = keys.length < limit ? undefined : keys.at(-1)
      return last === undefined
        ? null
        : { dueAt: last.readUIntBE(0, WIDE_BYTES), id: idOfKey<DeliveryId>(last).toString('hex') }
    },
    releaseRetries: (attemptsMax, limit) => commits.runAdmitted((commit) => releaseDue(commit, attemptsMax, limit)),
    redeliver: (owner, id, trace) =>
      commits.run((commit) => tracedIn(commit, trace, redeliver(redeliveryIn(commit), owner, id))),
    removeSettledBefore: (timeMs, limit) => commits.run((commit) => removeSettledBefore(commit, timeMs, limit)),
    depth() {
      const { queuedDeliveries, attemptedDeliveries, waitingDeliveries } = commits.snapshot.tables
      return {
        queued: rowCount(queuedDeliveries),
        attempted: rowCount(attemptedDeliveries),
        waiting: rowCount(waitingDeliveries),
      }
    },
    oldestQueued: (after, lanes) => oldestQueued(commits.snapshot, after, lanes),
  }
}

function queuedLanes(snapshot: Snapshot): readonly LaneOfOwner[] {
  const lanes: LaneOfOwner[] = []
  for (let key = firstQueued(snapshot, null); key !== undefined; ) {
    const lane = laneText(key)
    const { owner } = getDelivery(snapshot, idOfKey<DeliveryId>(key))
    lanes.push({ lane, owner })
    key = firstQueued(snapshot, lane)
  }
  return lanes
}

/** The first delivery of each lane is its oldest, and its id begins with the time it was made at. */
function oldestQueued(snapshot: Snapshot, after: LaneKey | null, lanes: number): OldestQueued {
  let lane = after
  let createdAt: number | null = null
  for (let seen = 0; seen < lanes; seen += 1) {
    const key = firstQueued(snapshot, lane)
    if (key === undefined) return { createdAt, next: null }
    lane = laneText(key)
    const madeAt = key.readUIntBE(LANE_BYTES, WIDE_BYTES)
    createdAt = createdAt === null ? madeAt : Math.min(createdAt, madeAt)
  }
  return { createdAt, next: lane }
}

/** The key of the first delivery in the first lane behind `after`. */
function firstQueued({ tables }: Snapshot, after: LaneKey | null): Buffer | undefined {
  const start = after === null ? NOTHING : endOf(Buffer.from(after, 'hex'), QUEUED_KEY_BYTES + 1)
  return firstKey(tables.queuedDeliveries, start, BEHIND_ALL)
}

function laneText(key: Buffer): LaneKey {
  return key.toString('hex', 0, LANE_BYTES)
}

/** An id that the store itself has given. */
function namedId(id: string): DeliveryId {
  return Buffer.from(id, 'hex') as DeliveryId
}
