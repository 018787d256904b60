import { createHash } from 'node:crypto'
import type { Delivery } from '../../../domain/webhook.js'
import type { Commit } from '../commit/commit-loop.js'
import { internOwner } from '../identities/identities.js'
import { NUMBER_BYTES, timeKey, timeOfId, under } from '../tables/bytes.js'
import type { DeliveryId } from '../tables/names.js'

/** Bytes of the hash that stands for an origin in the key of a lane. */
const ORIGIN_BYTES = 8
export const LANE_BYTES = NUMBER_BYTES + ORIGIN_BYTES

/** The key of a lane: the owner, and the scheme, host and port of its receiver. */
export function laneOf(commit: Commit, { owner, url }: Pick<Delivery, 'owner' | 'url'>): Buffer {
  const { origins } = commit.caches
  const ownerNo = internOwner(commit, owner)
  const known = origins.get(url)
  if (known !== undefined) return under(ownerNo, known)
  const origin = createHash('sha256').update(new URL(url).origin).digest().subarray(0, ORIGIN_BYTES)
  origins.set(url, origin)
  return under(ownerNo, origin)
}

/** An id of this time, or of the first later one that sorts behind the other. */
export function idBehind(other: DeliveryId, commit: Commit): DeliveryId {
  const id = commit.newId(Math.max(commit.nowMs, timeOfId(other)))
  return (Buffer.compare(other, id) < 0 ? id : commit.newId(timeOfId(other) + 1)) as DeliveryId
}

/** Due deliveries sort by the time they are due at. */
export function dueKey(dueAt: number, id: DeliveryId): Buffer {
  return Buffer.concat([timeKey(dueAt), id])
}
