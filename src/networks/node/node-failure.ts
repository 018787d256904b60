/** What a node did wrong, or what happened on the way to it. Another endpoint may do better; asking later is right. */
export abstract class NodeFailure extends Error {}

/**
 * `connection`: no answer came. `timeout`: the answer was not complete in time. `status`: another HTTP status than 2xx.
 * `too_long`: more bytes, values or levels than allowed. `not_json`: no JSON text.
 */
export type HttpFailureReason = 'connection' | 'timeout' | 'status' | 'too_long' | 'not_json'

/** A request that brought no JSON. */
export class HttpFailure extends NodeFailure {
  override readonly name = 'HttpFailure'

  constructor(
    readonly reason: HttpFailureReason,
    message: string,
    /** The HTTP status when one came. */
    readonly status: number | null = null,
    /** Milliseconds that the node asks to wait, not bounded; null when it does not ask. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}

/** Statuses with which nodes turn down questions that are too large, instead of an error of their own protocol. */
const TOO_LARGE_STATUSES: readonly (number | null)[] = [400, 413, 414, 422]

/** Whether a smaller question may succeed where this one failed. Nodes have too many words for it to tell them apart. */
export function isPerhapsTooLarge(failure: unknown): boolean {
  if (failure instanceof HttpFailure) {
    return failure.reason === 'too_long' || TOO_LARGE_STATUSES.includes(failure.status)
  }
  return failure instanceof RpcFailure
}

/** JSON that is not what was asked for: wrong types, missing parts, or parts that do not fit together. */
export class BadAnswer extends NodeFailure {
  override readonly name = 'BadAnswer'
}

/** The node's own protocol said that it cannot or will not answer. */
export class RpcFailure extends NodeFailure {
  override readonly name = 'RpcFailure'

  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}
