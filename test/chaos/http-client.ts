import { createHash, createHmac } from 'node:crypto'
import { GATEWAY_SECRET } from '../support/service-fixture.js'

/** An answer; `json` is null where the body is none. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the checks read whatever field they are about.
  readonly json: any
}

/** Far longer than any answer takes. */
const ANSWER_LIMIT_MS = 60_000

/**
 * Speaks with a service that may die or hang at any moment: null stands for every answer that did not come whole, and in time.
 */
export async function ask(
  method: string,
  url: string,
  body?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered | null> {
  try {
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS)
    const response = await fetch(url, { method, headers, signal, ...(body === undefined ? {} : { body }) })
    const text = await response.text()
    return { status: response.status, headers: response.headers, json: text === '' ? null : JSON.parse(text) }
  } catch {
    return null
  }
}

/** How a service is spoken with. */
export type Ask = typeof ask

/** Pushes events as the ledger gateway does; null when there was no whole answer. `nowMs`: by the service's clock. */
export async function pushEvents(
  url: string,
  events: readonly unknown[],
  send: Ask = ask,
  nowMs = Date.now(),
): Promise<Answered | null> {
  const body = JSON.stringify({ events })
  return send('POST', `${url}/internal/events`, body, pushHeaders(body, nowMs))
}

/** The signature of a push. */
export function pushHeaders(body: string, nowMs = Date.now()): Readonly<Record<string, string>> {
  const timestamp = String(nowMs)
  const signature = createHmac('sha256', GATEWAY_SECRET).update(`${timestamp}\n${body}`).digest('hex')
  return { 'X-Gateway-Timestamp': timestamp, 'X-Gateway-Signature': signature }
}

/** A hash transaction id would have, from a name. */
export function hashOf(name: string): string {
  return `0x${createHash('sha256').update(name).digest('hex')}`
}
