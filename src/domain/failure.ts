/**
 * The closed set of failures that a client can cause, by their stable `code`. Exceptions are for bugs and broken machines.
 *
 * The message is the specification's literal text where it gives one; `<name>` in it is replaced by a parameter.
 * `docs/errors.md` is generated from this table, with the statuses of `src/http/failure-status.ts` and the occasions of
 * `src/http/failure-occasions.ts`.
 */
export const failureMessages = {
  // Signed requests (specification, Errors, 401; decisions 2)
  missing_auth_headers: 'Missing API key auth headers.',
  invalid_timestamp: 'Request timestamp is too old or invalid.',
  invalid_signature: 'Invalid signature.',
  unknown_api_key: 'Unknown API key.',
  api_key_revoked: 'This API key has been revoked.',
  api_key_expired: 'This API key has expired.',
  permission_missing: "This API key does not have the '<permission>' permission.",

  // Strict mode (decisions 10)
  not_owner: 'This API key acts for another identity.',
  not_identity_key: 'The request is not signed with the key of this identity.',
  unknown_identity: 'This identity does not exist.',

  // Limits for each client address
  rate_limited: 'Too many requests from this address. Try again later.',
  too_many_claims: 'Too many wallets are handed out to this address. Try again later.',

  // API keys (decisions 3)
  invalid_api_key_registration:
    'An owner, a label, a compressed public key and at least one valid permission are required; ttlDays must be a positive number.',
  public_key_registered: 'This public key is already registered.',
  too_many_keys: 'This identity has too many active API keys. Revoke one first.',
  owner_required: 'An owner is required.',
  not_key_owner: 'This API key belongs to another identity.',
  api_key_not_found: 'No such API key.',

  // Invoices (specification, Errors, Invoice creation)
  invalid_invoice: 'Missing owner, walletIds or name, or a non-positive amount.',
  unsupported_currency: 'Unsupported currency.',
  wallet_not_owned: 'Every wallet must belong to this identity.',
  mixed_native_coins: 'A native amount needs wallets of one coin.',
  invalid_callback_url: 'callbackUrl must be a valid http(s) URL.',
  reference_in_use: 'This reference id is already in use by another invoice.',
  amount_in_use:
    'An unpaid invoice for this exact amount (<amount> <currency>) already exists on this wallet - use a different amount, or wait for it to be paid.',
  wallet_in_use: 'This wallet already has an unpaid invoice.',
  too_many_wallet_sets: 'This wallet is already part of too many different sets of wallets.',
  invalid_return_url:
    'returnUrl must be an absolute http(s) URL of at most 2048 characters, without user and password.',
  invalid_order_number: 'orderNumber must be a string.',
  invalid_metadata:
    'metadata must be an object of at most 20 strings, with keys of at most 40 and values of at most 500 characters.',
  invalid_expiry: 'expiresInSeconds must be an integer from 60 to 31536000.',
  request_repeated: 'This signed request has already created an invoice.',
  invalid_idempotency_key: 'Idempotency-Key must be 1 to 255 printable ASCII characters, quoted or bare.',
  idempotency_key_reused: 'This Idempotency-Key was used with another request body.',
  idempotency_in_progress: 'A request with this Idempotency-Key is still in progress.',
  invoice_paid: 'This invoice is paid or being paid.',
  invoice_void: 'This invoice is void.',
  not_invoice_owner: 'This invoice belongs to another identity.',
  invoice_not_found: 'No such invoice.',

  // Orders (decisions 15)
  invalid_order: 'An order needs an owner and a name; description and reference must be strings.',
  invalid_price: 'price must have an amount, a decimal greater than zero, and a currency of 2 to 12 characters.',
  invalid_options:
    'options must be 1 to 10 objects with walletIds, a currency and, if the amount is fixed, an amount; a wallet is in one option of a currency.',
  rate_unavailable: 'There is no current rate for this currency.',
  order_paid: 'This order is paid or being paid.',
  order_void: 'This order is void.',
  not_order_owner: 'This order belongs to another identity.',
  order_not_found: 'No such order.',

  // Notes of support, in the operator's own tools
  invalid_note:
    'A note has 1 to 2000 characters, one of them visible at least, and no control characters but line breaks.',
  too_many_notes: 'This invoice has 100 notes already. Remove one first.',

  // Identities, wallets and the gateway (decisions 8)
  invalid_identity: 'The identity must be a non-empty string of at most 128 characters.',
  no_wallet_available: 'No unassigned wallet is available. Try again later.',
  ledger_unreachable: 'The ledger could not be reached. Try again later.',
  invalid_gateway_signature: 'Invalid gateway signature.',
  invalid_events: 'The body must be {"events": [...]} with 1 to 1000 events.',

  // Rates (decisions 15)
  invalid_rates: 'The rates are refused: <reason>.',

  // The sandbox (decisions 9)
  invalid_sandbox_deposit: 'The simulated deposit is not valid: <reason>.',
  deposit_not_found: 'No such deposit.',

  // Webhooks (decisions 7)
  invalid_payload: "payload must be 'specified', 'with-invoice' or 'events'.",
  invalid_types: 'types must be a list of at least one type of events, each once.',
  invalid_overlap: 'overlapSeconds must be an integer from 0 to 604800.',
  no_callback_url: 'This identity has no default callback URL.',
  too_many_tests: 'Too many test deliveries. Try again later.',
  events_removed: 'Events after this cursor have been removed.',
  delivery_not_found: 'No such delivery.',
  delivery_in_progress: 'This delivery is already queued or being sent.',
  too_many_redeliveries: 'Too many redeliveries. Try again later.',

  // HTTP in general (decisions 1)
  invalid_query: 'The query parameter <parameter> is not valid.',
  invalid_json: 'The request body must be a JSON object in valid UTF-8.',
  cross_site: 'A page of another origin must not do this.',
  unsupported_media_type: 'A browser must send the body as application/json.',
  wrong_host: 'The service is not known under the name in the Host header.',
  malformed_request: 'The request is malformed.',
  not_found: 'Not found.',
  method_not_allowed: 'Method not allowed.',
  request_timeout: 'The request took too long to arrive.',
  length_required: 'The request body must be sent with a Content-Length.',
  body_too_large: 'The request body is too large.',
  headers_too_large: 'The request headers are too large.',
  internal: 'Internal error.',
  overloaded: 'The service is overloaded. Try again later.',
  shutting_down: 'The service is shutting down. Try again later.',
  not_ready: 'The service is not ready.',
  storage_unavailable: 'The service cannot store data at the moment. Try again later.',
} as const

