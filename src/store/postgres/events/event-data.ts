import type { Sighting } from '../../../domain/deposit.js'
import type { FailedDelivery } from '../../../domain/event.js'

/*
 * What an event tells beside its type and its invoice, as JSON. A deposit that was dropped may come again as another one, and
 * deliveries are removed, so of those the event has a copy.
 */

export function depositData(
  { network, txHash, index, toAddress, currency, amount, receivedAt }: Sighting,
  isLate: boolean,
): string {
  const late = isLate ? true : undefined
  return JSON.stringify({ network, txHash, index, toAddress, currency, amount, receivedAt, late })
}

/** What `depositData` has told. */
export function readDepositData(data: string): { readonly deposit: Sighting; readonly isLate: boolean } {
  const { late, ...deposit } = JSON.parse(data) as Sighting & { readonly late?: true }
  return { deposit, isLate: late === true }
}

/** Without an event it is written as before events were sent, so that an event of then which is imported again is the same. */
export function deliveryData({ id, status, attempt, httpStatus, failure, event }: FailedDelivery): string {
  return JSON.stringify({ id, status, attempt, httpStatus, failure, ...(event === null ? {} : { event }) })
}

/** A delivery as `deliveryData` has written it. */
export function deliveryIn(data: string): FailedDelivery {
  const { event = null, ...rest }: Omit<FailedDelivery, 'event'> & Partial<Pick<FailedDelivery, 'event'>> =
    JSON.parse(data)
  return { ...rest, event }
}
