import { randomBytes } from 'node:crypto'

/** The ids that a client may choose for a request (decisions 1): safe in headers, logs and URLs. */
const CLIENT_ID = /^[A-Za-z0-9._~-]{1,128}$/

const ID_LENGTH = 16
/** Ids drawn at once: drawing a single one costs nearly as much. */
const DRAWN_AT_ONCE = 512

/** Hex digits of ids; the first `used` of them have been given out. */
let drawn = ''
let used = 0

/** The header that carries the id, in requests and in every answer. */
export const REQUEST_ID_HEADER = 'X-Request-Id'

/** The id of a request with the header `given`: the client's own if it is acceptable, else a new one. */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && CLIENT_ID.test(given) ? given : newRequestId()
}

/** 16 random hex digits. They are random so that answers do not reveal how busy the service is. */
export function newRequestId(): string {
  if (used === drawn.length) {
    drawn = randomBytes((DRAWN_AT_ONCE * ID_LENGTH) / 2).toString('hex')
    used = 0
  }
  used += ID_LENGTH
  return drawn.slice(used - ID_LENGTH, used)
}
