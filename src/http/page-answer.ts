import { STYLE_SOURCE } from '../page/style.js'
import { BASE_HEADERS } from './failure-response.js'
import type { Answer } from './server.js'

/** Nothing but the one style may run, load, frame or be framed. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${STYLE_SOURCE}`,
  "img-src 'self' data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The address of the page is all that it takes to see it, so it is neither stored nor passed on. */
const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
  ...BASE_HEADERS,
})

/** An answer with an HTML page as its body. `headers` are added to those of every page, which win. */
export function pageAnswer(status: number, body: string, headers?: Readonly<Record<string, string>>): Answer {
  return { status, headers: headers === undefined ? PAGE_HEADERS : { ...headers, ...PAGE_HEADERS }, body }
}
