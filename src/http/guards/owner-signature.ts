import { isIdentityOfKey } from '../../auth/identity-key.js'
import type { Existence, KnownIdentities } from '../../auth/known-identities.js'
import { readSignatureHeaders, type SignedRequests } from '../../auth/signed-request.js'
import { type FailureCode, type Outcome, refuse, refuseField, succeed } from '../../domain/failure.js'
import { parseOwner } from '../../domain/identity.js'
import type { InvoicePort } from '../../store/invoices.js'
import { readJsonObject } from '../body.js'
import { failureAnswer } from '../failure-response.js'
import type { Params, Route } from '../router.js'
import type { Request } from '../server.js'

/** Everything below it reads or changes what belongs to the identity in the path. */
const OWNER_PREFIX = '/api/users/:id/'

/** Routes outside that prefix whose body names the owner, and what answers a body that names none. */
const OWNER_IN_BODY: Readonly<Record<string, { readonly by: Signer; readonly ownerMissing: FailureCode }>> = {
  'POST /api/api-keys': { by: 'identity', ownerMissing: 'invalid_api_key_registration' },
  'POST /api/api-keys/:id/revoke': { by: 'api-key', ownerMissing: 'owner_required' },
}

/** The one that reads an invoice by its id. */
const SINGLE_INVOICE = 'GET /api/invoices/:id'

/** Whose signature a route asks for: a registered key's, or the identity's own. */
type Signer = 'api-key' | 'identity'

/** How a route is protected in strict mode. */
interface Protection {
  /** What is signed: the method and the pattern, never the path that was called. */
  readonly routeTag: string
  readonly by: Signer
  /** The identity that the request is about; a failure when it names none. */
  ownerOf(request: Request, params: Params): Outcome<string> | Promise<Outcome<string>>
}

export interface StrictParts {
  readonly signedRequests: Pick<SignedRequests, 'authenticate' | 'authenticateIdentity'>
  readonly identities: Pick<KnownIdentities, 'exists'>
  readonly invoices: Pick<InvoicePort, 'find'>
  /** What identities were onboarded under; see `isIdentityOfKey`. */
  readonly onboardingName: string
}

/**
 * Strict mode (decisions 10): lets routes be used only by the identity that they are about. Registration has to be signed
 * with the identity's own key and is for identities that exist; everything under `/api/users/:id/`, a single invoice and
 * revocation with any active key of that identity. No permission is needed beyond that. A handler is reached only when the owner that the request names is the signer's.
 * Other routes stay as they are.
 */
export function requireOwnerSignature(routes: readonly Route[], parts: StrictParts): Route[] {
  return routes.map((route) => {
    const protection = protectionOf(route, parts)
    if (protection === null) return route
    return {
      ...route,
      handle: async (request, params) => {
        const passed = await check(protection, parts, request, params)
        return passed.ok ? route.handle(request, params) : failureAnswer(passed.failure)
      },
    }
  })
}

function protectionOf({ method, pattern }: Route, { invoices }: StrictParts): Protection | null {
  const routeTag = `${method} ${pattern}`
  if (pattern.startsWith(OWNER_PREFIX)) {
    return { routeTag, by: 'api-key', ownerOf: (_request, { id = '' }) => succeed(id) }
  }
  if (routeTag === SINGLE_INVOICE) {
    return { routeTag, by: 'api-key', ownerOf: (_request, { id = '' }) => ownerOfInvoice(invoices, id) }
  }
  const inBody = OWNER_IN_BODY[routeTag]
  if (inBody === undefined) return null
  return { routeTag, by: inBody.by, ownerOf: (request) => ownerInBody(request, inBody.ownerMissing) }
}

async function ownerOfInvoice(invoices: StrictParts['invoices'], id: string): Promise<Outcome<string>> {
  const invoice = await invoices.find(id)
  return invoice === undefined ? refuse('invoice_not_found') : succeed(invoice.owner)
}

function ownerInBody(request: Request, ownerMissing: FailureCode): Outcome<string> {
  const body = readJsonObject(request.body)
  if (!body.ok) return body
  const owner = parseOwner(body.value['owner'])
  return owner === null ? refuseField(ownerMissing, 'owner') : succeed(owner)
}

/** The signature comes first: whoever cannot sign learns nothing about the request. */
async function check(
  { routeTag, by, ownerOf }: Protection,
  { signedRequests, identities, onboardingName }: StrictParts,
  request: Request,
  params: Params,
): Promise<Outcome<null>> {
  const headers = readSignatureHeaders(request)
  switch (by) {
    case 'api-key': {
      const signer = await signedRequests.authenticate(headers, request, { routeTag, permission: null })
      if (!signer.ok) return signer
      const owner = await ownerOf(request, params)
      if (!owner.ok) return owner
      return owner.value === signer.value.key.owner ? succeed(null) : refuse('not_owner')
    }
    case 'identity': {
      const signer = await signedRequests.authenticateIdentity(headers, request, routeTag)
      if (!signer.ok) return signer
      const owner = await ownerOf(request, params)
      if (!owner.ok) return owner
      if (!isIdentityOfKey(owner.value, signer.value, onboardingName)) return refuse('not_identity_key')
      return judgeExistence(await identities.exists(owner.value))
    }
  }
}

/** An identity of nobody costs a key pair and no more; one that exists costs what the ledger asks for it. */
function judgeExistence(existence: Existence): Outcome<null> {
  switch (existence) {
    case true:
      return succeed(null)
    case false:
      return refuse('unknown_identity')
    case 'unreachable':
      return refuse('ledger_unreachable')
    case 'busy':
      return refuse('overloaded')
  }
}
