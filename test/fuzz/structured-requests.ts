import fc from 'fast-check'
import { EVENT_TYPES, parseEventTypes } from '../../src/domain/event.js'
import type { FailureCode } from '../../src/domain/failure.js'
import { gatewayHeaders, signedHeaders } from '../support/service-fixture.js'
import { type TestKey, testKey } from '../support/signing.js'
import { type ClientRequest, HOOK_OWNER, OWNER } from './fuzz-target.js'
import {
  asObject,
  type Entries,
  hostileEntries,
  hostileText,
  hostileValue,
  inHeader,
  inPath,
  writeEntries,
} from './hostile-values.js'
import {
  apiKeyShape,
  claimedShape,
  createdShape,
  deletedShape,
  depositShape,
  existsShape,
  flawOfList,
  flawOfRecord,
  invoiceShape,
  invoiceWithPaymentShape,
  type Shape,
  walletShape,
  webhookShape,
} from './record-shapes.js'

/** A request and what the specification lets it be answered with. */
export interface StructuredCase {
  readonly route: string
  /** Made when it is sent, because signatures hold the time. */
  request(nowMs: number): ClientRequest
  readonly success: 200 | 201
  /** Refusals that the route knows, besides those of every route. */
  readonly codes: readonly FailureCode[]
  /** What is wrong with the value of a success; null when nothing is. */
  flawOfSuccess(value: unknown): string | null
}

export interface StructuredWorld {
  readonly key: TestKey
  readonly walletIds: readonly string[]
}

const EXTRA_KEYS = 64
/** Sent nowhere: nobody listens there, and with hostile callbacks there is no reference. */
const DEAD_END = 'http://127.0.0.1:9/hook'
const AMOUNT_MAX = 10_000_000

const authCodes: readonly FailureCode[] = [
  'missing_auth_headers',
  'invalid_timestamp',
  'invalid_signature',
  'unknown_api_key',
  'api_key_revoked',
  'api_key_expired',
  'permission_missing',
]

const invoiceCodes: readonly FailureCode[] = [
  ...authCodes,
  'invalid_invoice',
  'unsupported_currency',
  'wallet_not_owned',
  'invalid_callback_url',
  'reference_in_use',
  'amount_in_use',
  'request_repeated',
  'invalid_idempotency_key',
  'idempotency_key_reused',
  'idempotency_in_progress',
]

function record(shape: Shape): StructuredCase['flawOfSuccess'] {
  return (value) => flawOfRecord(value, shape)
}

/** The record has its payload when that is not the specified one. */
function webhookRecord(shape: Shape): StructuredCase['flawOfSuccess'] {
  const withInvoice: Shape = { ...shape, payload: (value) => value === 'with-invoice' }
  const events: Shape = {
    ...shape,
    payload: (value) => value === 'events',
    types: (value) => parseEventTypes(value) !== null,
  }
  return (value) => {
    const flaws = [shape, withInvoice, events].map((one) => flawOfRecord(value, one))
    return flaws.includes(null) ? null : (flaws.at(-1) ?? null)
  }
}

function list(shape: Shape): StructuredCase['flawOfSuccess'] {
  return (value) => flawOfList(value, shape)
}

/** Requests to every route, with hostile values at every place that takes one. */
export function structuredCases(world: StructuredWorld): fc.Arbitrary<StructuredCase> {
  return fc.oneof(
    { weight: 8, arbitrary: invoiceCreations(world) },
    { weight: 3, arbitrary: registrations() },
    { weight: 1, arbitrary: revocations() },
    { weight: 4, arbitrary: pushes(world) },
    { weight: 2, arbitrary: webhookChanges() },
    { weight: 4, arbitrary: reads() },
    { weight: 3, arbitrary: sandboxRequests() },
    { weight: 1, arbitrary: bodiesOfAnyKind() },
  )
}

