import { isIP } from 'node:net'
import { failure } from '../../domain/failure.js'
import type { HeadGuard } from '../router.js'
import type { RequestHead } from '../server.js'
import { isLoopbackName } from './host-header.js'

export interface BrowserSettings {
  readonly isOwnOrigin: IsOwnOrigin
  /** Origins whose pages may call the API too; `*` permits every one. */
  readonly corsOrigins: readonly string[]
}

/** A JSON media type. A page of another origin cannot send one without a preflight (CORS). */
const JSON_TYPE = /^application\/json[\t ]*(?:;|$)/i

/**
 * Stops pages of other origins that call the service through the browser of a user who can reach it (decisions 10).
 * Browsers mark their requests, and no page can forge the marks: `Origin` on every write, `Sec-Fetch-Site` on every
 * request over a secure connection. A request with neither comes from a program and passes. `Sec-Fetch-Mode` alone is
 * no mark, because Node's `fetch` sends it.
 */
export function browserGuard({ isOwnOrigin, corsOrigins }: BrowserSettings): HeadGuard {
  const isListed = (origin: string) => corsOrigins.includes('*') || corsOrigins.includes(origin)
  return (head) => {
    const origin = head.header('origin')
    const site = head.header('sec-fetch-site')
    if (origin === undefined && site === undefined) return null
    const isWelcome =
      origin === undefined
        ? // `same-site` is another host of the domain, or another port of this machine.
          site === 'same-origin' || site === 'none'
        : isListed(origin) || (site !== 'cross-site' && isOwnOrigin(origin, head))
    if (!isWelcome) return failure('cross_site')
    if (!hasBody(head) || JSON_TYPE.test(head.header('content-type') ?? '')) return null
    return failure('unsupported_media_type')
  }
}

function hasBody(head: RequestHead): boolean {
  return (head.header('content-length') ?? '0') !== '0' || head.header('transfer-encoding') !== undefined
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
    return origin === asked && (isLoopbackName(hostname) || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
  }
}

/** Who may send requests without a signature, whose `owner` is trusted (decisions 10). */
export type UnsignedMode = 'on' | 'same-origin' | 'off'

/**
 * Whether a mode allows a request without signature headers. `same-origin` allows requests of the service's own pages,
 * as browsers mark them: by `Origin` or, if that is absent, by `Sec-Fetch-Site: same-origin` (Fetch Metadata Request
 * Headers). A browser lets no page forge either. A program can: this keeps other web sites out, not other programs.
 */
export function unsignedPath(mode: UnsignedMode, isOwnOrigin: IsOwnOrigin): (head: RequestHead) => boolean {
  switch (mode) {
    case 'on':
      return () => true
    case 'off':
      return () => false
    case 'same-origin':
      return (head) => {
        const origin = head.header('origin')
        if (origin === undefined) return head.header('sec-fetch-site') === 'same-origin'
        return isOwnOrigin(origin, head)
      }
  }
}
