import type { SeenAnswer } from './answer-oracle.js'

/** What a connection gave back, as far as it can be read as HTTP. */
export interface ReadAnswers {
  readonly answers: readonly SeenAnswer[]
  /** What stands behind the last complete answer. */
  readonly rest: Buffer
}

const HEAD_END = '\r\n\r\n'
const STATUS_LINE = /^HTTP\/1\.1 (\d{3})(?: [^\r\n]*)?$/
const NEXT_ANSWER = 'HTTP/1.1 '

/**
 * Reads complete answers from everything that a connection sent. The client does not know what its mutants asked for, so
 * an answer that declares a length and is followed by nothing, or by another answer, counts as one to HEAD.
 */
export function readAnswers(bytes: Buffer): ReadAnswers {
  const answers: SeenAnswer[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf(HEAD_END)
    if (end === -1) break
    const [first = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n')
    const status = Number(STATUS_LINE.exec(first)?.[1])
    if (Number.isNaN(status)) break
    const headers = headersOf(lines)
    const after = rest.subarray(end + HEAD_END.length)
    if (status < 200) {
      rest = after
      continue
    }
    const body = bodyOf(headers, after)
    if (body === null) break
    answers.push({
      status,
      contentType: headers.get('content-type') ?? '',
      body: body.bytes.toString('utf8'),
      hasRetryAfter: headers.has('retry-after'),
    })
    rest = after.subarray(body.consumed)
  }
  return { answers, rest }
}

function headersOf(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  return headers
}

interface Body {
  readonly bytes: Buffer
  readonly consumed: number
}

/** Null while it is not complete. */
function bodyOf(headers: ReadonlyMap<string, string>, after: Buffer): Body | null {
  const none: Body = { bytes: Buffer.alloc(0), consumed: 0 }
  if (after.toString('latin1', 0, NEXT_ANSWER.length) === NEXT_ANSWER) return none
  if (headers.get('transfer-encoding') === 'chunked') return chunkedBody(after)
  const length = Number(headers.get('content-length') ?? '0')
  if (length === 0 || after.length === 0) return none
  return after.length < length ? null : { bytes: after.subarray(0, length), consumed: length }
}

function chunkedBody(after: Buffer): Body | null {
  const parts: Buffer[] = []
  let at = 0
  while (at < after.length) {
    const lineEnd = after.indexOf('\r\n', at)
    if (lineEnd === -1) return null
    const size = Number.parseInt(after.toString('latin1', at, lineEnd), 16)
    const start = lineEnd + 2
    if (Number.isNaN(size) || start + size + 2 > after.length) return null
    if (size === 0) return { bytes: Buffer.concat(parts), consumed: start + 2 }
    parts.push(after.subarray(start, start + size))
    at = start + size + 2
  }
  return after.length === 0 ? { bytes: after, consumed: 0 } : null
}