function invoiceCreations({ key, walletIds }: StructuredWorld): fc.Arbitrary<StructuredCase> {
  const amount = fc.tuple(fc.integer({ min: 1, max: AMOUNT_MAX }), fc.nat(AMOUNT_MAX)).map(([a, b]) => `${a}.${b}`)
  const wallets = fc.uniqueArray(fc.constantFrom(...walletIds), { minLength: 1, maxLength: 4 })
  const withReference = hostileEntries({
    owner: fc.constant(OWNER),
    walletIds: wallets,
    name: hostileText,
    amount,
    currency: fc.constantFrom('native', 'USDT', '', null),
    description: hostileText,
    reference: hostileText,
  })
  // A hostile callback that is a URL all the same must never be called: invoices without a reference notify nobody.
  const withCallback = hostileEntries({
    owner: fc.constant(OWNER),
    walletIds: wallets,
    name: fc.constant('Order'),
    amount,
    callbackUrl: hostileText,
  }).map((entries) => entries.filter(([name]) => name !== 'reference'))
  const auth = fc.oneof(
    { weight: 4, arbitrary: fc.constant('unsigned' as const) },
    { weight: 2, arbitrary: fc.constant('signed' as const) },
    { weight: 1, arbitrary: fc.record({ key: hostileText, timestamp: hostileText, signature: hostileText }) },
  )
  const idempotency = fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: hostileText })
  return fc.tuple(fc.oneof(withReference, withCallback), auth, idempotency).map(([entries, how, idempotencyKey]) => {
    const body = writeEntries(entries)
    return {
      route: 'POST /api/invoices',
      request: (nowMs) => ({
        method: 'POST',
        path: '/api/invoices',
        body,
        headers: {
          ...(idempotencyKey === null ? {} : { 'Idempotency-Key': inHeader(idempotencyKey) }),
          ...(how === 'unsigned'
            ? {}
            : how === 'signed'
              ? signedHeaders(key, body, String(nowMs))
              : hostileSignature(how)),
        },
      }),
      success: 201,
      codes: invoiceCodes,
      flawOfSuccess: record(createdShape),
    }
  })
}

function hostileSignature(how: { readonly key: string; readonly timestamp: string; readonly signature: string }) {
  return {
    'X-Service-Api-Key': inHeader(how.key),
    'X-Service-Timestamp': inHeader(how.timestamp),
    'X-Service-Signature': inHeader(how.signature),
  }
}

function registrations(): fc.Arbitrary<StructuredCase> {
  const keys = Array.from({ length: EXTRA_KEYS }, (_, n) => testKey(`fuzz extra ${n}`).publicKeyHex)
  const entries = hostileEntries({
    owner: fc.oneof(fc.constant(OWNER), hostileText),
    label: hostileText,
    publicKey: fc.constantFrom(
      ...keys,
      `0x${keys[0]}`,
      `0X${keys[1]}`,
      keys[2]?.toUpperCase(),
      '02'.repeat(33),
      `02${'f'.repeat(64)}`,
      `04${'0'.repeat(128)}`,
    ),
    permissions: fc.array(
      fc.oneof(fc.constantFrom('invoices:create', 'payments:send', 'treasury:approve'), hostileValue),
      { maxLength: 5 },
    ),
    ttlDays: fc.oneof(fc.constant(null), fc.double({ min: 0, noNaN: true })),
  })
  return entries.map((fields) => ({
    route: 'POST /api/api-keys',
    request: () => ({ method: 'POST', path: '/api/api-keys', body: writeEntries(fields) }),
    success: 201,
    codes: ['invalid_api_key_registration', 'public_key_registered', 'too_many_keys'],
    flawOfSuccess: record(apiKeyShape),
  }))
}

function revocations(): fc.Arbitrary<StructuredCase> {
  return fc
    .tuple(hostileText, hostileEntries({ owner: fc.oneof(fc.constant(OWNER), hostileText) }))
    .map(([id, fields]) => ({
      route: 'POST /api/api-keys/:id/revoke',
      request: () => ({ method: 'POST', path: `/api/api-keys/${inPath(id)}/revoke`, body: writeEntries(fields) }),
      success: 200,
      codes: ['owner_required', 'not_key_owner', 'api_key_not_found'],
      flawOfSuccess: record(apiKeyShape),
    }))
}

