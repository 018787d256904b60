import type { PresentKeys } from '../auth/present-keys.js'
import {
  isSigned,
  readSignatureHeaders,
  type SenderOf,
  type SignedRequests,
  type Signer,
} from '../auth/signed-request.js'
import type { Clock } from '../clock.js'
import { isTimestamp } from '../domain/api-key.js'
import { failure, type Outcome, refuse, refuseField, succeed } from '../domain/failure.js'
import { type GatewayPush, isAuthenticPush, isGatewayPush, mayBeGatewayPush } from '../ledger/gateway-signature.js'
import type { InvoicePort } from '../store/invoices.js'
import type { OrderPort } from '../store/orders.js'
import type { Awaitable } from '../store/reading.js'
import { type Endpoint, type EndpointTag, endpoints, type Handler, type Handlers, isForOwnPages } from './endpoints.js'
import { audited, type OperatorTrail } from './guards/audited.js'
import type { GatewayComplaints } from './guards/gateway-complaints.js'
import { failureAnswer, ownerInBody } from './json.js'
import type { Params, Route } from './router.js'
import type { HeadGuard, Request, RequestHead } from './server.js'

/** The guards that the settings ask for; null is none. */
export interface Guards {
  readonly browsers: HeadGuard | null
  readonly claimRate: HeadGuard | null
  /** Null: only endpoints without a credential can be served. `trusted`: anyone who can reach the listener may do everything. */
  readonly access: AccessParts | 'trusted' | null
  /** None if absent: who calls is no operator. */
  readonly trail?: OperatorTrail
}

/**
 * The routes of `handlers`, each behind the guards that its endpoint asks for. Some judge the head, in the order given
 * here, before the body is read; access is judged when the body has arrived. `service/door.ts` has the guards that every
 * request meets before them.
 */
export function guardedRoutes(handlers: Partial<Handlers<EndpointTag>>, guards: Guards): Route[] {
  const tags = Object.keys(handlers) as EndpointTag[]
  return tags.flatMap((tag) => {
    const handle: Handler<string> | undefined = handlers[tag]
    return handle === undefined ? [] : [guardedRoute(tag, handle, guards)]
  })
}

function guardedRoute(
  tag: EndpointTag,
  handle: Handler<string>,
  { browsers, claimRate, access, trail }: Guards,
): Route {
  const endpoint = endpoints[tag]
  const [method, pattern] = tag.split(' ') as [Route['method'], string]
  const allowed = accessGuard(tag, endpoint, access)
  const heads = [
    isForOwnPages(tag, endpoint) ? browsers : null,
    queryGuard(endpoint),
    endpoint.counts === 'claim' ? claimRate : null,
    allowed.head,
  ]
  return {
    method,
    pattern,
    endpoint,
    guards: heads.filter((guard) => guard !== null),
    overhear: allowed.overhear ?? null,
    handle: behind(allowed.request, trail === undefined ? handle : audited(endpoint, handle, trail)),
  }
}

function behind(guard: RequestGuard | null, handle: Handler<string>): Route['handle'] {
  if (guard === null) return (request, params) => handle(request, params, null)
  return async (request, params) => {
    const passed = await guard(request, params)
    return passed.ok ? await handle(request, params, passed.value) : failureAnswer(passed.failure)
  }
}

function queryGuard({ query: known = [] }: Endpoint): HeadGuard | null {
  if (known === 'any') return null
  return ({ query }) => {
    if (query === '') return null
    for (const name of new URLSearchParams(query).keys()) {
      if (!known.includes(name)) return refuseField('invalid_query', name, { parameter: name }).failure
    }
    return null
  }
}

/** Judges a complete request: who signed it, or null if no signature was needed. */
type RequestGuard = (request: Request, params: Params) => Awaitable<Outcome<Signer | null>>

interface AccessGuard {
  readonly head: HeadGuard | null
  readonly request: RequestGuard | null
  readonly overhear?: Route['overhear']
}

export interface AccessParts {
  readonly signedRequests: Pick<SignedRequests, 'authenticate' | 'authenticateIdentity'>
  /** Whether a request without signature headers may create and void invoices. */
  readonly allowsUnsigned: (head: RequestHead) => boolean
  /** Null in the default mode. */
  readonly strict: StrictParts | null
  /** Null without a gateway. */
  readonly gateway: GatewayParts | null
}

interface StrictParts {
  readonly presentKeys: Pick<PresentKeys, 'speaksFor'>
  readonly senderOf: SenderOf
  readonly invoices: Pick<InvoicePort, 'find'>
  readonly orders: Pick<OrderPort, 'find'>
}

interface GatewayParts {
  /** More than one while the gateway changes over to a new one. */
  readonly secrets: readonly string[]
  readonly clock: Clock
  readonly complaints: Pick<GatewayComplaints, 'rejected'>
  /** An authentic push has come that is dated so, Unix ms: it is accepted, or refused for that date. */
  readonly onDated?: (timestampMs: number) => void
}

