import type { FailureCode } from '../domain/failure.js'

/** When each failure is answered: the column "When" of docs/errors.md, and the reference. One without it does not compile. */
export const failureOccasions: Readonly<Record<FailureCode, string>> = {
  missing_auth_headers:
    'One or two of the three signed-request headers are present, or one of them is empty; or none is, where the service takes signed requests only.',
  invalid_timestamp: 'X-Service-Timestamp is not Unix milliseconds within five minutes of the server clock.',
  invalid_signature:
    'The signature is not base64 of a strict DER ECDSA signature over the request by the key in X-Service-Api-Key. `billhook doctor signature` explains it.',
  unknown_api_key: 'The public key is not registered.',
  api_key_revoked: 'The key was revoked.',
  api_key_expired: 'The time is past expires_at.',
  permission_missing: 'The key was registered without the permission that the route needs.',
  not_owner:
    'Strict mode: the identity in the path, or in the body of a revocation, is not the owner of the key that signed.',
  not_identity_key: 'Strict mode: the key that signed a registration is not one that speaks for its owner now.',
  unknown_identity:
    'Strict mode: the owner of a registration is known neither here nor to the ledger that is asked. Onboard it first.',
  rate_limited: 'The address has used up what the operator allows it in a minute.',
  too_many_claims:
    'The address holds as many claimed wallets of the network as the operator allows it; a claim ends with its lease or when its wallet is assigned.',
  invalid_api_key_registration: 'A field of POST /api/api-keys is missing or invalid, or no valid permission remains.',
  public_key_registered: 'A key record, active or not, already holds the public key.',
  too_many_keys: 'The owner of a registration has 100 active keys. Revoked and expired keys do not count.',
  owner_required: 'The revoke request names no owner.',
  not_key_owner: 'The owner of a revoke request is not the owner of the key.',
  api_key_not_found: 'No key has the id in the path.',
  invalid_invoice: 'A field of POST /api/invoices is missing, has the wrong type or is out of bounds.',
  unsupported_currency:
    'currency is none of those that `supported` lists: of no network, or not of every network of the wallets. The second is said once the wallets are known to be yours.',
  wallet_not_owned:
    "The service does not know `wallet` as the identity's (`reason`: `not_assigned`), or does not know its address yet (`no_address`). It tells nothing about wallets of others.",
  mixed_native_coins:
    'BILLHOOK_MIXED_NATIVE is off, and an invoice in the native currency has wallets on networks whose coins differ.',
  invalid_callback_url: 'callbackUrl is not an absolute http: or https: URL of at most 2048 characters.',
  reference_in_use: 'Another invoice of any owner has the reference.',
  amount_in_use: 'An unpaid invoice of equal amount and currency exists on `wallet`.',
  wallet_in_use: 'BILLHOOK_SHARED_WALLETS is off, and an unpaid invoice of the currency exists on `wallet`.',
  too_many_wallet_sets: 'Unpaid invoices on 64 different sets of wallets already share `wallet`.',
  invalid_return_url:
    'returnUrl is not an absolute http: or https: URL of at most 2048 characters, or has credentials in it.',
  invalid_order_number: 'orderNumber is not a string.',
  invalid_metadata:
    'metadata is not an object, has more than 20 entries, a value that is no string, or one that is too long.',
  invalid_expiry: 'expiresInSeconds is not an integer, or is out of bounds.',
  request_repeated:
    'The same key, timestamp and body have created an invoice without a reference within the last ten minutes. Sign again to create another one.',
  invalid_idempotency_key:
    'The Idempotency-Key header is neither a quoted string nor a bare key of at most 255 characters.',
  idempotency_key_reused:
    'An invoice was created under the same Idempotency-Key from another body within the last 24 hours.',
  idempotency_in_progress: 'An earlier request with the same Idempotency-Key has not been answered yet.',
  invoice_paid:
    'What an invoice received and what is pending cover its amount, or it is accepted, so it cannot be voided.',
  invoice_void: 'The invoice was voided or has expired, so it cannot be accepted.',
  not_invoice_owner: 'The owner that asks to void an invoice, or to accept one, is not the owner of the invoice.',
  invoice_not_found: 'No invoice has the id in the path.',
  invalid_order: 'A field of POST /api/orders is missing, has the wrong type or is out of bounds.',
  invalid_price: 'price of POST /api/orders is missing, or its amount or currency is none.',
  invalid_options:
    'options of POST /api/orders is no list of 1 to 10 objects, one of them has no wallets or a fixed amount that is none, or a wallet is in two options of one currency.',
  rate_unavailable:
    'An option has no fixed amount, is not in the currency of the price, and there is no rate of its coin that may be used now (`coin`). Nothing was created. Retry later, or fix the amount.',
  order_paid:
    'What has come for the order, confirmed or not, makes up the price, or it was accepted, so it cannot be voided.',
  order_void: 'The order was voided or has expired, so it cannot be accepted.',
  not_order_owner: 'The owner that asks to void an order, or to accept one, is not the owner of the order.',
  order_not_found: 'No order has the id in the path.',
  invalid_note: 'The console and `billhook notes add` only: the text of a note cannot be kept.',
  too_many_notes: 'The console and `billhook notes add` only: the invoice has as many notes as it may have.',
  invalid_identity: 'The identity in the path is empty or too long to be stored.',
  no_wallet_available: 'Every unassigned wallet of the network is handed out or assigned.',
  ledger_unreachable:
    'Whether an identity exists is unknown here and the ledger does not answer. It means unknown, not no.',
  invalid_gateway_signature:
    'The gateway headers are missing, too old, or do not sign the body with the shared secret.',
  invalid_events: 'The body of POST /internal/events is not a list of 1 to 1000 events.',
  invalid_rates:
    'A set of rates has a bad value, or is dated in the future, before the present set, or too long ago. All of it is refused, and the last good set stays.',
  invalid_sandbox_deposit: 'A field of a simulated deposit is missing, malformed or contradicts another.',
  deposit_not_found: 'No simulated deposit has the transaction hash.',
  invalid_payload: 'payload of PUT /api/users/:id/webhook is something else.',
  invalid_types:
    'types of PUT /api/users/:id/webhook is no list, is empty, or has an entry twice or one that is no type of events.',
  invalid_overlap: 'overlapSeconds of a rotation is something else.',
  no_callback_url: 'A test delivery of an identity that has not set one with PUT /api/users/:id/webhook.',
  too_many_tests: 'A test delivery of the identity is in progress, or it has requested more than six in a minute.',
  events_removed:
    'An event behind the cursor in after is older than BILLHOOK_EVENTS_DAYS and has been removed. Compare with the lists, then read on without after.',
  delivery_not_found: 'No delivery of the identity has the id in the path.',
  delivery_in_progress: 'A redelivery of a webhook whose present attempt is not over.',
  too_many_redeliveries:
    'This delivery was redelivered within the last minute, or the identity has asked for more than 60 redeliveries in a minute.',
  invalid_query: 'A query parameter is malformed, or the endpoint has none of its name.',
  invalid_json: 'The body is not JSON, not UTF-8, or not an object.',
  cross_site: 'A browser sent the request for a page that is neither of the public URL nor of BILLHOOK_CORS_ORIGINS.',
  unsupported_media_type:
    'A request with a body has an Origin or Sec-Fetch-Site header, and its Content-Type is not application/json.',
  wrong_host: 'The service listens on loopback, and Host names neither loopback nor the host of BILLHOOK_PUBLIC_URL.',
  malformed_request: 'The request is not valid HTTP.',
  not_found: 'No route has the path.',
  method_not_allowed: 'The path exists, but not for the method; Allow lists those that do.',
  request_timeout: 'The request was not complete within the time allowed.',
  length_required:
    'The request has a Transfer-Encoding. With uWebSockets.js, the default HTTP server, none is accepted; the connection is closed.',
  body_too_large: 'The body exceeds 64 KiB (1 MiB for /internal/events).',
  headers_too_large: 'The header section exceeds what the server reads.',
  internal: 'A defect or a broken machine; the log has the details.',
  overloaded: 'A bounded queue is full, or too many long answers are under way.',
  shutting_down: 'The service is draining.',
  not_ready: 'GET /readyz: the store is not open or the verification threads are not up.',
  storage_unavailable: 'The disk refuses writes, while reads go on, or the database cannot be used.',
}
