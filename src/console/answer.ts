import { randomBytes } from 'node:crypto'
import { BASE_HEADERS } from '../http/json.js'
import type { Answer } from '../http/server.js'
import { type ConsoleFrame, type ConsolePage, consolePage } from './layout.js'

const NONCE_BYTES = 16

/** What the pages show is for the operator only. With `same-origin` browsers send `Origin` with the console's own forms (Fetch, 3.2). */
const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/html; charset=utf-8',
  'Referrer-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  ...BASE_HEADERS,
})

/** Allows styles that carry the nonce, and forms to the console itself: no script, no other host, no frame. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** An answer with a page of the console. */
export function pageAnswer(
  status: number,
  frame: Omit<ConsoleFrame, 'nonce'>,
  page: ConsolePage,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const nonce = randomBytes(NONCE_BYTES).toString('base64')
  const policy = { 'Content-Security-Policy': contentSecurityPolicy(nonce) }
  return { status, headers: { ...headers, ...PAGE_HEADERS, ...policy }, body: consolePage({ ...frame, nonce }, page) }
}

/** A file that a browser keeps. */
export interface Download {
  readonly name: string
  /** In pieces where it is long. */
  readonly text: string | AsyncIterable<string>
}

/** An answer with CSV, which no browser shows as a page. */
export function downloadAnswer({ name, text }: Download, headers: Readonly<Record<string, string>>): Answer {
  const own = {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': 'no-store',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...BASE_HEADERS,
  }
  return { status: 200, headers: { ...headers, ...own }, body: text }
}

/** Has the browser get another page, after a form was sent: a reload then sends nothing again (RFC 9110, 15.4.4). */
export function seeOther(location: string, headers: Readonly<Record<string, string>> = {}): Answer {
  const own = { Location: location, 'Cache-Control': 'no-store', ...BASE_HEADERS }
  return { status: 303, headers: { ...headers, ...own }, body: '' }
}