/** Wallets of this owner only, so that the fuzzed wallets stay where they are. */
const EVENT_OWNER = 'owner-from-events'

function pushes({ walletIds }: StructuredWorld): fc.Arbitrary<StructuredCase> {
  const network = fc.constantFrom('SEP', 'TRX-NILE')
  const wallet = hostileEntries({ id: hostileText, address: hostileText, network }).map(asObject)
  const address = fc.constantFrom(...walletIds).map((id) => `0x${Buffer.from(id).toString('hex').padStart(40, '0')}`)
  const deposit = hostileEntries({
    network,
    txHash: hostileText,
    index: fc.constantFrom(0, 1, 4294967295),
    toAddress: fc.oneof(address, hostileText),
    currency: fc.constantFrom('Tether', '#native', null, ''),
    amount: fc.constantFrom('1', '25000000', '0.5'),
    receivedAt: fc.constantFrom(1, 1_700_000_000_000, 281474976710655),
  }).map(asObject)
  const event = hostileEntries({
    id: hostileText,
    type: fc.constantFrom(
      'identity.onboarded',
      'identity.keys',
      'wallet.created',
      'wallet.assigned',
      'deposit.pending',
      'deposit.confirmed',
      'deposit.dropped',
    ),
    identity: hostileText,
    keys: fc.oneof(hostileText, fc.array(hostileText, { maxLength: 3 }), fc.constant([`0x02${'11'.repeat(32)}`])),
    wallet,
    owner: fc.constant(EVENT_OWNER),
    deposit,
  }).map(asObject)
  const body = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.array(event, { minLength: 1, maxLength: 6 }).map((events): Entries => [['events', events]]),
    },
    { weight: 1, arbitrary: hostileEntries({ events: hostileValue }) },
  )
  const forged = fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: hostileText })
  return fc.tuple(body, forged).map(([entries, forgery]) => {
    const text = writeEntries(entries)
    return {
      route: 'POST /internal/events',
      request: (nowMs) => {
        const headers = gatewayHeaders(String(nowMs), text)
        const more = forgery === null ? {} : { 'X-Gateway-Signature': inHeader(forgery) }
        return { method: 'POST', path: '/internal/events', body: text, headers: { ...headers, ...more } }
      },
      success: 200,
      codes: ['invalid_gateway_signature', 'invalid_events'],
      flawOfSuccess: flawOfResults,
    }
  })
}

function flawOfResults(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('results' in value)) return 'there are no results'
  return flawOfEach(value.results)
}

const isId = (value: unknown) => value === null || (typeof value === 'string' && value.isWellFormed())
const resultShape: Shape = { id: isId, status: (value) => value === 'applied' || value === 'duplicate' }
const rejectedShape: Shape = {
  id: isId,
  status: (value) => value === 'rejected',
  error: (value) => typeof value === 'string' && value !== '',
}

function flawOfEach(results: unknown): string | null {
  if (!Array.isArray(results)) return 'the results are no list'
  for (const result of results) {
    const flaw = flawOfRecord(result, resultShape)
    if (flaw !== null && flawOfRecord(result, rejectedShape) !== null) return flaw
  }
  return null
}

