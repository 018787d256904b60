import { isLongerThan, wellFormed } from './text.js'

export const OWNER_LENGTH_MAX = 128
/** The error of a fact whose identity is malformed. */
export const OWNER_FLAW = 'an identity must have 1 to 128 characters and no space around them'

const STREAM_ID = /^[0-9a-f]{64}$/

/** Whether a text can be the id of a ledger stream: a SHA-256 in lower-case hex. */
export function isStreamId(text: string): boolean {
  return STREAM_ID.test(text)
}

/**
 * An identity stream id from a client or the gateway, trimmed; null unless it has 1 to 128 characters (decisions 3).
 */
export function parseOwner(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const owner = wellFormed(value).trim()
  return owner === '' || isLongerThan(owner, OWNER_LENGTH_MAX) ? null : owner
}
