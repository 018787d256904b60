import type { Sighting } from '../../../domain/deposit.js'
import type { FailedDelivery } from '../../../domain/event.js'

/*
 * What an event tells beside its type and its invoice, as JSON. A deposit that was dropped may come again as another one, and
 * deliveries are removed, so of those the event has a copy.
 */

export function depositData({ network, txHash, index, toAddress, currency, amount, receivedAt }: Sighting): string {
  return JSON.stringify({ network, txHash, index, toAddress, currency, amount, receivedAt })
}

export function deliveryData({ id, status, attempt, httpStatus, failure }: FailedDelivery): string {
  return JSON.stringify({ id, status, attempt, httpStatus, failure })
}
