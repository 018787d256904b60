/** A Content-Length that can be counted exactly. */
const CONTENT_LENGTH = /^\d{1,15}$/

/** Why the framing of a request is refused: codes of the failure catalogue. */
export type FramingFlaw = 'malformed_request' | 'length_required'

/** The length of a request's body, `undefined` if it has none, or why the request is refused. */
export type Framing = number | undefined | FramingFlaw

/**
 * Judges the framing of a request from all its headers, names and values in turn. The engine reads only the first
 * header of a name, takes an empty one for absent, and does not find the end of a chunked body: it skips two bytes
 * after the last chunk and would read trailers as the next request. A request therefore passes only if no one can read
 * its length in another way: at most one Host, at most one Content-Length of digits only, and no Transfer-Encoding at
 * all.
 */
export function framingOf(headers: readonly string[]): Framing {
  let hosts = 0
  let length: number | undefined
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]
    if (name === 'transfer-encoding') return 'length_required'
    if (name === 'host') {
      hosts += 1
      if (hosts > 1) return 'malformed_request'
    } else if (name === 'content-length') {
      const value = headers[at + 1] ?? ''
      if (length !== undefined || !CONTENT_LENGTH.test(value)) return 'malformed_request'
      length = Number(value)
    }
  }
  return length
}
