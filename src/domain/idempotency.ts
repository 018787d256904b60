/** How long a key is kept at the least (decisions 4). */
export const IDEMPOTENCY_KEPT_MS = 24 * 60 * 60 * 1000

/**
 * How long the timestamp of a signed request is past at the least when its repetition is no longer known: it is refused for
 * its age five minutes before.
 */
export const SIGNED_REQUEST_KEPT_MS = 10 * 60 * 1000

/** A signed request that must not create twice: whoever saw it can send it again while its timestamp is young. */
export interface SignedCreation {
  /** Unix milliseconds, as signed. */
  readonly timestampMs: number
  /** 32 bytes that stand for the API key, the timestamp and the body as signed. */
  readonly digest: Uint8Array
}

/** A request that may be repeated without being done twice. */
export interface IdempotentRequest {
  /** 32 bytes that stand for who asks, the route and the key. */
  readonly scope: Uint8Array
  /** 32 bytes that stand for the body as sent. */
  readonly bodyHash: Uint8Array
}
