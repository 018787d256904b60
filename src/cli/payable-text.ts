import { timeOrNull, timeText } from '../listing/column.js'
import type { Fields } from './output.js'
import type { PayableRecord } from './payable.js'

/** As `--metadata` takes it. */
function metadataText(metadata: PayableRecord['metadata']): string | null {
  if (metadata === null) return null
  return Object.entries(metadata)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')
}

/** What an invoice and an order both tell people of themselves. */
export function payableFields(payable: PayableRecord): Fields {
  return [
    ['Name', payable.name],
    ['Description', payable.description],
    ['Order number', payable.orderNumber],
    ['Reference', payable.reference],
    ['Owner', payable.owner],
    ['Return to', payable.returnUrl],
    ['Metadata', metadataText(payable.metadata)],
    ['Created', timeText(payable.created_at)],
    ['Void since', timeOrNull(payable.voided_at)],
    ['Accepted', timeOrNull(payable.accepted_at)],
    ['Expires', timeOrNull(payable.expires_at)],
  ]
}
