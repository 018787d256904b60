import { failurePage } from '../page/failure-page.js'
import { STYLE_SOURCE } from '../page/style.js'
import { BASE_HEADERS } from './failure-response.js'
import type { Answer, Refusal, Request, RequestHead, Resolve, Target } from './server.js'

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
 * Turns every failure under `/pay` into a page, whichever part refused the request: a handler, a guard, the router or the
 * adapter. Status and headers stay. Other paths cost one comparison.
 */
export function withFailurePages(resolve: Resolve, isSandbox: boolean): Resolve {
  return (head) => (isPage(head) ? new PageTarget(resolve(head), isSandbox) : resolve(head))
}

function isPage({ path }: RequestHead): boolean {
  return path.startsWith(PAGES_PATH) && (path.length === PAGES_PATH.length || path[PAGES_PATH.length] === '/')
}

class PageTarget implements Target {
  constructor(
    private readonly inner: Target,
    private readonly isSandbox: boolean,
  ) {}

  get bodyLimitBytes(): number {
    return this.inner.bodyLimitBytes
  }

  handle(request: Request): Answer | Promise<Answer> {
    const answer = this.inner.handle(request)
    return answer instanceof Promise ? answer.then((settled) => this.asPage(settled)) : this.asPage(answer)
  }

  refuse(code: Refusal): Answer {
    return this.asPage(this.inner.refuse(code))
  }

  private asPage(answer: Answer): Answer {
    const { status, headers } = answer
    if (status < 400 || headers['Content-Type']?.startsWith('text/html')) return answer
    const retryAfter = Number.parseInt(headers['Retry-After'] ?? '', 10)
    const retryAfterSeconds = Number.isNaN(retryAfter) ? null : retryAfter
    return pageAnswer(status, failurePage({ status, retryAfterSeconds, isSandbox: this.isSandbox }), headers)
  }
}
