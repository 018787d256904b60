import { failurePage } from '../page/failure-page.js'
import { pageAnswer } from './page-answer.js'
import type { Answer, Refusal, Request, RequestHead, Resolve, Target } from './server.js'

/** What payers open in a browser. */
const PAGES_PATH = '/pay'

/**
 * Lets every failure under `/pay` be a page, whichever part refused the request: a route, a guard, the router or the
 * adapter. Status and headers stay. It goes around everything else that answers, and costs other paths one comparison.
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
