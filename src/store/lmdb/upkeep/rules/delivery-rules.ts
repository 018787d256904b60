import { BoundedMap } from '../../../../base/bounded-map.js'
import { isAbsoluteHttpUrl } from '../../../../domain/text.js'
import { type Delivery, isDelivered } from '../../../../domain/webhook.js'
import { cursorCodec } from '../../events/event-cursors.js'
import { positionOf } from '../../events/event-log.js'
import { contentOf } from '../../events/event-rows.js'
import { dueKey, originBytes } from '../../outbox/deliveries.js'
import { deliveryCodec } from '../../outbox/delivery-rows.js'
import {
  type DeliveryId,
  ID_BYTES,
  type InvoiceId,
  numberKey,
  type OwnerNo,
  parseId,
  under,
} from '../../tables/keys.js'
import { webhookCodec } from '../../webhooks/webhook-configurations.js'
import type { Reading } from '../reading.js'
import type { MakeRule, Rule } from './rule.js'

/** Receivers that are kept while deliveries go to them again and again. */
const ORIGINS_KEPT = 32_768

/** Rows stand for themselves: an owner configures a webhook, and may remove it. */
export const webhooks: MakeRule = (reading) => ({
  row(key, value) {
    const { owner, callbackUrl, payload } = webhookCodec.decode(value)
    const ownerNo = reading.identity(owner)?.no
    const isOwners = ownerNo !== undefined && numberKey(ownerNo).equals(key)
    reading.expect(isOwners, 'its key is not the number of its owner in identities')
    reading.expect(callbackUrl === null || isAbsoluteHttpUrl(callbackUrl), 'no webhook can be sent to its URL')
    if (payload === 'events')
      reading.expect(reading.has('eventCursors', key), 'event-cursors does not say which are sent')
  },
})

const EVENT_ID = /^[0-9a-f]{16}$/

/** The events that wait to be sent of an owner who has chosen events, or had. */
export const eventCursors: MakeRule = (reading) => ({
  row(key, value) {
    const { owner, after, until } = cursorCodec.decode(value)
    const ownerNo = reading.identity(owner)?.no
    reading.expect(
      ownerNo !== undefined && numberKey(ownerNo).equals(key),
      'its key is not the number of its owner in identities',
    )
    reading.expect(
      EVENT_ID.test(after) && (until === null || (EVENT_ID.test(until) && after < until)),
      'it stands at no event, or behind its end',
    )
    const stored = reading.get('webhooks', key)
    const payload = stored === undefined ? null : webhookCodec.decode(stored).payload
    reading.expect(
      payload !== null && (until === null) === (payload === 'events'),
      'its owner has not chosen events in webhooks, or it ends although the owner has',
    )
  },
})

export const deliveries: MakeRule = (reading) => new DeliveryRule(reading)

type StoredDelivery = Omit<Delivery, 'id'>

class DeliveryRule implements Rule {
  private readonly origins = new BoundedMap<string, Buffer>(ORIGINS_KEPT)

  constructor(private readonly reading: Reading) {}

  row(key: Buffer, value: Buffer): void {
    const { reading } = this
    const delivery = deliveryCodec.decode(value)
    const { owner, invoiceId, status, event, url, state, nextAttemptAt } = delivery
    if (key.length !== ID_BYTES) return reading.wrong('its key is not an id')
    const ownerNo = reading.identity(owner)?.no
    if (ownerNo === undefined) return reading.wrong('identities does not have its owner')
    if (invoiceId !== null) {
      const imported = reading.get('importedInvoices', Buffer.from(invoiceId))
      const invoice = imported ?? parseId<InvoiceId>(invoiceId)
      reading.expect(invoice !== undefined && reading.has('invoices', invoice), 'invoices does not have its invoice')
    }
    reading.expect(
      event === null ? status !== null && invoiceId !== null : status === null,
      'it tells of no deposit and no event, or of both',
    )
    reading.expect(
      (state === 'waiting') === (nextAttemptAt !== null),
      'it waits for no time, or has one and does not wait',
    )
    reading.owe('ownerDeliveries', under(ownerNo, key))
    this.checkEvent(key.toString('hex'), ownerNo, delivery)
    if (state === 'queued') reading.owe('queuedDeliveries', this.queuedKey(ownerNo, url, key))
    if (state === 'attempted') reading.owe('attemptedDeliveries', key)
    if (nextAttemptAt !== null) reading.owe('waitingDeliveries', dueKey(nextAttemptAt, key as DeliveryId))
  }

  /**
   * The clock may have been set back before an attempt ended, but the failure stands behind the event that it tells, which a deposit is
   * too.
   */
  private checkEvent(
    id: string,
    ownerNo: OwnerNo,
    { state, result, event, attempts, createdAt }: StoredDelivery,
  ): void {
    if (state !== 'settled' || result === null || isDelivered(result)) return
    const { reading } = this
    if (event !== null && !EVENT_ID.test(event.id)) return reading.wrong('it tells of an event that has no id')
    const toldMs = event === null ? createdAt : positionOf(Buffer.from(event.id, 'hex')).timeMs
    if (reading.logged.isMissing(ownerNo, toldMs, (one) => isFailure(one, id, attempts))) {
      reading.wrong('owner-events does not have that it failed')
    }
  }

  private queuedKey(ownerNo: OwnerNo, url: string, id: Buffer): Buffer {
    let origin = this.origins.get(url)
    if (origin === undefined) {
      origin = originBytes(url)
      this.origins.set(url, origin)
    }
    return Buffer.concat([under(ownerNo, origin), id])
  }
}

/** A delivery that is sent again may fail again, after more attempts. */
function isFailure(event: Buffer, id: string, attempts: number): boolean {
  const content = contentOf(event)
  return content.type === 'delivery.failed' && content.delivery.id === id && content.delivery.attempt === attempts
}
