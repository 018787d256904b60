// Needs no package.
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Your shop. All that it does for one event, `remember` included, belongs into one transaction of your database. */
export interface Shop {
  isKnown(eventId: string): boolean
  remember(eventId: string): void
  /** Ships an order that is not shipped yet: an invoice that was found paid can be accepted, too. */
  ship(reference: string): void
  /** The payment was taken back by a reorganisation of the network. */
  hold(reference: string): void
  release(reference: string): void
  note(reference: string, text: string): void
}

/** Takes a webhook with the payload `events`, and answers the HTTP status. `body` is the bytes as they arrived. */
export function receiveEvent(body: Uint8Array, signature: string, secret: string, shop: Shop): number {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 401
  const { id, type, data, test } = JSON.parse(Buffer.from(body).toString())
  // Money to a wallet that belongs to no order has no reference: reconciliation is for that.
  if (test === true || data.reference === null || shop.isKnown(id)) return 204
  switch (type) {
    case 'invoice.paid':
    case 'invoice.accepted':
      shop.ship(data.reference)
      break
    case 'invoice.unpaid':
      shop.hold(data.reference)
      break
    case 'invoice.expired':
    case 'invoice.voided':
      shop.release(data.reference)
      break
    case 'deposit.pending':
    case 'deposit.confirmed':
    case 'deposit.dropped':
      // `late`: it came after the invoice had become void, which cannot be accepted any more. Refund it, or ship by hand.
      shop.note(data.reference, `${type}${data.late === true ? ', late' : ''} ${data.deposit.txHash}`)
      break
  }
  shop.remember(id)
  return 204
}
