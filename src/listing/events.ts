import type { OwnerEvent } from '../domain/event.js'
import { type Columns, timeText } from './column.js'

/** What an event tells beside its invoice. */
function detailsOf({ deposit, delivery }: OwnerEvent): string | null {
  if (deposit !== null) {
    const { amount, currency, network, txHash, index } = deposit
    return `${amount} ${currency ?? 'of no currency'} on ${network}, ${txHash} ${index}`
  }
  if (delivery === null) return null
  const { id, status, attempt, httpStatus, failure } = delivery
  return `${status}, attempt ${attempt}: ${httpStatus === null ? failure : `status ${httpStatus}`}, ${id}`
}

export const eventColumns = {
  at: { title: 'At', kind: 'time', of: ({ at }) => timeText(at) },
  type: { title: 'Event', of: ({ type }) => type },
  invoice: { title: 'Invoice', kind: 'id', of: ({ invoiceId }) => invoiceId },
  reference: { title: 'Reference', of: ({ reference }) => reference },
  details: { title: 'Details', of: detailsOf },
  id: { title: 'Cursor', kind: 'id', of: ({ id }) => id },
} satisfies Columns<OwnerEvent>
