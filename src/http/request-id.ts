import { createPooledRandom } from '../crypto/random.js'

/** What a client may choose as the id of its request (decisions 1): safe in headers, logs and URLs. */
const CLIENT_ID = /^[A-Za-z0-9._~-]{1,128}$/

const ID_BYTES = 8

const fill = createPooledRandom()
const bytes = Buffer.alloc(ID_BYTES)

/** The header that carries the id, in requests and in every answer. */
export const REQUEST_ID_HEADER = 'X-Request-Id'

/** The id of a request whose header reads `given`: the client's own where it is a fit one, else a new one. */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && CLIENT_ID.test(given) ? given : newRequestId()
}

/** 16 random hex digits. Random and not counted, so that an answer tells nobody how busy the service is. */
export function newRequestId(): string {
  fill(bytes)
  return bytes.toString('hex')
}
