import { failurePage } from '../page/failure-page.js'
import { STYLE_SOURCE } from '../page/style.js'
import { BASE_HEADERS } from './failure-response.js'
import type { PresentAnswer } from './router.js'
import type { Answer } from './server.js'

/** Allows the one style, and nothing to run, load, frame or be framed. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${STYLE_SOURCE}`,
  "img-src 'self' data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The address is all that it takes to see the page, so it is neither stored nor passed on. */
const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
  ...BASE_HEADERS,
})

/** An answer with an HTML page as its body. The headers of every page win over `headers`. */
export function pageAnswer(status: number, body: string, headers?: Readonly<Record<string, string>>): Answer {
  return { status, headers: headers === undefined ? PAGE_HEADERS : { ...headers, ...PAGE_HEADERS }, body }
}

/** Payers open these paths in a browser. */
const PAGES_PATH = '/pay'

/**
 * Turns every failure under `/pay` into a page, whichever part refused the request: a handler, a guard, the router or
 * the adapter. Status and headers stay.
 */
export function failurePages(isSandbox: boolean): PresentAnswer {
  return (answer, { path }) => {
    const { status, headers } = answer
    if (status < 400 || !(path === PAGES_PATH || path.startsWith(`${PAGES_PATH}/`))) return answer
    const retryAfter = Number.parseInt(headers['Retry-After'] ?? '', 10)
    const retryAfterSeconds = Number.isNaN(retryAfter) ? null : retryAfter
    return pageAnswer(status, failurePage({ status, retryAfterSeconds, isSandbox }), headers)
  }
}