function webhookChanges(): fc.Arbitrary<StructuredCase> {
  const path = fc.oneof(fc.constant(HOOK_OWNER), hostileText).map((owner) => `/api/users/${inPath(owner)}/webhook`)
  const payload = fc.oneof(fc.constantFrom('specified', 'with-invoice', 'events', null), hostileText)
  const type = fc.oneof(fc.constantFrom(...EVENT_TYPES), hostileText)
  const types = fc.oneof(fc.constant(null), fc.array(type, { maxLength: 12 }), hostileText)
  const put = fc.tuple(
    path,
    hostileEntries({ callbackUrl: fc.oneof(fc.constant(DEAD_END), hostileText), payload, types }),
  )
  const overlapSeconds = fc.oneof(fc.constantFrom(0, 604_800, 604_801, -1, 0.5, null), fc.integer(), hostileText)
  const rotation = fc.tuple(path, hostileEntries({ overlapSeconds }))
  return fc.oneof(
    put.map(
      ([to, entries]): StructuredCase => ({
        route: 'PUT /api/users/:id/webhook',
        request: () => ({ method: 'PUT', path: to, body: writeEntries(entries) }),
        success: 200,
        codes: ['invalid_identity', 'invalid_callback_url', 'invalid_payload', 'invalid_types'],
        flawOfSuccess: webhookRecord(webhookShape),
      }),
    ),
    rotation.map(
      ([to, entries]): StructuredCase => ({
        route: 'POST /api/users/:id/webhook/rotate',
        request: () => ({ method: 'POST', path: `${to}/rotate`, body: writeEntries(entries) }),
        success: 200,
        codes: ['invalid_identity', 'invalid_overlap'],
        flawOfSuccess: webhookRecord(webhookShape),
      }),
    ),
    path.map((of) => read('DELETE', of, deletedShape)),
  )
}

function read(
  method: 'GET' | 'DELETE',
  path: string,
  shape: Shape,
  codes: readonly FailureCode[] = [],
): StructuredCase {
  return {
    route: `${method} ${path}`,
    request: () => ({ method, path }),
    success: 200,
    codes,
    flawOfSuccess: record(shape),
  }
}

function readList(path: string, shape: Shape, codes: readonly FailureCode[] = []): StructuredCase {
  return { ...read('GET', path, shape, codes), flawOfSuccess: list(shape) }
}

function reads(): fc.Arbitrary<StructuredCase> {
  const id = hostileText.map(inPath)
  const query = fc.tuple(fc.constantFrom('limit', 'cursor', 'include', 'reference', '__proto__'), hostileText)
  const invoicesQuery = fc.array(query, { maxLength: 3 }).map((pairs) =>
    // `limit` comes first and wins: the whole list of an owner with many invoices is not what is looked for here.
    ['limit=3', ...pairs.map(([name, value]) => `${name}=${inPath(value)}`)].join('&'),
  )
  return fc.oneof(
    invoicesQuery
      .map((text) => readList(`/api/users/${OWNER}/invoices?${text}`, invoiceShape, ['invalid_query']))
      .map(withOptionalPayment),
    hostileText.map((text) =>
      readList(`/api/users/${OWNER}/invoices?limit=${inPath(text) || '0'}`, invoiceShape, ['invalid_query']),
    ),
    id.map((one) => readList(`/api/users/${one}/invoices`, invoiceShape)),
    id.map((one) => readList(`/api/users/${one}/api-keys`, apiKeyShape)),
    id.map((one) => readList(`/api/users/${one}/wallets`, walletShape)),
    id.map((one) => ({
      ...read('GET', `/api/users/${one}/webhook`, webhookShape),
      flawOfSuccess: webhookRecord({ ...webhookShape, owner: (value) => typeof value === 'string' }),
    })),
    id.map((one) => read('GET', `/api/identity/${one}/exists`, existsShape)),
    id.map((one) => read('GET', `/api/invoices/${one}`, invoiceWithPaymentShape, ['invoice_not_found'])),
    fc.constant(read('GET', '/api/wallets/claim/niles/trx', claimedShape, ['no_wallet_available', 'too_many_claims'])),
    fc.tuple(fc.constantFrom('pay', 'order'), id).map(
      ([root, one]): StructuredCase => ({
        ...read('GET', `/${root}/${one}`, {}),
        flawOfSuccess: () => 'a page of nothing that there is',
      }),
    ),
    fc.tuple(id, id).map(
      ([one, other]): StructuredCase => ({
        ...read('GET', '', {}, ['delivery_not_found', 'delivery_in_progress', 'too_many_redeliveries']),
        route: 'POST …/redeliver',
        request: () => ({ method: 'POST', path: `/api/users/${one}/webhook/deliveries/${other}/redeliver` }),
      }),
    ),
  )
}

