import { apiKeyOperations } from '../operations/api-keys.js'
import { eventOperations } from '../operations/events.js'
import { gatewayOperations } from '../operations/gateway.js'
import { invoiceOperations } from '../operations/invoices.js'
import type { DocumentedTag, Operations } from '../operations/operation.js'
import { orderOperations } from '../operations/orders.js'
import { paymentPageOperations } from '../operations/payment-pages.js'
import { sandboxOperations } from '../operations/sandbox.js'
import { serviceOperations } from '../operations/service.js'
import { walletOperations } from '../operations/wallets.js'
import { webhookOperations } from '../operations/webhooks.js'

/** Every operation of the document, in its order. */
export const documented: Operations<DocumentedTag> = {
  ...invoiceOperations,
  ...orderOperations,
  ...apiKeyOperations,
  ...webhookOperations,
  ...eventOperations,
  ...walletOperations,
  ...paymentPageOperations,
  ...serviceOperations,
  ...gatewayOperations,
  ...sandboxOperations,
}
