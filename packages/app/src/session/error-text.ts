import { BillhookError } from '@billhook/client'
import { KeyError, type KeyErrorCode } from '../keys/key-error.js'
import type { TextKey } from '../languages/en.js'

/** Which text says what is wrong and what to do, by code. */
const TEXTS: Readonly<Partial<Record<BillhookError['code'] | KeyErrorCode, TextKey>>> = {
  unreachable: 'errorUnreachable',
  unexpected_answer: 'errorUnreachable',
  overloaded: 'errorOverloaded',
  rate_limited: 'errorOverloaded',
  shutting_down: 'errorOverloaded',
  not_ready: 'errorOverloaded',
  storage_unavailable: 'errorOverloaded',
  internal: 'errorOverloaded',
  ledger_unreachable: 'errorLedger',
  ledger_unavailable: 'errorLedger',
  ledger_uncertain: 'errorLedgerUncertain',
  ledger_rejected: 'errorLedgerRejected',
  no_wallet_available: 'errorNoWallet',
  too_many_claims: 'errorTooManyClaims',
  amount_in_use: 'errorAmountInUse',
  wallet_in_use: 'errorWalletInUse',
  too_many_wallet_sets: 'errorWalletInUse',
  api_key_revoked: 'errorKeyRevoked',
  api_key_expired: 'errorKeyExpired',
  unknown_api_key: 'errorKeyUnknown',
  permission_missing: 'errorPermission',
  invalid_timestamp: 'errorClock',
  invoice_paid: 'errorInvoicePaid',
  invoice_void: 'errorInvoiceVoid',
  invoice_not_found: 'errorNotFound',
  order_not_found: 'errorNotFound',
  order_paid: 'errorInvoicePaid',
  order_void: 'errorInvoiceVoid',
  rate_unavailable: 'errorRate',
  invalid_options: 'errorOptions',
  unknown_identity: 'errorUnknownIdentity',
  not_identity_key: 'errorNotIdentityKey',
  too_many_keys: 'errorTooManyKeys',
  invalid_callback_url: 'errorUrl',
  no_callback_url: 'errorNoUrl',
  too_many_tests: 'errorTooMany',
  too_many_redeliveries: 'errorTooMany',
  wrong_passphrase: 'errorWrongPassphrase',
  bad_phrase: 'errorBadPhrase',
  bad_key: 'errorBadKey',
  locked: 'errorLocked',
  insecure: 'errorInsecure',
}

export interface ErrorText {
  readonly key: TextKey
  readonly values: Readonly<Record<string, string>>
}

/** The words for a failure: by its code, else with what the service says. */
export function errorText(error: unknown): ErrorText {
  const isKnown = error instanceof BillhookError || error instanceof KeyError
  const code = isKnown ? error.code : 'defect'
  const message = error instanceof Error ? error.message : String(error)
  const key = TEXTS[code as keyof typeof TEXTS]
  return { key: key ?? 'errorOther', values: { message, code } }
}
