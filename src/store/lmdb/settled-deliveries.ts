import type { Delivery } from '../../domain/webhook.js'
import { ID_BYTES, under, WIDE_BYTES } from './bytes.js'
import { deliveryCodec } from './delivery-codec.js'
import type { Identities } from './identities.js'
import type { Tables } from './tables.js'

/** Removes deliveries that were settled long ago. A settled delivery is in no index but its owner's list. */
export class SettledDeliveries {
  /** The last delivery that was looked at, so that those which stay cannot hide older ones behind them; null to begin. */
  private lookedTo: Buffer | null = null

  constructor(
    private readonly tables: Pick<Tables, 'deliveries' | 'ownerDeliveries'>,
    private readonly identities: Identities,
  ) {}

  /** Looks at the next `limit` deliveries in order of age, and answers how many of them it removed. In a commit. */
  removeBefore(timeMs: number, limit: number): number {
    const ids = this.next(timeMs, limit)
    this.lookedTo = ids.length < limit ? null : (ids.at(-1) ?? null)
    let removed = 0
    for (const id of ids) if (this.remove(id, timeMs)) removed += 1
    return removed
  }

  /** Ids begin with the time that they were made at. */
  private next(timeMs: number, limit: number): readonly Buffer[] {
    const start = this.lookedTo === null ? Buffer.alloc(0) : Buffer.concat([this.lookedTo, Buffer.of(0)])
    const end = Buffer.alloc(ID_BYTES)
    end.writeUIntBE(Math.max(0, timeMs), 0, WIDE_BYTES)
    if (Buffer.compare(start, end) >= 0) return []
    return [...this.tables.deliveries.getKeys({ start, end, limit })]
  }

  private remove(id: Buffer, timeMs: number): boolean {
    const bytes = this.tables.deliveries.get(id)
    const delivery = bytes === undefined ? undefined : deliveryCodec.decode(bytes)
    if (delivery === undefined || !wasSettledBefore(delivery, timeMs)) return false
    this.tables.ownerDeliveries.removeSync(under(this.identities.numberForRow(delivery.owner), id))
    this.tables.deliveries.removeSync(id)
    return true
  }
}

/** A redelivery may have settled it long after it was made. */
function wasSettledBefore(delivery: Omit<Delivery, 'id'>, timeMs: number): boolean {
  return delivery.state === 'settled' && (delivery.attemptedAt ?? delivery.createdAt) < timeMs
}
