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
