import assert from 'node:assert/strict'
import type { EndpointTag, Handlers } from '../../../src/http/endpoints.js'
import type { AccessParts } from '../../../src/http/guards.js'
import { type Guards, guardedRoutes } from '../../../src/http/guards.js'
import { createRouter, type Route } from '../../../src/http/router.js'
import type { RequestHead } from '../../../src/http/server.js'

/** What a client gets, the body parsed. */
export interface CalledAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface RouteCall {
  /** What follows the question mark. */
  readonly query?: string
  readonly body?: string | Uint8Array
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The default mode without a gateway: unsigned requests pass, signed ones are not expected. */
export const openAccess: AccessParts = {
  signedRequests: {
    authenticate: () => assert.fail('a request was signed'),
    authenticateIdentity: () => assert.fail('a request was signed'),
  },
  allowsUnsigned: () => true,
  strict: null,
  gateway: null,
}

/** The routes of `handlers`, without guards unless some are given. */
export function routesOf(handlers: Partial<Handlers<EndpointTag>>, guards: Partial<Guards> = {}): Route[] {
  return guardedRoutes(handlers, { browsers: null, claimRate: null, access: openAccess, ...guards })
}

/** Sends a request through the router to `handlers`, as an adapter of the HTTP port would. */
export async function callRoute(
  handlers: Partial<Handlers<EndpointTag>>,
  method: string,
  path: string,
  { query = '', body = '', headers = {} }: RouteCall = {},
  guards: Partial<Guards> = {},
): Promise<CalledAnswer> {
  const errors: unknown[] = []
  const resolve = createRouter(routesOf(handlers, guards), {
    onError: (error, _head, isDefect) => isDefect && errors.push(error),
  })
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
