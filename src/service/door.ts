import type { Settings } from '../config.js'
import { failure } from '../domain/failure.js'
import { loopbackHosts } from '../http/guards/browsers.js'
import { type Client, type ClientOf, trustedPeer } from '../http/guards/client-address.js'
import { type Charge, chargeFor, type Limiters, limitRate } from '../http/guards/rate-limiter.js'
import type { Route } from '../http/router.js'
import type { HeadGuard } from '../http/server.js'
import { isExposed, isLoopback } from './exposure.js'

/** The limit of all requests. */
const REQUESTS = 'requests'

/** Requests per minute from one address to a service that other machines can reach, unless a setting says otherwise. */
const RATE_LIMIT_WHEN_EXPOSED = 600

export interface DoorParts {
  readonly settings: Settings
  readonly clientOf: ClientOf
  readonly limiters: Limiters
}

/**
 * What every request meets first, in this order: the rate limit of its client, and the rule for its `Host` header. Both
 * judge before a route is looked for, so requests to paths and with methods that do not exist count too.
 */
export function doorGuards(
  routes: readonly Route[],
  { settings, clientOf, limiters }: DoorParts,
): readonly HeadGuard[] {
  const uncounted = new Set(
    routes.filter(({ endpoint }) => endpoint.counts === 'nothing').map(({ pattern }) => pattern),
  )
  const isLimited = limitedClients(settings)
  const limit = limitRate({
    name: REQUESTS,
    perMinute: settings.rateLimit ?? (isExposed(settings) ? RATE_LIMIT_WHEN_EXPOSED : 0),
    clientOf,
    limiters,
    counts: ({ path }, client) => !uncounted.has(path) && isLimited(client),
  })
  return [limit, hostGuard(settings.host, settings)].filter((guard) => guard !== null)
}

/** Charges clients for long answers, as further requests. */
export function requestCharge({ settings, clientOf, limiters }: DoorParts): Charge {
  const isLimited = limitedClients(settings)
  return chargeFor({ name: REQUESTS, clientOf, limiters, counts: (_head, client) => isLimited(client) })
}

/** Unless a setting says otherwise, programs on this machine are not limited. */
function limitedClients({ rateLimit }: Settings): (client: Client) => boolean {
  return ({ isLoopback }) => !(isLoopback && rateLimit === undefined)
}

/** Refuses names that a listener on `host` is not known under. Null if every name may be right. */
function hostGuard(
  host: string,
  { publicUrl, trustedProxies }: Pick<Settings, 'publicUrl' | 'trustedProxies'>,
): HeadGuard | null {
  if (!isLoopback(host)) return null
  const accepts = loopbackHosts(publicUrl, trustedPeer(trustedProxies))
  const wrongHost = failure('wrong_host')
  return (head) => (accepts(head) ? null : wrongHost)
}

/** The same for the operator's own listener, which is also known as `names`. */
export function operationsGuard(host: string, names: readonly string[]): HeadGuard | null {
  const unnamed = hostGuard(host, { trustedProxies: [] })
  if (unnamed === null) return null
  const named = names.map((name) => loopbackHosts(`http://${name}`, () => false))
  return (head) => (named.some((accepts) => accepts(head)) ? null : unnamed(head))
}
