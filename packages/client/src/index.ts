/** `@billhook/client`: a merchant's side of Billhook, for Node and browsers. docs/client.md describes it. */

export { amountOf, type ObservedAmount, type ReadableAmount } from './amount.js'
export { type Reply, refusalOf } from './answer.js'
export type * from './api-types.js'
export { Billhook } from './billhook.js'
export { BillhookError, type BillhookErrorDetails, type ClientErrorCode } from './error.js'
export {
  IDENTITY_PATH,
  identityFromPhrase,
  identityId,
  newPhrase,
  type PhraseOptions,
  privateKeyFromPhrase,
} from './identity.js'
export { assignWallet, type LedgerOptions, type LedgerSettings, onboard } from './ledger.js'
export type * from './options.js'
export { signedHeaders } from './signed-headers.js'
export { keySigner, type PrivateKey, type Signer } from './signer.js'
export type { Call, Fetch } from './transport.js'
export type { WaitOptions } from './wait.js'
export { walletIdsOf } from './wallets.js'
export {
  judgeWebhook,
  type VerifiedWebhook,
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookVerdict,
} from './webhook.js'
