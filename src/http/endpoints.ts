import type { Signer } from '../auth/signed-request.js'
import type { Permission } from '../domain/api-key.js'
import { FILTER_PARAMETERS } from './invoice-filters.js'
import { LIST_PARAMETERS } from './list-query.js'
import type { Answer, Request } from './server.js'

/*
 * Every endpoint: who may call it, and within which limits. `guards.ts` puts the guards around the handlers from this
 * table, and `npm run docs` writes the table in docs/security/endpoints.md from it.
 */

export const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** Who may call an endpoint. What strict mode asks for is open in the default mode. */
export type Access =
  | { readonly access: 'open' }
  /** An API key with `permission`, in both modes; without a signature, as `BILLHOOK_UNSIGNED` says. */
  | { readonly access: 'api-key'; readonly permission: Permission }
  /** Strict mode: an active API key of the owner, whom the path (`:id`), the body, the invoice or the order (`:id`) names. */
  | { readonly access: 'owner'; readonly owner: 'path' | 'body' | 'invoice' | 'order' }
  /** Strict mode: the own key of the identity that the body names as `owner`. */
  | { readonly access: 'identity' }
  /** The gateway, by its HMAC signature. Without a gateway secret the endpoint does not exist. */
  | { readonly access: 'gateway' }
  /** Everyone, in a sandbox. Elsewhere the endpoint does not exist. */
  | { readonly access: 'sandbox' }
  /** Everyone who reaches the operator's own listener. */
  | { readonly access: 'operator' }
  /** Browsers on the operator's own listener, which the console itself admits (`src/console/entrance.ts`). */
  | { readonly access: 'console' }
  /** Everyone who may open `admin.sock` in the data directory. On no other listener does the endpoint exist. */
  | { readonly access: 'admin' }

export type Endpoint = Access & {
  /** What operators do with it. On their own listeners it leaves a trace of each request. None if absent: it changes nothing. */
  readonly action?: string
  /** The query parameters that it reads; all others are refused. `any`: all others are ignored. None if absent. */
  readonly query?: readonly string[] | 'any'
  /** `DEFAULT_BODY_LIMIT_BYTES` if absent. */
  readonly bodyLimitBytes?: number
  /** What it counts as in the limits per client address. `request` if absent; a claim is a request too. */
  readonly counts?: 'nothing' | 'request' | 'claim'
  /** How often one owner may call it per minute. No limit if absent. */
  readonly perOwnerMinute?: number
  /**
   * The web pages that may call it: the service's own and those of `BILLHOOK_CORS_ORIGINS`, or any page. If absent:
   * `any` for GET, else `own`.
   */
  readonly pages?: 'own' | 'any'
}

export const TESTS_PER_OWNER_MINUTE = 6
export const REDELIVERIES_PER_OWNER_MINUTE = 60
/** A push of the gateway may be larger than other bodies (decisions 8). */
export const PUSH_LIMIT_BYTES = 1_048_576

/** A piece of an import, which may be one record of the longest texts. */
const IMPORT_LIMIT_BYTES = 2_097_152

/** The method and the pattern. It is also the text that a signature covers (specification). */
type Tag = `${(typeof METHODS)[number]} /${string}`

