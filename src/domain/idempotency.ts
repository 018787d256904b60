/** Minimum time for which a key is kept (decisions 4). */
export const IDEMPOTENCY_KEPT_MS = 24 * 60 * 60 * 1000

/**
 * Minimum age of a signed request's timestamp at which its repetition may be forgotten. Five minutes before that, the
 * request is rejected for its age.
 */
export const SIGNED_REQUEST_KEPT_MS = 10 * 60 * 1000

/** A signed request that must not create twice. Anyone who captured it can repeat it until its timestamp expires. */
export interface SignedCreation {
  /** Unix milliseconds, as signed. */
  readonly timestampMs: number
  /** 32 bytes that stand for the API key, the timestamp and the body as signed. */
  readonly digest: Uint8Array
}

/** A request with an idempotency key. */
export interface IdempotentRequest {
  /** 32 bytes that stand for who asks, the route and the key. */
  readonly scope: Uint8Array
  /** 32 bytes that stand for the body as sent. */
  readonly bodyHash: Uint8Array
}
