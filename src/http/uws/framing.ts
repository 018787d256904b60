/** A Content-Length that can be counted exactly. */
const CONTENT_LENGTH = /^\d{1,15}$/

/** What is wrong with the framing of a request. The names are codes of the failure catalogue. */
export type FramingFlaw = 'malformed_request' | 'length_required'

/** How a request is framed: the length of its body, `undefined` when it has none, or why it is refused. */
export type Framing = number | undefined | FramingFlaw

/**
 * Judges the framing of a request from all its headers, names and values in turn. The engine looks at the first header of
 * a name only, takes an empty one for absent, and cannot tell the end of a chunked body: it skips two bytes after the last
 * chunk, unseen, and would read trailers as the next request. So a request goes on only when nobody can read its length in
 * another way: at most one Host, at most one Content-Length with nothing but digits, no Transfer-Encoding whatever it says.
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