const declared = {
  'POST /api/invoices': { action: 'invoice.create', access: 'api-key', permission: 'invoices:create' },
  'POST /api/invoices/:id/void': { action: 'invoice.void', access: 'api-key', permission: 'invoices:create' },
  'POST /api/invoices/:id/accept': { action: 'invoice.accept', access: 'api-key', permission: 'invoices:create' },
  'GET /api/invoices/:id': { access: 'owner', owner: 'invoice' },
  'GET /api/users/:id/invoices': {
    access: 'owner',
    owner: 'path',
    query: [...LIST_PARAMETERS, 'include', 'reference', ...FILTER_PARAMETERS],
  },

  'POST /api/orders': { action: 'order.create', access: 'api-key', permission: 'invoices:create' },
  'POST /api/orders/:id/void': { action: 'order.void', access: 'api-key', permission: 'invoices:create' },
  'POST /api/orders/:id/accept': { action: 'order.accept', access: 'api-key', permission: 'invoices:create' },
  'GET /api/orders/:id': { access: 'owner', owner: 'order' },
  'GET /api/users/:id/orders': {
    access: 'owner',
    owner: 'path',
    query: [...LIST_PARAMETERS, 'status', 'orderNumber', 'reference'],
  },

  'POST /api/api-keys': { action: 'key.register', access: 'identity' },
  'POST /api/api-keys/:id/revoke': { action: 'key.revoke', access: 'owner', owner: 'body' },
  'GET /api/users/:id/api-keys': { access: 'owner', owner: 'path' },

  'GET /api/users/:id/webhook': { access: 'owner', owner: 'path' },
  'PUT /api/users/:id/webhook': { action: 'webhook.set', access: 'owner', owner: 'path' },
  'DELETE /api/users/:id/webhook': { action: 'webhook.delete', access: 'owner', owner: 'path' },
  'POST /api/users/:id/webhook/rotate': { action: 'webhook.rotate', access: 'owner', owner: 'path' },
  'POST /api/users/:id/webhook/test': {
    action: 'webhook.test',
    access: 'owner',
    owner: 'path',
    perOwnerMinute: TESTS_PER_OWNER_MINUTE,
  },
  'GET /api/users/:id/webhook/deliveries': { access: 'owner', owner: 'path', query: LIST_PARAMETERS },
  'POST /api/users/:id/webhook/deliveries/:deliveryId/redeliver': {
    action: 'delivery.redeliver',
    access: 'owner',
    owner: 'path',
    perOwnerMinute: REDELIVERIES_PER_OWNER_MINUTE,
  },

  'GET /api/users/:id/events': { access: 'owner', owner: 'path', query: ['after', 'limit'] },

  'GET /api/users/:id/wallets': { access: 'owner', owner: 'path' },
  // A claim takes a wallet, though it is a GET.
  'GET /api/wallets/claim/niles/trx': { action: 'wallet.claim', access: 'open', counts: 'claim', pages: 'own' },
  'GET /api/wallets/claim/sep/eth': { action: 'wallet.claim', access: 'open', counts: 'claim', pages: 'own' },
  'GET /api/wallets/claim/:chain/:coin': { action: 'wallet.claim', access: 'open', counts: 'claim', pages: 'own' },
  'GET /api/identity/:id/exists': { access: 'open' },

  // Mail and chat programs add parameters of their own to links: a payer must not see an error for them.
  'GET /pay/:id': { access: 'open', query: 'any' },
  'GET /pay/:id/events': { access: 'open', query: ['after'] },
  'GET /pay/:id/qr/:file': { access: 'open' },
  'GET /pay/shop/logo/:file': { access: 'open' },
  'GET /pay/shop/wallet/:file': { access: 'open' },
  'GET /order/:id': { access: 'open', query: 'any' },
  'GET /order/:id/events': { access: 'open', query: ['after'] },
  'GET /order/:id/qr/:file': { access: 'open' },

  'POST /internal/events': {
    action: 'gateway.push',
    access: 'gateway',
    bodyLimitBytes: PUSH_LIMIT_BYTES,
    counts: 'nothing',
  },
  'POST /internal/rates': {
    action: 'rates.push',
    access: 'gateway',
    bodyLimitBytes: PUSH_LIMIT_BYTES,
    counts: 'nothing',
  },
  'GET /api/rates': { access: 'open' },
  'GET /api/info': { access: 'open' },
  'GET /openapi.json': { access: 'open' },
  'GET /docs': { access: 'open' },
  'GET /docs/:file': { access: 'open' },
  // Links to the web wallet get parameters of other programs, too.
  'GET /app': { access: 'open', query: 'any' },
  'GET /app/:file': { access: 'open' },
  'GET /healthz': { access: 'open', counts: 'nothing' },
  'GET /readyz': { access: 'open', counts: 'nothing' },
  'GET /metrics': { access: 'operator', counts: 'nothing' },

  'GET /console': { access: 'console', counts: 'nothing' },
  'GET /console/networks': { access: 'console', counts: 'nothing' },
  'GET /console/rates': { access: 'console', counts: 'nothing' },
  'GET /console/reports': { access: 'console', counts: 'nothing', query: ['from', 'to', 'zone', 'owner'] },
  'GET /console/csv/reports': {
    access: 'console',
    counts: 'nothing',
    query: ['report', 'from', 'to', 'zone', 'owner'],
  },
  'GET /console/csv/orders': { access: 'console', counts: 'nothing', query: ['owner', 'name', 'state'] },
  'GET /console/csv/invoices': {
    access: 'console',
    counts: 'nothing',
    query: ['owner', 'reference', 'amount', 'state'],
  },
  'GET /console/csv/deposits': {
    access: 'console',
    counts: 'nothing',
    query: ['network', 'transaction', 'address', 'owner', 'amount', 'state'],
  },
  'GET /console/csv/deliveries': { access: 'console', counts: 'nothing', query: ['owner', 'invoice', 'state'] },
  'GET /console/search': { access: 'console', counts: 'nothing', query: ['q'] },
  'GET /console/sign-in': { access: 'console', counts: 'nothing' },
  'POST /console/sign-in': { access: 'console', counts: 'nothing' },
  'POST /console/sign-out': { access: 'console', counts: 'nothing' },
  'GET /console/invoices': {
    access: 'console',
    counts: 'nothing',
    query: ['owner', 'reference', 'amount', 'state', 'cursor'],
  },
  'GET /console/invoices/:id': { access: 'console', counts: 'nothing', query: ['done'] },
  'POST /console/invoices/:id/void': { access: 'console', counts: 'nothing' },
  'POST /console/invoices/:id/accept': { access: 'console', counts: 'nothing' },
  'POST /console/invoices/:id/notes': { access: 'console', counts: 'nothing' },
  'POST /console/notes/:id/remove': { access: 'console', counts: 'nothing' },
  'GET /console/orders': { access: 'console', counts: 'nothing', query: ['owner', 'name', 'state', 'cursor'] },
  'GET /console/orders/:id': { access: 'console', counts: 'nothing' },
  'GET /console/deposits': {
    access: 'console',
    counts: 'nothing',
    query: ['network', 'transaction', 'address', 'owner', 'amount', 'state', 'cursor'],
  },
  'GET /console/deliveries': {
    access: 'console',
    counts: 'nothing',
    query: ['owner', 'invoice', 'state', 'cursor'],
  },
  'GET /console/deliveries/:id': { access: 'console', counts: 'nothing', query: ['done'] },
  'POST /console/deliveries/:id/redeliver': { access: 'console', counts: 'nothing' },
  'GET /console/wallets': { access: 'console', counts: 'nothing', query: ['owner', 'id', 'state', 'cursor'] },
  'GET /console/keys': { access: 'console', counts: 'nothing', query: ['owner', 'key', 'state', 'cursor', 'done'] },
  'POST /console/keys/:id/revoke': { access: 'console', counts: 'nothing' },

  'GET /admin/status': { access: 'admin', counts: 'nothing' },
  'GET /admin/doctor': { access: 'admin', counts: 'nothing' },
  'POST /admin/import': { access: 'admin', counts: 'nothing', bodyLimitBytes: IMPORT_LIMIT_BYTES },
  'POST /admin/keys/:id/revoke': { access: 'admin', counts: 'nothing' },
  'POST /admin/deliveries/:id/redeliver': { access: 'admin', counts: 'nothing' },
  'POST /admin/wallets/:id/put-back': { access: 'admin', counts: 'nothing' },
  'POST /admin/invoices/:id/notes': { access: 'admin', counts: 'nothing' },
  'POST /admin/notes/:id/remove': { access: 'admin', counts: 'nothing' },
  'POST /admin/identities/:id/add': { access: 'admin', counts: 'nothing' },
  'GET /admin/derived-wallets/:key': { access: 'admin', counts: 'nothing' },
  'POST /admin/derived-wallets/:key': { access: 'admin', counts: 'nothing' },
  'GET /admin/records/:kind': { access: 'admin', counts: 'nothing', query: ['owner', 'invoice', 'order', 'since'] },
  'GET /admin/reports/:name': { access: 'admin', counts: 'nothing', query: ['from', 'to', 'zone', 'owner'] },

  'GET /sandbox': { access: 'sandbox' },
  'POST /sandbox/deposits': { action: 'sandbox.deposit', access: 'sandbox' },
  'POST /sandbox/deposits/:txHash/confirm': { action: 'sandbox.confirm', access: 'sandbox' },
  'POST /sandbox/deposits/:txHash/drop': { action: 'sandbox.drop', access: 'sandbox' },
  'POST /sandbox/rates': { action: 'sandbox.rates', access: 'sandbox' },
  // Ledger nodes let every web page call them.
  'POST /sandbox/ledger': { action: 'sandbox.onboard', access: 'sandbox', pages: 'any' },
  'POST /sandbox/ledger/': { action: 'sandbox.onboard', access: 'sandbox', pages: 'any' },
  'GET /sandbox/ledger/api/stream/:id': { access: 'sandbox' },
  'GET /sandbox/ledger/api/tx/:umid': { access: 'sandbox' },
  'GET /sandbox/ledger/activeledgerevents/umids': { access: 'sandbox', query: ['from', 'limit'] },
} as const satisfies Readonly<Record<Tag, Endpoint>>

