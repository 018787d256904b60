import type { FailureCode } from '../../domain/failure.js'
import type { RequestHead } from '../server.js'
import type { IsOwnOrigin } from './own-origin.js'

export interface BrowserSettings {
  readonly isOwnOrigin: IsOwnOrigin
  /** Origins whose pages may use the API besides; `*` permits every one. */
  readonly corsOrigins: readonly string[]
}

/** Why a browser's request must not be served; null when it may, or comes from no browser. */
export type JudgeBrowser = (head: RequestHead) => FailureCode | null

/** A JSON media type, with or without parameters. A page of another origin cannot send one without asking first (CORS). */
const JSON_TYPE = /^application\/json[\t ]*(?:;|$)/i

/**
 * Keeps pages of other origins from using the service through the browser of somebody who can reach it (decisions 10).
 * Browsers mark what they send, and no page can forge the marks: `Origin` on every write, `Sec-Fetch-Site` on everything
 * where the connection is safe. A request with neither comes from a program and is not looked at; `Sec-Fetch-Mode` alone is
 * no mark, because Node's `fetch` sends it.
 */
export function browserRules({ isOwnOrigin, corsOrigins }: BrowserSettings): JudgeBrowser {
  const isListed = (origin: string) => corsOrigins.includes('*') || corsOrigins.includes(origin)
  return (head) => {
    const origin = head.header('origin')
    const site = head.header('sec-fetch-site')
    if (origin === undefined && site === undefined) return null
    const isWelcome =
      origin === undefined
        ? // `same-site` is a neighbour: another host of the domain, or another port of this machine.
          site === 'same-origin' || site === 'none'
        : isListed(origin) || (site !== 'cross-site' && isOwnOrigin(origin, head))
    if (!isWelcome) return 'cross_site'
    return hasBody(head) && !JSON_TYPE.test(head.header('content-type') ?? '') ? 'unsupported_media_type' : null
  }
}

function hasBody(head: RequestHead): boolean {
  return (head.header('content-length') ?? '0') !== '0' || head.header('transfer-encoding') !== undefined
}
