import { refuseField } from '../domain/failure.js'
import { type Endpoint, type EndpointTag, endpoints, type Handler, type Handlers, isForOwnPages } from './endpoints.js'
import { type AccessParts, accessGuard, type RequestGuard } from './guards/access.js'
import { failureAnswer } from './json.js'
import type { HeadGuard, Route } from './router.js'

/** The guards that the settings ask for; null is none. */
export interface Guards {
  readonly browsers: HeadGuard | null
  readonly claimRate: HeadGuard | null
  /** Null: only endpoints without a credential can be served. */
  readonly access: AccessParts | null
}

/**
 * The routes of `handlers`, each behind the guards that its endpoint asks for. This is the order in which a request
 * meets them:
 *
 * 1. before a route is looked for: its client's rate of requests, its `Host` (`service/door.ts`);
 * 2. by its head, before its body is read: browsers, query parameters, its client's rate of claims, the gateway's
 *    headers;
 * 3. when its body has arrived: access.
 */
export function guardedRoutes(handlers: Partial<Handlers<EndpointTag>>, guards: Guards): Route[] {
  const tags = Object.keys(handlers) as EndpointTag[]
  return tags.flatMap((tag) => {
    const handle: Handler<string> | undefined = handlers[tag]
    return handle === undefined ? [] : [guardedRoute(tag, handle, guards)]
  })
}

function guardedRoute(tag: EndpointTag, handle: Handler<string>, { browsers, claimRate, access }: Guards): Route {
  const endpoint = endpoints[tag]
  const [method, pattern] = tag.split(' ') as [Route['method'], string]
  const allowed = accessGuard(tag, endpoint, access)
  const heads = [
    isForOwnPages(tag, endpoint) ? browsers : null,
    queryGuard(endpoint),
    endpoint.counts === 'claim' ? claimRate : null,
    allowed.head,
  ]
  return {
    method,
    pattern,
    endpoint,
    guards: heads.filter((guard) => guard !== null),
    handle: behind(allowed.request, handle),
  }
}

function behind(guard: RequestGuard | null, handle: Handler<string>): Route['handle'] {
  if (guard === null) return (request, params) => handle(request, params, null)
  return async (request, params) => {
    const passed = await guard(request, params)
    return passed.ok ? await handle(request, params, passed.value) : failureAnswer(passed.failure)
  }
}

function queryGuard({ query: known = [] }: Endpoint): HeadGuard | null {
  if (known === 'any') return null
  return ({ query }) => {
    if (query === '') return null
    for (const name of new URLSearchParams(query).keys()) {
      if (!known.includes(name)) return refuseField('invalid_query', name, { parameter: name }).failure
    }
    return null
  }
}