export type EndpointTag = keyof typeof declared

export const endpoints: Readonly<Record<EndpointTag, Endpoint>> = declared

/** Whether an endpoint is closed to the pages of other origins. */
export function isForOwnPages(tag: string, { pages }: Endpoint): boolean {
  return (pages ?? (tag.startsWith('GET ') ? 'any' : 'own')) === 'own'
}

/** The names of the parameters in a pattern. */
export type ParamsIn<Pattern extends string> = Pattern extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParamsIn<`/${Rest}`>
  : Pattern extends `${string}/:${infer Name}`
    ? Name
    : never

/**
 * Answers the requests to one endpoint. `trace` is the id of the record of an operator's action (`AuditPort`), on listeners that only
 * operators reach. A method only in type, so that handlers of all endpoints fit one list.
 */
export type Handler<Tag extends string> = {
  /** `params` are percent-decoded and never empty. `signer` is null if no API key had to sign. */
  handle(
    request: Request,
    params: { readonly [Name in ParamsIn<Tag>]: string },
    signer: Signer | null,
    trace?: string,
  ): Answer | Promise<Answer>
}['handle']

export type Handlers<Tags extends EndpointTag> = { readonly [Tag in Tags]: Handler<Tag> }

/** The names of the query parameters that an endpoint reads. */
export type QueryOf<Tag extends EndpointTag> = (typeof declared)[Tag] extends {
  readonly query: readonly (infer Name)[]
}
  ? Extract<Name, string>
  : never

