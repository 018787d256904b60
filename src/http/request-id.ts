import { randomBytes } from 'node:crypto'

/** What a client may choose as the id of its request (decisions 1): safe in headers, logs and URLs. */
const CLIENT_ID = /^[A-Za-z0-9._~-]{1,128}$/

const ID_LENGTH = 16
/** Ids that are drawn at once: a call of the generator for one costs nearly as much. */
const DRAWN_AT_ONCE = 512

/** Hex digits of ids, of which the first `used` have been given out. */
let drawn = ''
let used = 0

/** The header that carries the id, in requests and in every answer. */
export const REQUEST_ID_HEADER = 'X-Request-Id'

/** The id of a request whose header reads `given`: the client's own where it is a fit one, else a new one. */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && CLIENT_ID.test(given) ? given : newRequestId()
}

/** 16 random hex digits. Random and not counted, so that an answer tells nobody how busy the service is. */
export function newRequestId(): string {
  if (used === drawn.length) {
    drawn = randomBytes((DRAWN_AT_ONCE * ID_LENGTH) / 2).toString('hex')
    used = 0
  }
  used += ID_LENGTH
  return drawn.slice(used - ID_LENGTH, used)
}
