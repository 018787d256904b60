import assert from 'node:assert/strict'
import { createRouter, type Route } from '../../../src/http/router.js'
import type { RequestHead } from '../../../src/http/server.js'

/** What a client gets, the body parsed. */
export interface CalledAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface RouteCall {
  /** What stands behind the question mark. */
  readonly query?: string
  readonly body?: string | Uint8Array
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request through the router to `routes`, as an adapter of the HTTP port would. */
export async function callRoute(
  routes: readonly Route[],
  method: string,
  path: string,
  { query = '', body = '', headers = {} }: RouteCall = {},
): Promise<CalledAnswer> {
  const errors: unknown[] = []
  const resolve = createRouter(routes, { onError: (error) => errors.push(error) })
  const head: RequestHead = {
    method,
    path,
    query,
    header: (name) => headers[name],
    requestId: 'request',
    remoteAddress: () => '127.0.0.1',
  }
  const target = resolve(head)
  const bytes = Buffer.from(body)
  const answer =
    bytes.length > target.bodyLimitBytes
      ? target.refuse('body_too_large')
      : await target.handle({ ...head, body: bytes, aborted: false })
  assert.deepEqual(errors, [])
  assert.equal(typeof answer.body, 'string')
  const text = String(answer.body)
  return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) }
}