type TagsOf<Name extends Access['access']> = {
  [Tag in EndpointTag]: (typeof declared)[Tag]['access'] extends Name ? Tag : never
}[EndpointTag]

/** The handlers of the service's own listener. One that is missing does not compile, unless it depends on settings. */
export type AllHandlers = Handlers<TagsOf<'open' | 'api-key' | 'owner' | 'identity'>>
/** The handlers of the console. */
export type ConsoleHandlers = Handlers<TagsOf<'console'>>
/** The handlers that only `admin.sock` has. */
export type AdminHandlers = Handlers<TagsOf<'admin'>>

type TagsOfAll<Groups extends readonly unknown[]> = { [Index in keyof Groups]: keyof Groups[Index] }[number]

/** The handlers of all `groups`; a group that may be `{}` adds nothing to the type. Throws if two share an endpoint. */
export function together<Groups extends readonly Partial<Handlers<EndpointTag>>[]>(
  ...groups: Groups
): Handlers<Extract<TagsOfAll<Groups>, EndpointTag>> {
  const tags = groups.flatMap((group) => Object.keys(group))
  const repeated = tags.find((tag, index) => tags.indexOf(tag) !== index)
  if (repeated !== undefined) throw new Error(`two handlers are given for ${repeated}`)
  return Object.assign({}, ...groups)
}

/** Handlers with their parameters typed from the patterns. */
export function handlers<Tags extends EndpointTag>(given: Handlers<Tags>): Handlers<Tags> {
  return given
}
