import { randomBytes } from 'node:crypto'
import { languageFor } from '../../page/language.js'
import type { PageFrame } from '../../page/layout.js'
import { BASE_HEADERS } from '../json.js'
import type { Answer, RequestHead } from '../server.js'

/** What the pages of a service share. */
export interface PageSettings extends Pick<PageFrame, 'isSandbox' | 'brand'> {
  /** The origins whose pages may frame the pages. */
  readonly frameAncestors: readonly string[]
  /** How long the page of a void invoice waits for what is sent too late. */
  readonly lateMs: number
}

/** `shopPath` of the pages under `/pay`, and of those under `/order`. */
export const SHOP_PATHS = { invoice: 'shop', order: '../pay/shop' } as const

const NONCE_BYTES = 16

/** What a page of a request has. `shopPath`: where what belongs to the shop is, relative to it. */
export function frameFor(
  { isSandbox, brand }: Pick<PageSettings, 'isSandbox' | 'brand'>,
  head: RequestHead,
  shopPath: string,
): PageFrame {
  const language = languageFor(head.query, head.header('accept-language'))
  return { isSandbox, brand, language, nonce: randomBytes(NONCE_BYTES).toString('base64'), shopPath }
}

export interface AnswerSettings extends PageSettings {
  readonly walletNodes?: readonly string[]
}

/** Allows what carries the nonce, images and news from this service, and what wallets ask; nothing to frame or to send. */
function contentSecurityPolicy(
  { nonce, isSandbox }: PageFrame,
  { frameAncestors, walletNodes = [] }: AnswerSettings,
): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    ['connect-src', "'self'", ...(isSandbox ? [] : walletNodes)].join(' '),
    "img-src 'self' data:",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ].join('; ')
}

/** The address is all that it takes to see the page, so it is neither stored, passed on nor listed. */
const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/html; charset=utf-8',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language',
  ...BASE_HEADERS,
})

/** An answer with an HTML page as its body. The headers of every page win over `headers`. */
export function pageAnswer(
  status: number,
  body: string,
  frame: PageFrame,
  pages: AnswerSettings,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const own = {
    'Content-Security-Policy': contentSecurityPolicy(frame, pages),
    'Content-Language': frame.language.code,
    // It cannot name origins; where there are some, the policy alone says who may frame.
    ...(pages.frameAncestors.length === 0 ? { 'X-Frame-Options': 'DENY' } : {}),
  }
  return { status, headers: { ...headers, ...PAGE_HEADERS, ...own }, body }
}
