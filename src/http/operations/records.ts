import { apiKeyRecords } from './records/api-key.js'
import { deliveredRecords } from './records/delivered.js'
import { depositRecords } from './records/deposit.js'
import { errorRecords } from './records/error.js'
import { eventRecords } from './records/event.js'
import { eventResultRecords } from './records/event-result.js'
import { infoRecords } from './records/info.js'
import { invoiceRecords } from './records/invoice.js'
import { orderRecords } from './records/order.js'
import { rateRecords } from './records/rates.js'
import { walletRecords } from './records/wallet.js'
import { webhookRecords } from './records/webhook.js'

/** The records that answers consist of: the schemas that the document has under a name, in its order. */
export const records = {
  ...errorRecords,
  ...invoiceRecords,
  ...orderRecords,
  ...apiKeyRecords,
  ...webhookRecords,
  ...eventRecords,
  ...walletRecords,
  ...infoRecords,
  ...depositRecords,
  ...eventResultRecords,
  ...rateRecords,
  ...deliveredRecords,
} as const

export type RecordName = keyof typeof records
