/** `@billhook/client`: a merchant's side of Billhook, for Node and browsers. docs/client.md describes it. */

export { type Reply, refusalOf } from './answer.js'
export type * from './api-types.js'
export {
  type ApiKeyDraft,
  Billhook,
  type BillhookOptions,
  type InvoiceDraft,
  type InvoiceFilter,
  type ListOptions,
  type NewInvoice,
} from './billhook.js'
export { BillhookError, type ClientErrorCode } from './error.js'
export { IDENTITY_PATH, identityFromPhrase, identityId, newPhrase } from './identity.js'
export { assignWallet, type LedgerOptions, type LedgerSettings, onboard } from './ledger.js'
export { signedHeaders } from './signed-headers.js'
export { keySigner, type PrivateKey, type Signer } from './signer.js'
export type { Call } from './transport.js'
export type { WaitOptions } from './wait.js'
export {
  judgeWebhook,
  type VerifiedWebhook,
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookVerdict,
} from './webhook.js'
