/** How a failure is described to the client (`message`) and to readers of the documentation (`when`). */
export interface FailureAbout {
  readonly message: string
  readonly when: string
  /** The field or parameter to blame, if it is always the same one. */
  readonly field?: string
}

/**
 * The closed set of failures that a client can cause. Exceptions are for bugs and broken machines. `docs/errors.md` is
 * generated from this table, with the statuses of `src/http/failure-status.ts`.
 *
 * The key is the stable `code`. `message` is the specification's literal text where it gives one; `<name>` in it is
 * replaced by a parameter.
 */
export const failureCatalogue = {
  // Signed requests (specification, Errors, 401; decisions 2)
  missing_auth_headers: {
    message: 'Missing API key auth headers.',
    when: 'One or two of the three signed-request headers are present, or one of them is empty; or none is, where the service takes signed requests only.',
  },
  invalid_timestamp: {
    message: 'Request timestamp is too old or invalid.',
    when: 'X-Service-Timestamp is not Unix milliseconds within five minutes of the server clock.',
  },
  invalid_signature: {
    message: 'Invalid signature.',
    when: 'The signature is not base64 of a strict DER ECDSA signature over the request by the key in X-Service-Api-Key.',
  },
  unknown_api_key: { message: 'Unknown API key.', when: 'The public key is not registered.' },
  api_key_revoked: { message: 'This API key has been revoked.', when: 'The key was revoked.' },
  api_key_expired: { message: 'This API key has expired.', when: 'The time is past expires_at.' },
  permission_missing: {
    message: "This API key does not have the '<permission>' permission.",
    when: 'The key was registered without the permission that the route needs.',
  },

  // Strict mode (decisions 10)
  not_owner: {
    message: 'This API key acts for another identity.',
    when: 'Strict mode: the identity in the path, or in the body of a revocation, is not the owner of the key that signed.',
  },
  not_identity_key: {
    message: 'The request is not signed with the key of this identity.',
    when: 'Strict mode: the owner of a registration is not the identity that belongs to the key that signed.',
  },
  unknown_identity: {
    message: 'This identity does not exist.',
    when: 'Strict mode: the owner of a registration is known neither here nor to the ledger that is asked. Onboard it first.',
  },

  // Limits for each client address
  rate_limited: {
    message: 'Too many requests from this address. Try again later.',
    when: 'The address has used up what the operator allows it in a minute.',
  },
  too_many_claims: {
    message: 'Too many wallets are handed out to this address. Try again later.',
    when: 'The address holds as many claimed wallets of the network as the operator allows it; a claim ends with its lease or when its wallet is assigned.',
  },

  // API keys (decisions 3)
  invalid_api_key_registration: {
    message:
      'An owner, a label, a compressed public key and at least one valid permission are required; ttlDays must be a positive number.',
    when: 'A field of POST /api/api-keys is missing or invalid, or no valid permission remains.',
  },
  public_key_registered: {
    message: 'This public key is already registered.',
    when: 'A key record, active or not, already holds the public key.',
  },
  too_many_keys: {
    message: 'This identity has too many active API keys. Revoke one first.',
    when: 'The owner of a registration has 100 active keys. Revoked and expired keys do not count.',
  },
  owner_required: {
    field: 'owner',
    message: 'An owner is required.',
    when: 'The revoke request names no owner.',
  },
  not_key_owner: {
    message: 'This API key belongs to another identity.',
    when: 'The owner of a revoke request is not the owner of the key.',
  },
  api_key_not_found: { message: 'No such API key.', when: 'No key has the id in the path.' },

  // Invoices (specification, Errors, Invoice creation)
  invalid_invoice: {
    message: 'Missing owner, walletIds or name, or a non-positive amount.',
    when: 'A field of POST /api/invoices is missing, has the wrong type or is out of bounds.',
  },
  unsupported_currency: {
    field: 'currency',
    message: 'Unsupported currency.',
    when: 'currency is neither native nor USDT.',
  },
  wallet_not_owned: {
    field: 'walletIds',
    message: 'Every wallet must belong to this identity.',
    when: 'A wallet is unknown or belongs to another identity, or its assignment or its address has not reached the service yet.',
  },
  invalid_callback_url: {
    field: 'callbackUrl',
    message: 'callbackUrl must be a valid http(s) URL.',
    when: 'callbackUrl is not an absolute http: or https: URL of at most 2048 characters.',
  },
  reference_in_use: {
    message: 'This reference id is already in use by another invoice.',
    when: 'Another invoice of any owner has the reference.',
  },
  amount_in_use: {
    message:
      'An unpaid invoice for this exact amount (<amount> <currency>) already exists on this wallet - use a different amount, or wait for it to be paid.',
    when: 'An unpaid invoice of equal amount and currency exists on one of the wallets.',
  },
  wallet_in_use: {
    message: 'This wallet already has an unpaid invoice.',
    when: 'BILLHOOK_SHARED_WALLETS is off, and an unpaid invoice of the currency exists on one of the wallets.',
  },
  too_many_wallet_sets: {
    message: 'This wallet is already part of too many different sets of wallets.',
    when: 'Unpaid invoices on 64 different sets of wallets already share one of the wallets.',
  },
  invalid_expiry: {
    message: 'expiresInSeconds must be an integer from 60 to 31536000.',
    field: 'expiresInSeconds',
    when: 'expiresInSeconds is not an integer, or is out of bounds.',
  },
  request_repeated: {
    message: 'This signed request has already created an invoice.',
    when: 'The same key, timestamp and body have created an invoice without a reference within the last ten minutes. Sign again to create another one.',
  },
  invalid_idempotency_key: {
    field: 'Idempotency-Key',
    message: 'Idempotency-Key must be 1 to 255 printable ASCII characters, quoted or bare.',
    when: 'The Idempotency-Key header is neither a quoted string nor a bare key of at most 255 characters.',
  },
  idempotency_key_reused: {
    message: 'This Idempotency-Key was used with another request body.',
    when: 'An invoice was created under the same Idempotency-Key from another body within the last 24 hours.',
  },
  idempotency_in_progress: {
    message: 'A request with this Idempotency-Key is still in progress.',
    when: 'An earlier request with the same Idempotency-Key has not been answered yet.',
  },
  invoice_paid: {
    message: 'This invoice is paid or being paid.',
    when: 'What an invoice received and what is pending cover its amount, so it cannot be voided.',
  },
  not_invoice_owner: {
    message: 'This invoice belongs to another identity.',
    when: 'The owner that asks to void an invoice is not the owner of the invoice.',
  },
  invoice_not_found: { message: 'No such invoice.', when: 'No invoice has the id in the path.' },

  // Identities, wallets and the gateway (decisions 8)
  invalid_identity: {
    field: 'id',
    message: 'The identity must be a non-empty string of at most 128 characters.',
    when: 'The identity in the path is empty or too long to be stored.',
  },
  no_wallet_available: {
    message: 'No unassigned wallet is available. Try again later.',
    when: 'Every unassigned wallet of the network is handed out or assigned.',
  },
  ledger_unreachable: {
    message: 'The ledger could not be reached. Try again later.',
    when: 'Whether an identity exists is unknown here and the ledger does not answer. It means unknown, not no.',
  },
  invalid_gateway_signature: {
    message: 'Invalid gateway signature.',
    when: 'The gateway headers are missing, too old, or do not sign the body with the shared secret.',
  },
  invalid_events: {
    field: 'events',
    message: 'The body must be {"events": [...]} with 1 to 1000 events.',
    when: 'The body of POST /internal/events is not a list of 1 to 1000 events.',
  },

  // The sandbox (decisions 9)
  invalid_sandbox_deposit: {
    message: 'The simulated deposit is not valid: <reason>.',
    when: 'A field of a simulated deposit is missing, malformed or contradicts another.',
  },
  deposit_not_found: {
    message: 'No such deposit.',
    when: 'No simulated deposit has the transaction hash.',
  },

  // Webhooks (decisions 7)
  invalid_payload: {
    field: 'payload',
    message: "payload must be 'specified' or 'with-invoice'.",
    when: 'payload of PUT /api/users/:id/webhook is something else.',
  },
  invalid_overlap: {
    field: 'overlapSeconds',
    message: 'overlapSeconds must be an integer from 0 to 604800.',
    when: 'overlapSeconds of a rotation is something else.',
  },
  no_callback_url: {
    message: 'This identity has no default callback URL.',
    when: 'A test delivery of an identity that has not set one with PUT /api/users/:id/webhook.',
  },
  too_many_tests: {
    message: 'Too many test deliveries. Try again later.',
    when: 'A test delivery of the identity is in progress, or it has requested more than six in a minute.',
  },
  delivery_not_found: {
    message: 'No such delivery.',
    when: 'No delivery of the identity has the id in the path.',
  },
  delivery_in_progress: {
    message: 'This delivery is already queued or being sent.',
    when: 'A redelivery of a webhook whose present attempt is not over.',
  },
  too_many_redeliveries: {
    message: 'Too many redeliveries. Try again later.',
    when: 'This delivery was redelivered within the last minute, or the identity has asked for more than 60 redeliveries in a minute.',
  },

  // HTTP in general (decisions 1)
  invalid_query: {
    message: 'The query parameter <parameter> is not valid.',
    when: 'A query parameter is malformed, or the endpoint has none of its name.',
  },
  invalid_json: {
    message: 'The request body must be a JSON object in valid UTF-8.',
    when: 'The body is not JSON, not UTF-8, or not an object.',
  },
  cross_site: {
    message: 'A page of another origin must not do this.',
    when: 'A browser sent the request for a page that is neither of the public URL nor of BILLHOOK_CORS_ORIGINS.',
  },
  unsupported_media_type: {
    message: 'A browser must send the body as application/json.',
    when: 'A request with a body has an Origin or Sec-Fetch-Site header, and its Content-Type is not application/json.',
  },
  wrong_host: {
    message: 'The service is not known under the name in the Host header.',
    when: 'The service listens on loopback, and Host names neither loopback nor the host of BILLHOOK_PUBLIC_URL.',
  },
  malformed_request: { message: 'The request is malformed.', when: 'The request is not valid HTTP.' },
  not_found: { message: 'Not found.', when: 'No route has the path.' },
  method_not_allowed: {
    message: 'Method not allowed.',
    when: 'The path exists, but not for the method; Allow lists those that do.',
  },
  request_timeout: {
    message: 'The request took too long to arrive.',
    when: 'The request was not complete within the time allowed.',
  },
  length_required: {
    message: 'The request body must be sent with a Content-Length.',
    when: 'The request has a Transfer-Encoding. With uWebSockets.js, the default HTTP server, none is accepted; the connection is closed.',
  },
  body_too_large: {
    message: 'The request body is too large.',
    when: 'The body exceeds 64 KiB (1 MiB for /internal/events).',
  },
  headers_too_large: {
    message: 'The request headers are too large.',
    when: 'The header section exceeds what the server reads.',
  },
  internal: { message: 'Internal error.', when: 'A defect or a broken machine; the log has the details.' },
  overloaded: {
    message: 'The service is overloaded. Try again later.',
    when: 'A bounded queue is full.',
  },
  shutting_down: {
    message: 'The service is shutting down. Try again later.',
    when: 'The service is draining.',
  },
  not_ready: {
    message: 'The service is not ready.',
    when: 'GET /readyz: the store is not open or the verification threads are not up.',
  },
  storage_unavailable: {
    message: 'The service cannot store data at the moment. Try again later.',
    when: 'The disk refuses writes; reads go on.',
  },
} as const satisfies Record<string, FailureAbout>