export type FailureCode = keyof typeof failureMessages

/** What only the console and the commands of an operator are answered: no client of the API meets it. */
export const operatorFailures: ReadonlySet<FailureCode> = new Set(['invalid_note', 'too_many_notes'])

/** The codes that the API answers, in the order of the catalogue. */
export const apiFailures: readonly FailureCode[] = (Object.keys(failureMessages) as FailureCode[]).filter(
  (code) => !operatorFailures.has(code),
)

/** The field or parameter that a failure blames, if it is always the same one. */
export const blamedFields: Readonly<Partial<Record<FailureCode, string>>> = {
  owner_required: 'owner',
  unsupported_currency: 'currency',
  wallet_not_owned: 'walletIds',
  mixed_native_coins: 'walletIds',
  invalid_callback_url: 'callbackUrl',
  invalid_return_url: 'returnUrl',
  invalid_order_number: 'orderNumber',
  invalid_metadata: 'metadata',
  invalid_expiry: 'expiresInSeconds',
  invalid_idempotency_key: 'Idempotency-Key',
  invalid_identity: 'id',
  invalid_events: 'events',
  invalid_payload: 'payload',
  invalid_types: 'types',
  invalid_overlap: 'overlapSeconds',
  invalid_price: 'price',
  invalid_options: 'options',
  invalid_note: 'text',
}

/**
 * What an answer says beside its text, which is fixed, by code. A wallet is one that the request names. The reason for its refusal says
 * nothing about others: a wallet of another identity and one that nobody knows are refused alike.
 */
export const detailsOfFailures = {
  wallet_not_owned: ['wallet', 'reason'],
  amount_in_use: ['wallet'],
  wallet_in_use: ['wallet'],
  too_many_wallet_sets: ['wallet'],
  unsupported_currency: ['supported'],
  rate_unavailable: ['coin'],
} as const satisfies Readonly<Partial<Record<FailureCode, readonly (keyof FailureDetails)[]>>>

/** Why an invoice is not possible on a wallet. */
export const WALLET_REASONS = ['not_assigned', 'no_address'] as const
export type WalletReason = (typeof WALLET_REASONS)[number]

export interface FailureDetails {
  /** The id of a wallet to blame. */
  readonly wallet?: string
  /** Why that wallet is refused. */
  readonly reason?: WalletReason
  /** The values that the field may have. */
  readonly supported?: readonly string[]
  /** The symbol of the coin that has no rate. */
  readonly coin?: string
}

export interface Failure {
  readonly code: FailureCode
  /** The text for the client, parameters filled in. */
  readonly message: string
  /** The field of the body, or the parameter of the path or query, to blame; absent if there is none (decisions 1). */
  readonly field?: string
  /** Those that `detailsOfFailures` lists for the code. */
  readonly details?: FailureDetails
  /** Seconds after which the client may retry, if that is known. */
  readonly retryAfterSeconds?: number
}

/** Builds the failure `code`; `parameters` fill the `<name>` places of its message. */
export function failure(code: FailureCode, parameters: Readonly<Record<string, string>> = {}): Failure {
  const message = failureMessages[code].replace(/<(\w+)>/g, (place, name: string) => parameters[name] ?? place)
  const field = blamedFields[code]
  return field === undefined ? { code, message } : { code, message, field }
}

type Told<Code extends keyof typeof detailsOfFailures> = Required<
  Pick<FailureDetails, (typeof detailsOfFailures)[Code][number]>
>

/** The failure `code` with what its answer says beside the text. */
export function detailedFailure<Code extends keyof typeof detailsOfFailures>(
  code: Code,
  details: Told<Code>,
  parameters?: Readonly<Record<string, string>>,
): Failure {
  return { ...failure(code, parameters), details }
}

/** A failure after which the client may retry in `retryAfterSeconds`. */
export function retryLater(code: FailureCode, retryAfterSeconds: number): Failure {
  return { ...failure(code), retryAfterSeconds }
}

interface Refusal {
  readonly ok: false
  readonly failure: Failure
}

/** The result of an operation, or the failure that a client caused. */
export type Outcome<T> = Success<T> | Refusal

export interface Success<T> {
  readonly ok: true
  readonly value: T
  /** What was asked for was so already, and nothing was changed. */
  readonly isUnchanged?: true
}

export function succeed<T>(value: T): Outcome<T> {
  return { ok: true, value }
}

/** The outcome of what was done before, and is not done again. */
export function unchanged<T>(value: T): Success<T> {
  return { ok: true, value, isUnchanged: true }
}

export function refuse(code: FailureCode, parameters?: Readonly<Record<string, string>>): Refusal {
  return { ok: false, failure: failure(code, parameters) }
}

/** Refuses and blames `field`; if several fields are wrong, the first one. */
export function refuseField(code: FailureCode, field: string, parameters?: Readonly<Record<string, string>>): Refusal {
  return { ok: false, failure: { ...failure(code, parameters), field } }
}
