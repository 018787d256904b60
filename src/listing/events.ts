import type { OwnerEvent } from '../domain/event.js'
import type { Decimals } from '../domain/network.js'
import { type Columns, timeText } from './column.js'
import { amountText, currencyText } from './deposits.js'

/** Amounts and currencies as invoices have them. */
export function eventColumns(decimals: Decimals) {
  return {
    at: { title: 'At', kind: 'time', of: ({ at }) => timeText(at) },
    type: { title: 'Event', kind: 'word', of: ({ type }) => type },
    invoice: { title: 'Invoice', kind: 'id', of: ({ invoiceId }) => invoiceId },
    reference: { title: 'Reference', of: ({ reference }) => reference },
    details: { title: 'Details', of: (event) => detailsOf(event, decimals) },
    id: { title: 'Cursor', kind: 'id', of: ({ id }) => id },
  } satisfies Columns<OwnerEvent>
}

/** What an event tells beside its invoice. */
function detailsOf({ deposit, delivery }: OwnerEvent, decimals: Decimals): string | null {
  if (deposit !== null) {
    const { currency, network, txHash, index } = deposit
    return `${amountText(deposit, decimals)} ${currencyText(currency)} on ${network}, ${txHash} ${index}`
  }
  if (delivery === null) return null
  const { id, status, event, attempt, httpStatus, failure } = delivery
  return `${event?.type ?? status}, attempt ${attempt}: ${httpStatus === null ? failure : `status ${httpStatus}`}, ${id}`
}
