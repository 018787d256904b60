import { BoundedHttp, type HttpRequest } from '../base/bounded-http.js'
import type { Scheduler } from '../scheduler.js'

/** For a whole request: a webhook test takes up to 8 s, and a tarpit may hold an answer back. */
const TIMEOUT_MS = 30_000
/** A page of a thousand invoices takes less than a megabyte. */
const ANSWER_LIMIT_BYTES = 16_777_216

/** A `fetch` to services on the network: bounded in time and size, and with texts as bodies alone. */
export class BoundedFetch {
  private readonly http: BoundedHttp
  /** What the last answer said about the time there, in Unix milliseconds; not a number if it did not. */
  serverMs = Number.NaN

  constructor(scheduler: Scheduler) {
    this.http = new BoundedHttp({ connectionsMax: 1, timeoutMs: TIMEOUT_MS, scheduler })
  }

  readonly fetch: typeof fetch = async (input, init = {}) => {
    const { origin, pathname, search } = new URL(String(input))
    const { method = 'GET', signal } = init
    const request = this.http.request({
      origin,
      path: pathname + search,
      method: method as HttpRequest['method'],
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      limitBytes: () => ANSWER_LIMIT_BYTES,
    })
    const { status, headers, body } = await (signal ? Promise.race([request, abortOf(signal)]) : request)
    if (body === null) throw new Error(`it answered with more than ${ANSWER_LIMIT_BYTES} bytes`)
    this.serverMs = Date.parse(String(headers['date']))
    const given = Object.entries(headers).map(([name, value]) => [name, String(value)])
    return new Response(body.length === 0 ? null : body, { status, headers: Object.fromEntries(given) })
  }

  close(): Promise<void> {
    return this.http.close()
  }
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