export type FailureCode = keyof typeof failureCatalogue

export interface Failure {
  readonly code: FailureCode
  /** The text for the client, parameters filled in. */
  readonly message: string
  /** The field of the body, or the parameter of the path or query, to blame; absent if there is none (decisions 1). */
  readonly field?: string
  /** Seconds after which the client may retry, if that is known. */
  readonly retryAfterSeconds?: number
}

/** Builds the failure `code`; `parameters` fill the `<name>` places of its message. */
export function failure(code: FailureCode, parameters: Readonly<Record<string, string>> = {}): Failure {
  const about: FailureAbout = failureCatalogue[code]
  const message = about.message.replace(/<(\w+)>/g, (place, name: string) => parameters[name] ?? place)
  return about.field === undefined ? { code, message } : { code, message, field: about.field }
}

/** Builds a failure that blames `field`; if several fields are wrong, the first one. */
export function fieldFailure(
  code: FailureCode,
  field: string,
  parameters: Readonly<Record<string, string>> = {},
): Failure {
  return { ...failure(code, parameters), field }
}

/** A failure after which the client may retry in `retryAfterSeconds`. */
export function retryLater(code: FailureCode, retryAfterSeconds: number): Failure {
  return { ...failure(code), retryAfterSeconds }
}

/** The result of an operation, or the failure that a client caused. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure }

export function succeed<T>(value: T): Outcome<T> {
  return { ok: true, value }
}

export function refuse(
  code: FailureCode,
  parameters?: Readonly<Record<string, string>>,
): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: failure(code, parameters) }
}

/** Refuses and blames `field`; if several fields are wrong, the first one. */
export function refuseField(
  code: FailureCode,
  field: string,
  parameters?: Readonly<Record<string, string>>,
): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: fieldFailure(code, field, parameters) }
}
