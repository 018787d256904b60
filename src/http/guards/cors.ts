import { BASE_HEADERS } from '../failure-response.js'
import type { Answer, RequestHead } from '../server.js'

/** The web pages whose scripts may call the API. Off unless configured. */
export interface CorsSettings {
  /** Origins as browsers send them, `https://shop.example`; `*` permits every one. */
  readonly origins: readonly string[]
}

/** Scripts of other origins may call the API only. The rule is by path, because it holds for unknown paths too. */
const CORS_PREFIX = '/api/'

/** The headers that endpoints read, besides those that a browser may always send. */
const REQUEST_HEADERS =
  'Content-Type, X-Service-Api-Key, X-Service-Timestamp, X-Service-Signature, Idempotency-Key, X-Request-Id'

/** The headers of answers, besides those that a script may always read. */
const EXPOSED_HEADERS = 'Location, Link, Retry-After, Idempotency-Replayed, X-Request-Id'

const PREFLIGHT_MAX_AGE_SECONDS = 600

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Headers': REQUEST_HEADERS,
  'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_SECONDS),
}

/**
 * Lets the page that sent the request read an answer of the API, if it may. `Vary` is always there: a cache must not
 * serve one page's answer to another.
 */
export function withCors(answer: Answer, head: RequestHead, settings: CorsSettings): Answer {
  if (!head.path.startsWith(CORS_PREFIX)) return answer
  const vary = answer.headers.Vary
  const headers: Record<string, string> = {
    ...answer.headers,
    Vary: vary === undefined ? 'Origin' : `${vary}, Origin`,
  }
  const allowedOrigin = permission(head, settings)
  if (allowedOrigin !== undefined) {
    headers['Access-Control-Allow-Origin'] = allowedOrigin
    headers['Access-Control-Expose-Headers'] = EXPOSED_HEADERS
  }
  return { ...answer, headers }
}

/**
 * The answer to OPTIONS; `allow` lists the methods of the path. A page that may call the API also learns what it may
 * send, as a preflight asks (Fetch Standard, 4.8). `withCors` adds the permission itself.
 */
export function optionsAnswer(allow: string, head: RequestHead, settings: CorsSettings | undefined): Answer {
  const headers = { Allow: allow, ...BASE_HEADERS }
  const isPreflight =
    settings !== undefined &&
    permission(head, settings) !== undefined &&
    head.header('access-control-request-method') !== undefined
  return {
    status: 204,
    headers: isPreflight ? { ...headers, ...PREFLIGHT_HEADERS, 'Access-Control-Allow-Methods': allow } : headers,
    body: '',
  }
}

/** The value of Access-Control-Allow-Origin; `undefined` if the page may not read the answer. */
function permission(head: RequestHead, settings: CorsSettings): string | undefined {
  if (!head.path.startsWith(CORS_PREFIX)) return undefined
  if (settings.origins.includes('*')) return '*'
  const origin = head.header('origin')
  return origin !== undefined && settings.origins.includes(origin) ? origin : undefined
}
