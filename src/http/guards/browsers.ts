import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { BoundedMap } from '../../base/bounded-map.js'
import { failure } from '../../domain/failure.js'
import { BASE_HEADERS } from '../json.js'
import type { Answer, HeadGuard, RequestHead } from '../server.js'

/**
 * Other origins whose pages may call the API, as browsers send them: `https://shop.example`. `*` permits every one.
 */
export type CorsOrigins = readonly string[]

function isListed(origin: string, corsOrigins: CorsOrigins): boolean {
  return corsOrigins.includes('*') || corsOrigins.includes(origin)
}

/** A JSON media type. A page of another origin cannot send one without a preflight (CORS). */
const JSON_TYPE = /^application\/json[\t ]*(?:;|$)/i

/**
 * Stops pages of other origins that call the service through the browser of a user who can reach it (decisions 10).
 * Browsers mark their requests, and no page can forge the marks: `Origin` on every write, `Sec-Fetch-Site` on every
 * request over a secure connection. A request with neither comes from a program and passes. `Sec-Fetch-Mode` alone is
 * no mark, because Node's `fetch` sends it.
 */
export function browserGuard(isOwnOrigin: IsOwnOrigin, corsOrigins: CorsOrigins): HeadGuard {
  return (head) => {
    const origin = head.header('origin')
    const site = head.header('sec-fetch-site')
    if (origin === undefined && site === undefined) return null
    const isWelcome =
      origin === undefined
        ? // `same-site` is another host of the domain, or another port of this machine.
          site === 'same-origin' || site === 'none'
        : isListed(origin, corsOrigins) || (site !== 'cross-site' && isOwnOrigin(origin, head))
    if (!isWelcome) return failure('cross_site')
    const hasBody = (head.header('content-length') ?? '0') !== '0' || head.header('transfer-encoding') !== undefined
    if (!hasBody || JSON_TYPE.test(head.header('content-type') ?? '')) return null
    return failure('unsupported_media_type')
  }
}

/** Whether `origin`, as a browser sends it, is the origin of the service's own pages. */
export type IsOwnOrigin = (origin: string, head: Pick<RequestHead, 'header'>) => boolean

/**
 * The service's own origin is that of `publicUrl`. Without one it is the address that the request was sent to, if that
 * is an IP address or `localhost`: a hostile page may have pointed any other name here (DNS rebinding).
 */
export function ownOrigin(publicUrl: string | undefined): IsOwnOrigin {
  if (publicUrl !== undefined) {
    const own = new URL(publicUrl).origin
    return (origin) => origin === own
  }
  return (origin, head) => {
    const host = head.header('host')
    if (host === undefined || !URL.canParse(`http://${host}`)) return false
    const { hostname, origin: asked } = new URL(`http://${host}`)
    return origin === asked && (isLoopbackName(hostname) || isIP(bare(hostname)) !== 0)
  }
}

type HeadTest = (head: RequestHead) => boolean

/** Who may send requests without a signature, whose `owner` is trusted (decisions 10). */
export type UnsignedMode = 'on' | 'same-origin' | 'off'

/**
 * Whether a mode allows a request without signature headers. `same-origin` allows requests of the service's own pages,
 * as browsers mark them: by `Origin` or, if that is absent, by `Sec-Fetch-Site: same-origin` (Fetch Metadata Request
 * Headers). A browser lets no page forge either. A program can: this keeps other web sites out, not other programs.
 */
export function unsignedPath(mode: UnsignedMode, isOwnOrigin: IsOwnOrigin): HeadTest {
  if (mode !== 'same-origin') return () => mode === 'on'
  return (head) => {
    const origin = head.header('origin')
    return origin === undefined ? head.header('sec-fetch-site') === 'same-origin' : isOwnOrigin(origin, head)
  }
}

/** A name or an IPv4 address, or an IPv6 address in brackets; then a port. */
const HOST = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s[\]:/?#@,]+))(?::\d{1,5})?$/

const REMEMBERED_MAX = 64

/**
 * The names that a listener on loopback answers to (decisions 10): those of loopback and of the public URL. If an
 * attacker points a page's name at this machine (DNS rebinding), a browser treats page and service as one origin, and
 * only the `Host` header tells them apart. A request without the header does not come from a browser. With a public URL
 * a trusted proxy may forward any name.
 */
