import { retryAfterMs } from '../base/retry-after.js'
import { type Clock, systemClock } from '../clock.js'
import { type DeliveryFailure, type DeliveryResult, originOf } from '../domain/webhook.js'
import { AddressRefused, type Connection, type ConnectionSettings } from './connection.js'
import { ConnectionPool } from './connection-pool.js'
import { createHostResolver, HostNotFound } from './host-resolver.js'

/** Time for everything: resolving, connecting, TLS, sending, and the whole answer (specification, Limits). */
const DELIVERY_TIMEOUT_MS = 8000

/** How much of an answer is read, and discarded (decisions 7). */
const ANSWER_LIMIT_BYTES = 64 * 1024

/** Answers below are interim (RFC 9110, 15.2), and the final one follows. */
const FINAL_STATUS_MIN = 200

/** The statuses that ask for a pause: too many requests, and unavailable (RFC 6585, 4; RFC 9110, 15.6.4). */
const ASKING_STATUSES = [429, 503]

/** One POST. */
export interface OutgoingDelivery {
  /** Absolute http: or https: URL. Its fragment and user information are not sent. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface Sender {
  /**
   * Makes one attempt. It never rejects because of a receiver, and follows no redirects. An answer longer than the limit
   * counts by its status; one that breaks off, or is not complete at the deadline, is a failure. Of the answer, the result
   * holds the status and the time that it asks to wait.
   */
  send(delivery: OutgoingDelivery): Promise<DeliveryResult>
  /** Closes every connection; attempts in flight fail. */
  close(): void
}

export interface SenderOptions extends Partial<ConnectionSettings> {
  readonly guard: ConnectionSettings['guard']
  readonly timeoutMs?: number
  /** For dates in `Retry-After`. */
  readonly clock?: Clock
  /** A monotonic clock in milliseconds, for durations. */
  readonly monotonicMs?: () => number
}

type Ending =
  | { readonly kind: 'answered'; readonly httpStatus: number; readonly retryAfterMs?: number }
  | { readonly kind: 'failed'; readonly reason: DeliveryFailure; readonly detail: string }

const HTTP_ORIGIN = /^https?:/
const NO_URL: Ending = {
  kind: 'failed',
  reason: 'connection',
  detail: 'the callback URL is not an absolute http or https URL',
}

/** Sends webhooks over HTTP/1.1, straight to the receiver: no proxy, no cookies, no cache. */
export class HttpSender implements Sender {
  private readonly timeoutMs: number
  private readonly monotonicMs: () => number
  private readonly clock: Clock
  private readonly connections: ConnectionPool

  constructor(options: SenderOptions) {
    this.timeoutMs = options.timeoutMs ?? DELIVERY_TIMEOUT_MS
    this.monotonicMs = options.monotonicMs ?? (() => performance.now())
    this.clock = options.clock ?? systemClock
    const defaults = { resolve: createHostResolver(), answerLimitBytes: ANSWER_LIMIT_BYTES }
    this.connections = new ConnectionPool({ ...defaults, ...options }, this.monotonicMs)
  }

  async send(delivery: OutgoingDelivery): Promise<DeliveryResult> {
    const startedAtMs = this.monotonicMs()
    const ending = await this.attempt(delivery)
    return { ...ending, durationMs: Math.max(0, Math.round(this.monotonicMs() - startedAtMs)) }
  }

  close(): void {
    this.connections.destroy()
  }

  private attempt(delivery: OutgoingDelivery): Promise<Ending> {
    const { connections, timeoutMs, clock } = this
    const origin = originOf(delivery.url)
    if (origin === null || !HTTP_ORIGIN.test(origin)) return Promise.resolve(NO_URL)
    const { pathname, search } = new URL(delivery.url)
    return new Promise((resolve) => {
      const connection = connections.take(origin)
      let answer: Ending | null = null
      let isToBeKept = true
      let isEnded = false

      function end(ending: Ending, isReusable: boolean): void {
        if (isEnded) return
        isEnded = true
        clearTimeout(deadline)
        if (isReusable) connections.keep(connection)
        else connections.drop(connection)
        resolve(ending)
      }

      const deadline = setTimeout(() => {
        end({ kind: 'failed', reason: 'timeout', detail: `no complete answer within ${timeoutMs} ms` }, false)
      }, timeoutMs)

      connection.beginAnswer()
      connection.client.dispatch(
        {
          path: pathname + search,
          method: 'POST',
          headers: { ...delivery.headers },
          body: delivery.body,
        },
        {
          onRequestStart() {},
          onResponseStart(_controller, status, headers) {
            if (status < FINAL_STATUS_MIN) return
            const retryAfterMs = retryAfterOf(status, headers['retry-after'], clock.now())
            answer = { kind: 'answered', httpStatus: status, ...(retryAfterMs === null ? {} : { retryAfterMs }) }
            const said = saysOfConnection(headers)
            if (said === 'keeps') connection.isPersistent = true
            isToBeKept = said !== 'closes'
          },
          onResponseData() {},
          onResponseEnd() {
            if (answer === null) end(failureOf(new Error('an answer without a status'), connection), false)
            else end(answer, isToBeKept)
          },
          onResponseError(_controller, error) {
            if (answer !== null && connection.isAnswerTooLong) end(answer, false)
            else end(failureOf(error, connection), false)
          },
        },
      )
    })
  }
}

/**
 * How many milliseconds from `nowMs` an answer asks to wait by `Retry-After`; null when it does not ask, or the header
 * is malformed. The value is not bounded.
 */
export function retryAfterOf(status: number, header: string | string[] | undefined, nowMs: number): number | null {
  return ASKING_STATUSES.includes(status) ? retryAfterMs(header, nowMs) : null
}

/** What the receiver announces for the connection after its answer. */
function saysOfConnection(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): 'keeps' | 'closes' | 'nothing' {
  const connection = String(headers['connection'] ?? '').toLowerCase()
  if (connection.includes('close')) return 'closes'
  return connection.includes('keep-alive') || headers['keep-alive'] !== undefined ? 'keeps' : 'nothing'
}

function failureOf(error: Error, connection: Connection): Ending {
  if (error instanceof AddressRefused) return { kind: 'failed', reason: 'refused_address', detail: error.message }
  if (error instanceof HostNotFound) return { kind: 'failed', reason: 'dns', detail: error.code }
  if (connection.isAnswerTooLong) return { kind: 'failed', reason: 'connection', detail: 'ANSWER_TOO_LONG' }
  return { kind: 'failed', reason: 'connection', detail: codeOf(error) }
}

/** A code of the machine or of the HTTP client. Never a message: it could quote the receiver. */
function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