const OPEN: AccessGuard = { head: null, request: null }

/** The guard that enforces the access of an endpoint. Throws if the parts that it needs are missing. */
function accessGuard(tag: EndpointTag, endpoint: Endpoint, parts: Guards['access']): AccessGuard {
  if (parts === 'trusted') return OPEN
  switch (endpoint.access) {
    case 'open':
    case 'sandbox':
    case 'operator':
    case 'console':
      return OPEN
    case 'admin':
      throw new Error(`${tag} is served to those who are trusted only`)
    case 'gateway':
      return gatewayGuard(needed(parts?.gateway, tag))
    case 'api-key':
      return { head: null, request: apiKeyGuard(tag, endpoint, needed(parts, tag)) }
    case 'owner':
    case 'identity': {
      const { signedRequests, strict } = needed(parts, tag)
      if (strict === null) return OPEN
      const request =
        endpoint.access === 'owner'
          ? ownerGuard(tag, endpoint, signedRequests, strict)
          : identityGuard(tag, signedRequests, strict)
      return { head: null, request }
    }
  }
}

function needed<T>(parts: T | null | undefined, tag: EndpointTag): T {
  if (parts === null || parts === undefined) throw new Error(`nothing guards the access to ${tag}`)
  return parts
}

function apiKeyGuard(
  routeTag: EndpointTag,
  { permission }: Extract<Endpoint, { access: 'api-key' }>,
  { signedRequests, allowsUnsigned }: AccessParts,
): RequestGuard {
  const route = { routeTag, permission }
  return (request) => {
    const headers = readSignatureHeaders(request)
    if (isSigned(headers)) return signedRequests.authenticate(headers, request, route)
    return allowsUnsigned(request) ? succeed(null) : refuse('missing_auth_headers')
  }
}

/** The signature is judged first: a client that cannot sign learns nothing about the request. */
function ownerGuard(
  routeTag: EndpointTag,
  { owner: place }: Extract<Endpoint, { access: 'owner' }>,
  signedRequests: AccessParts['signedRequests'],
  parts: StrictParts,
): RequestGuard {
  // Any active key of the owner will do.
  const route = { routeTag, permission: null }
  return async (request, params) => {
    const signer = await signedRequests.authenticate(readSignatureHeaders(request), request, route)
    if (!signer.ok) return signer
    const owner = await ownerNamed(place, request, params, parts)
    if (!owner.ok) return owner
    return owner.value === signer.value.key.owner ? signer : refuse('not_owner')
  }
}

async function ownerNamed(
  place: 'path' | 'body' | 'invoice' | 'order',
  request: Request,
  { id = '' }: Params,
  { invoices, orders }: StrictParts,
): Promise<Outcome<string>> {
  if (place === 'path') return succeed(id)
  if (place === 'body') return ownerInBody(request.body, 'owner_required')
  if (place === 'order') {
    const order = await orders.find(id)
    return order === undefined ? refuse('order_not_found') : succeed(order.owner)
  }
  const invoice = await invoices.find(id)
  return invoice === undefined ? refuse('invoice_not_found') : succeed(invoice.owner)
}

function identityGuard(
  routeTag: EndpointTag,
  signedRequests: AccessParts['signedRequests'],
  { presentKeys, senderOf }: StrictParts,
): RequestGuard {
  return async (request) => {
    const keyText = await signedRequests.authenticateIdentity(readSignatureHeaders(request), request, routeTag)
    if (!keyText.ok) return keyText
    const owner = ownerInBody(request.body, 'invalid_api_key_registration')
    return owner.ok ? presentKeys.speaksFor(owner.value, keyText.value, senderOf(request).key) : owner
  }
}

/** The headers are judged before the body is read, the signature before the body is parsed. */
function gatewayGuard({ secrets, clock, complaints, onDated }: GatewayParts): AccessGuard {
  const reject = ({ requestId }: RequestHead) => {
    complaints.rejected('signature', { requestId })
    return failure('invalid_gateway_signature')
  }
  return {
    head: (head) => (mayBeGatewayPush(proofIn(head), clock.now()) ? null : reject(head)),
    // One that is too old or from the future is refused by its head. That it is authentic says something of our clock.
    overhear: (request) => {
      const { timestamp = '' } = proofIn(request)
      if (onDated === undefined || !isTimestamp(timestamp)) return
      if (isAuthenticPush({ ...proofIn(request), body: request.body }, secrets)) onDated(Number(timestamp))
    },
    request: (request) => {
      const push = { ...proofIn(request), body: request.body }
      if (!isGatewayPush(push, secrets, clock.now())) return { ok: false, failure: reject(request) }
      onDated?.(Number(push.timestamp))
      return succeed(null)
    },
  }
}

function proofIn(head: RequestHead): Omit<GatewayPush, 'body'> {
  return { timestamp: head.header('x-gateway-timestamp'), signature: head.header('x-gateway-signature') }
}