export function loopbackHosts(publicUrl: string | undefined, isProxied: HeadTest): HeadTest {
  const publicName = publicUrl === undefined ? null : bare(new URL(publicUrl).hostname)
  const known = new BoundedMap<string, boolean>(REMEMBERED_MAX)
  return (head) => {
    const host = head.header('host')
    if (host === undefined) return true
    let isAccepted = known.get(host)
    if (isAccepted === undefined) {
      const name = hostName(host)
      isAccepted = name !== null && (isLoopbackName(name) || name === publicName)
      known.set(host, isAccepted)
    }
    return isAccepted || (publicName !== null && isProxied(head))
  }
}

/**
 * Whether a request names its server by an IP address, as `localhost` or by one of `names`: pages of another name that was
 * pointed here (DNS rebinding) do not.
 */
export function addressedAs(names: readonly string[]): HeadTest {
  const known = names.map(bare)
  return (head) => {
    const name = hostName(head.header('host') ?? '')
    return name !== null && (isLoopbackName(name) || isIP(name) !== 0 || known.includes(name))
  }
}

/** `localhost`, 127.0.0.0/8 and ::1, in the usual spellings; browsers send no other. */
function isLoopbackName(name: string): boolean {
  if (name === 'localhost') return true
  const address = bare(name)
  return (
    (ipaddr.IPv6.isValid(address) || ipaddr.IPv4.isValidFourPartDecimal(address)) &&
    ipaddr.process(address).range() === 'loopback'
  )
}

/** The name in a `Host` header, in lower case and without brackets; null if it is malformed. */
function hostName(host: string): string | null {
  const match = HOST.exec(host)
  return match === null ? null : (match[1] ?? match[2] ?? '').toLowerCase()
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').toLowerCase()
}

/** Scripts of other origins may call the API and a sandbox only. The rule is by path, because it holds for unknown paths too. */
const CORS_PATH = /^\/(?:api\/|sandbox(?:\/|$))/

/** The headers that endpoints read, besides those that a browser may always send. */
const REQUEST_HEADERS =
  'Content-Type, X-Service-Api-Key, X-Service-Timestamp, X-Service-Signature, Idempotency-Key, X-Request-Id'

/** The headers of answers, besides those that a script may always read. `Date` corrects the clock of who signs. */
const EXPOSED_HEADERS = 'Date, Location, Link, Retry-After, Idempotency-Replayed, Invoice-Expires-At, X-Request-Id'

const PREFLIGHT_MAX_AGE_SECONDS = 600

/**
 * Lets the page that sent the request read an answer of the API, if it may. `Vary` is always there: a cache must not
 * serve one page's answer to another.
 */
export function withCors(answer: Answer, head: RequestHead, corsOrigins: CorsOrigins): Answer {
  if (!CORS_PATH.test(head.path)) return answer
  const { Vary } = answer.headers
  const allowedOrigin = permission(head, corsOrigins)
  const headers = {
    ...answer.headers,
    Vary: Vary === undefined ? 'Origin' : `${Vary}, Origin`,
    ...(allowedOrigin === undefined
      ? {}
      : { 'Access-Control-Allow-Origin': allowedOrigin, 'Access-Control-Expose-Headers': EXPOSED_HEADERS }),
  }
  return { ...answer, headers }
}

/**
 * The answer to OPTIONS; `allow` lists the methods of the path. A page that may call the API also learns what it may
 * send, as a preflight asks (Fetch Standard, 4.8). `withCors` adds the permission itself.
 */
export function optionsAnswer(allow: string, head: RequestHead, corsOrigins: CorsOrigins): Answer {
  const headers = { Allow: allow, ...BASE_HEADERS }
  const isPreflight =
    permission(head, corsOrigins) !== undefined && head.header('access-control-request-method') !== undefined
  const preflightHeaders = {
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_SECONDS),
    'Access-Control-Allow-Methods': allow,
  }
  return { status: 204, headers: isPreflight ? { ...headers, ...preflightHeaders } : headers, body: '' }
}

/** The value of Access-Control-Allow-Origin; `undefined` if the page may not read the answer. */
function permission(head: RequestHead, corsOrigins: CorsOrigins): string | undefined {
  if (!CORS_PATH.test(head.path)) return undefined
  if (corsOrigins.includes('*')) return '*'
  const origin = head.header('origin')
  return origin !== undefined && corsOrigins.includes(origin) ? origin : undefined
}
