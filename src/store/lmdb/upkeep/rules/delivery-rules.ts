import { BoundedMap } from '../../../../base/bounded-map.js'
import { dueKey, originOf } from '../../outbox/deliveries.js'
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
    const ownerNo = reading.identity(webhookCodec.decode(value).owner)?.no
    const isOwners = ownerNo !== undefined && numberKey(ownerNo).equals(key)
    reading.expect(isOwners, 'its key is not the number of its owner in identities')
  },
})

export const deliveries: MakeRule = (reading) => new DeliveryRule(reading)

class DeliveryRule implements Rule {
  private readonly origins = new BoundedMap<string, Buffer>(ORIGINS_KEPT)

  constructor(private readonly reading: Reading) {}

  row(key: Buffer, value: Buffer): void {
    const { reading } = this
    const { owner, invoiceId, url, state, nextAttemptAt } = deliveryCodec.decode(value)
    if (key.length !== ID_BYTES) return reading.wrong('its key is not an id')
    const ownerNo = reading.identity(owner)?.no
    if (ownerNo === undefined) return reading.wrong('identities does not have its owner')
    const imported = reading.get('importedInvoices', Buffer.from(invoiceId))
    const invoice = imported ?? parseId<InvoiceId>(invoiceId)
    reading.expect(invoice !== undefined && reading.has('invoices', invoice), 'invoices does not have its invoice')
    reading.expect(
      (state === 'waiting') === (nextAttemptAt !== null),
      'it waits for no time, or has one and does not wait',
    )
    reading.owe('ownerDeliveries', under(ownerNo, key))
    if (state === 'queued') reading.owe('queuedDeliveries', this.queuedKey(ownerNo, url, key))
    if (state === 'attempted') reading.owe('attemptedDeliveries', key)
    if (nextAttemptAt !== null) reading.owe('waitingDeliveries', dueKey(nextAttemptAt, key as DeliveryId))
  }

  private queuedKey(ownerNo: OwnerNo, url: string, id: Buffer): Buffer {
    let origin = this.origins.get(url)
    if (origin === undefined) {
      origin = originOf(url)
      this.origins.set(url, origin)
    }
    return Buffer.concat([under(ownerNo, origin), id])
  }
}
