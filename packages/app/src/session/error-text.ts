import type { BillhookError } from '@billhook/client'
import { NotSent } from '../invoices/not-sent.js'
import { KeyError, type KeyErrorCode } from '../keys/key-error.js'
import type { TextKey } from '../languages/en.js'
import { StorageError } from '../storage/storage-error.js'
import { NotLoaded } from './loaded.js'

/** Every code that the app can meet; `defect` is for what has none. */
export type KnownCode = BillhookError['code'] | KeyErrorCode | 'defect'

/** Which text says what is wrong and what to do, by code. The compiler asks for one for each code of the service. */
export const ERROR_TEXTS: Readonly<Record<KnownCode, TextKey>> = {
  // No answer, or none of the service
  unreachable: 'errorUnreachable',
  request_timeout: 'errorUnreachable',
  unexpected_answer: 'errorAnswer',
  overloaded: 'errorOverloaded',
  rate_limited: 'errorOverloaded',
  shutting_down: 'errorOverloaded',
  not_ready: 'errorOverloaded',
  storage_unavailable: 'errorOverloaded',
  internal: 'errorOverloaded',

  // The ledger
  ledger_unreachable: 'errorLedger',
  ledger_unavailable: 'errorLedger',
  ledger_uncertain: 'errorLedgerUncertain',
  ledger_rejected: 'errorLedgerRejected',
  wait_timeout: 'errorLedgerSlow',

  // Wallets
  no_wallet_available: 'errorNoWallet',
  too_many_claims: 'errorTooManyClaims',
  wallet_not_owned: 'errorWalletNotYours',
  mixed_native_coins: 'errorMixedCoins',

  // Invoices and orders
  amount_in_use: 'errorAmountInUse',
  wallet_in_use: 'errorWalletInUse',
  too_many_wallet_sets: 'errorWalletInUse',
  invoice_paid: 'errorInvoicePaid',
  order_paid: 'errorInvoicePaid',
  invoice_void: 'errorInvoiceVoid',
  order_void: 'errorInvoiceVoid',
  invoice_not_found: 'errorNotFound',
  order_not_found: 'errorNotFound',
  not_invoice_owner: 'errorNotYours',
  not_order_owner: 'errorNotYours',
  rate_unavailable: 'errorRate',
  invalid_options: 'errorOptions',
  reference_in_use: 'errorRepeated',
  request_repeated: 'errorRepeated',
  idempotency_key_reused: 'errorRepeated',
  idempotency_in_progress: 'errorInProgress',
  invalid_invoice: 'errorValues',
  invalid_order: 'errorValues',
  invalid_price: 'errorValues',
  invalid_order_number: 'errorValues',
  invalid_expiry: 'errorValues',
  unsupported_currency: 'errorValues',
  body_too_large: 'errorValues',

  // Keys and identities
  api_key_revoked: 'errorKeyRevoked',
  api_key_expired: 'errorKeyExpired',
  unknown_api_key: 'errorKeyUnknown',
  permission_missing: 'errorPermission',
  not_owner: 'errorNotOwner',
  invalid_identity: 'errorNotOwner',
  invalid_timestamp: 'errorClock',
  missing_auth_headers: 'errorReopen',
  no_key: 'errorReopen',
  unknown_identity: 'errorUnknownIdentity',
  not_identity_key: 'errorNotIdentityKey',
  too_many_keys: 'errorTooManyKeys',
  invalid_api_key_registration: 'errorValues',
  public_key_registered: 'errorRepeated',
  not_key_owner: 'errorNotYours',
  api_key_not_found: 'errorGone',

  // Webhooks and events
  invalid_callback_url: 'errorUrl',
  no_callback_url: 'errorNoUrl',
  too_many_tests: 'errorTooMany',
  too_many_redeliveries: 'errorTooMany',
  delivery_not_found: 'errorGone',
  delivery_in_progress: 'errorInProgress',
  events_removed: 'errorGone',

  // The sandbox
  invalid_sandbox_deposit: 'errorGone',
  deposit_not_found: 'errorGone',

  // Where the app was opened
  cross_site: 'errorPlace',
  wrong_host: 'errorPlace',
  insecure: 'errorInsecure',

  // This browser
  wrong_passphrase: 'errorWrongPassphrase',
  bad_phrase: 'errorBadPhrase',
  bad_key: 'errorBadKey',
  locked: 'errorLocked',
  occupied: 'errorOtherTab',
  empty: 'errorOtherTab',
  storage: 'errorStorage',

  // What the app does not send, and what no screen asks for
  defect: 'errorDefect',
  invalid_signature: 'errorDefect',
  owner_required: 'errorDefect',
  invalid_return_url: 'errorDefect',
  invalid_metadata: 'errorDefect',
  invalid_idempotency_key: 'errorDefect',
  invalid_gateway_signature: 'errorDefect',
  invalid_events: 'errorDefect',
  invalid_rates: 'errorDefect',
  invalid_payload: 'errorDefect',
  invalid_types: 'errorDefect',
  invalid_overlap: 'errorDefect',
  invalid_query: 'errorDefect',
  invalid_json: 'errorDefect',
  unsupported_media_type: 'errorDefect',
  malformed_request: 'errorDefect',
  not_found: 'errorDefect',
  method_not_allowed: 'errorDefect',
  length_required: 'errorDefect',
  headers_too_large: 'errorDefect',
  webhook_rejected: 'errorDefect',
  amount_unknown: 'errorDefect',
}

/** Characters of what others say in a text of ours. */
const TOLD_MAX = 300

export interface ErrorText {
  readonly key: TextKey
  readonly values: Readonly<Record<string, string>>
}

/** The words for a failure: by its code; of a code that is newer than the app, with what the service says. */
export function errorText(error: unknown): ErrorText {
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : String(error)
  const key = Object.hasOwn(ERROR_TEXTS, code) ? ERROR_TEXTS[code as KnownCode] : 'errorOther'
  // What has no code is known by its message alone.
  return { key, values: { message: clipped(message), code: clipped(code === 'defect' ? message : code) } }
}

function codeOf(error: unknown): string {
  if (error instanceof KeyError || error instanceof StorageError || error instanceof NotLoaded) return error.code
  if (error instanceof NotSent) return 'storage'
  return isOfClient(error) ? error.code : 'defect'
}

/** By its name: its class would bring the whole client into the first screen. */
function isOfClient(error: unknown): error is BillhookError {
  return error instanceof Error && error.name === ('BillhookError' satisfies BillhookError['name'])
}

function clipped(text: string): string {
  return text.length > TOLD_MAX ? `${text.slice(0, TOLD_MAX)}…` : text
}
