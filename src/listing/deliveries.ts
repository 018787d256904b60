import { type Delivery, deliveryState } from '../domain/webhook.js'
import { type Columns, timeText } from './column.js'

/** How the last attempt that is over ended. */
function outcomeText({ result }: Delivery): string | null {
  if (result === null) return null
  return result.kind === 'answered' ? String(result.httpStatus) : result.reason
}

export const deliveryColumns = {
  created: { title: 'Created', kind: 'time', of: ({ createdAt }) => timeText(createdAt) },
  id: { title: 'Delivery', kind: 'id', of: ({ id }) => id },
  state: { title: 'State', kind: 'word', of: deliveryState },
  outcome: { title: 'Outcome', kind: 'word', of: outcomeText },
  attempts: { title: 'Attempts', kind: 'figure', of: ({ attempts }) => String(attempts) },
  told: { title: 'Tells', kind: 'word', of: toldBy },
  invoice: { title: 'Invoice', kind: 'id', of: ({ invoiceId }) => invoiceId },
  url: { title: 'Sent to', of: ({ url }) => url },
} satisfies Columns<Delivery>

/** What a webhook tells: the status of a deposit, or with the payload `events` the type of the event. */
export function toldBy({ status, event }: Pick<Delivery, 'status' | 'event'>): string | null {
  return status ?? event?.type ?? null
}