function withOptionalPayment(one: StructuredCase): StructuredCase {
  return {
    ...one,
    flawOfSuccess: (value) => one.flawOfSuccess(value) && flawOfList(value, invoiceWithPaymentShape),
  }
}

function sandboxRequests(): fc.Arbitrary<StructuredCase> {
  const deposit = hostileEntries({
    address: hostileText,
    amount: fc.constantFrom('1', '.5', '25.00'),
    currency: fc.constantFrom('native', 'USDT', null),
    network: fc.constantFrom('SEP', 'TRX-NILE', null),
    txHash: hostileText,
    receivedAt: fc.constantFrom(null, 1_700_000_000_000),
    kind: fc.constantFrom('pending', 'confirmed', null),
  })
  const transaction = hostileEntries({
    $tx: hostileEntries({
      $namespace: fc.constant('sandbox'),
      $contract: hostileText,
      $i: hostileEntries({ otk: hostileValue, owner: hostileValue }).map(asObject),
      $o: hostileEntries({ wallet: hostileValue }).map(asObject),
    }).map(asObject),
    $sigs: hostileEntries({ otk: hostileText }).map(asObject),
    $selfsign: fc.boolean(),
  })
  const ofDeposit: readonly FailureCode[] = ['invalid_sandbox_deposit', 'deposit_not_found', 'invoice_not_found']
  return fc.oneof(
    deposit.map(
      (entries): StructuredCase => ({
        ...read('GET', '', depositShape, ofDeposit),
        route: 'POST /sandbox/deposits',
        request: () => ({ method: 'POST', path: '/sandbox/deposits', body: writeEntries(entries) }),
      }),
    ),
    fc.tuple(hostileText, fc.constantFrom('confirm', 'drop')).map(
      ([txHash, what]): StructuredCase => ({
        ...readList('', depositShape, ofDeposit),
        route: `POST /sandbox/deposits/:txHash/${what}`,
        request: () => ({ method: 'POST', path: `/sandbox/deposits/${inPath(txHash)}/${what}` }),
      }),
    ),
    transaction.map(
      (entries): StructuredCase => ({
        ...read('GET', '', {}),
        route: LEDGER_ROUTE,
        request: () => ({ method: 'POST', path: '/sandbox/ledger/', body: writeEntries(entries) }),
        flawOfSuccess: () => null,
      }),
    ),
  )
}

/** The route that answers as a ledger node does, 500 included. */
export const LEDGER_ROUTE = 'POST /sandbox/ledger/'

const BODY_ROUTES = [
  '/api/invoices',
  '/api/api-keys',
  '/sandbox/deposits',
  `/api/api-keys/${'0'.repeat(16)}/revoke`,
] as const

/** Bodies that are JSON of any kind, or no JSON at all. */
function bodiesOfAnyKind(): fc.Arbitrary<StructuredCase> {
  const body = fc.oneof(
    fc.json().map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom(
        '{',
        '{"a":',
        '{"a":1}x',
        '\ufeff{}',
        '[]',
        'null',
        '"{}"',
        '',
        ' ',
        '{'.repeat(60_000),
        '"'.repeat(60_000),
      )
      .map((text) => Buffer.from(text)),
    fc.integer({ min: 65_530, max: 65_545 }).map((size) => Buffer.alloc(size, ' ')),
  )
  return fc.tuple(fc.constantFrom(...BODY_ROUTES), body).map(([path, bytes]) => ({
    route: `POST ${path}`,
    request: () => ({ method: 'POST', path, body: bytes }),
    success: 200,
    codes: [
      ...invoiceCodes,
      'invalid_api_key_registration',
      'invalid_sandbox_deposit',
      'owner_required',
      'api_key_not_found',
    ],
    flawOfSuccess: () => 'what is no request has been accepted',
  }))
}
