import { createHash } from 'node:crypto'
import type { Delivery } from '../../domain/webhook.js'
import { NUMBER_BYTES, timeOfId, under, WIDE_BYTES } from './bytes.js'
import type { Identities } from './identities.js'
import { RowCache } from './row-cache.js'

/** Bytes of the hash that stands for an origin in a lane key. */
const ORIGIN_BYTES = 8
export const LANE_BYTES = NUMBER_BYTES + ORIGIN_BYTES

/** Keys of lanes. A lane is an owner's receiver: its scheme, host and port. */
export class LaneKeys {
  /** By URL; it never changes. */
  private readonly origins = new RowCache<Buffer>()

  constructor(private readonly identities: Identities) {}

  /** In a commit. */
  of({ owner, url }: Pick<Delivery, 'owner' | 'url'>): Buffer {
    return under(this.identities.numberForRow(owner), this.originOf(url))
  }

  /** What stands for the origin of a URL. */
  private originOf(url: string): Buffer {
    const known = this.origins.get(url)
    if (known !== undefined) return known
    const origin = createHash('sha256').update(new URL(url).origin).digest().subarray(0, ORIGIN_BYTES)
    this.origins.set(url, origin)
    return origin
  }
}

/** An id of this time, or of the first later one that sorts behind the other. */
export function idBehind(other: Buffer, newId: (nowMs: number) => Buffer, nowMs: number): Buffer {
  const id = newId(Math.max(nowMs, timeOfId(other)))
  return Buffer.compare(other, id) < 0 ? id : newId(timeOfId(other) + 1)
}

/** Due deliveries sort by the time they are due at. */
export function dueKey(dueAt: number, id: Buffer): Buffer {
  const key = Buffer.allocUnsafe(WIDE_BYTES + id.length)
  key.writeUIntBE(dueAt, 0, WIDE_BYTES)
  key.set(id, WIDE_BYTES)
  return key
}
