/** Load on one server: each connection sends its next request as soon as the last one is answered. */
export interface Load {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  /** A request file; null to GET the URL. */
  readonly requests: string | null
}

/** Sends requests from a process of its own. */
export interface LoadGenerator {
  readonly name: 'wrk' | 'autocannon'
  readonly version: string
  /** Resolves with answers per second. Rejects unless every answer was a success, and when none came. */
  run(load: Load): Promise<number>
}

/** What a load generator says when it had to send requests again, which a service refuses. */
export function ranOutOf(requests: number): string {
  return `the ${requests} requests ran out: more is handled in a second than was estimated, so sign more`
}
