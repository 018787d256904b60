/** What a client sends on one connection. */
export interface Stream {
  readonly bytes: Buffer
  /** Paths of the requests that RFC 9112 finds in it, in order; a server may stop after any of them. */
  readonly requests: readonly string[]
}

/** A stream whose paths all begin with `base`, so that many can be told apart on one server. */
export type MakeStream = (base: string) => Stream

/** The bodies of the echoing server may have as many bytes. */
export const STREAM_BODY_LIMIT_BYTES = 1_000

/** The request that nobody has made: it stands where a body, a trailer or a refused request goes on. */
function phantom(base: string): string {
  return `GET ${base}/phantom HTTP/1.1\r\nHost: pay.example\r\n\r\n`
}

function stream(text: string, ...requests: string[]): Stream {
  return { bytes: Buffer.from(text, 'latin1'), requests }
}

function post(base: string, headers: string, rest: string): string {
  return `POST ${base}/first HTTP/1.1\r\nHost: pay.example\r\n${headers}\r\n${rest}`
}

/** Headers that leave unclear how long the body is. What may be the body holds a phantom. */
const unclearLengths: Readonly<Record<string, (length: number) => string>> = {
  'lengths 0 and all': (n) => `Content-Length: 0\r\nContent-Length: ${n}\r\n`,
  'lengths all and 0': (n) => `Content-Length: ${n}\r\nContent-Length: 0\r\n`,
  'an empty length and all': (n) => `Content-Length:\r\nContent-Length: ${n}\r\n`,
  'a blank length and all': (n) => `Content-Length: \t\r\nContent-Length: ${n}\r\n`,
  'all and an empty length': (n) => `Content-Length: ${n}\r\nContent-Length:\r\n`,
  'a list of lengths': (n) => `Content-Length: 0, ${n}\r\n`,
  'a length with a sign': (n) => `Content-Length: +${n}\r\n`,
  'a negative length': () => 'Content-Length: -1\r\n',
  'a hexadecimal length': (n) => `Content-Length: 0x${n.toString(16)}\r\n`,
  'a length with a space in it': (n) => `Content-Length: 0 ${n}\r\n`,
  'a length beyond 64 bits': () => 'Content-Length: 18446744073709551617\r\n',
  'a space before the colon of a length': (n) => `Content-Length : ${n}\r\n`,
  'a length in a folded line': (n) => `X-A: b\r\n Content-Length: ${n}\r\n`,
  'a folded length': (n) => `Content-Length:\r\n ${n}\r\n`,
  'a length behind a bare LF': (n) => `X-A: b\nContent-Length: ${n}\r\n`,
  'a length behind a bare CR': (n) => `X-A: b\rContent-Length: ${n}\r\n`,
  'a length behind a NUL': (n) => `X-A: b\0\r\nContent-Length: ${n}\r\n`,
  'a length behind a line without a colon': (n) => `nonsense\r\nContent-Length: ${n}\r\n`,
  'a length behind a name with a space': (n) => `X A: b\r\nContent-Length: ${n}\r\n`,
  'a length behind a second host': (n) => `Host: y\r\nContent-Length: ${n}\r\n`,
}

/** Headers that leave unclear whether the body is chunked. As chunks it is empty; then comes a phantom. */
const unclearEncodings: Readonly<Record<string, string>> = {
  'a length and chunked': 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
  'chunked and a length': 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n',
  'an empty encoding and a length': 'Transfer-Encoding:\r\nContent-Length: 5\r\n',
  xchunked: 'Transfer-Encoding: xchunked\r\n',
  identity: 'Transfer-Encoding: identity\r\n',
  'gzip, chunked': 'Transfer-Encoding: gzip, chunked\r\n',
  'chunked, then identity': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
  'chunked twice': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
  'chunked behind a vertical tab': 'Transfer-Encoding: \x0bchunked\r\n',
  'a space before the colon of chunked': 'Transfer-Encoding : chunked\r\n',
  'chunked in a folded line': 'Transfer-Encoding:\r\n chunked\r\n',
  'chunked behind a bare LF': 'X-A: b\nTransfer-Encoding: chunked\r\n',
}

/** Chunked bodies that end where one reader finds the end and another does not; a phantom begins there. */
const unclearEnds: Readonly<Record<string, (base: string) => string>> = {
  'a trailer that reads as a request': (base) =>
    `2\r\n{}\r\n0\r\nX: ${base}/phantom HTTP/1.1\r\nHost: pay.example\r\n\r\n`,
  'a trailer with a length': (base) =>
    `2\r\n{}\r\n0\r\nX: ${base}/phantom HTTP/1.1\r\nHost: pay.example\r\nContent-Length: 20\r\n\r\n`,
  'a trailer with an encoding': (base) =>
    `2\r\n{}\r\n0\r\nX: ${base}/phantom HTTP/1.1\r\nHost: pay.example\r\nTransfer-Encoding: chunked\r\n\r\n`,
  'a last chunk that ends in XX': (base) => `2\r\n{}\r\n0\r\nXX${phantom(base)}`,
  'a chunk that ends in XX': (base) => `2\r\n{}XX0\r\n\r\n${phantom(base)}`,
  'a chunk longer than its size': (base) => `2\r\n{}${'x'.repeat(8)}\r\n0\r\n\r\n${phantom(base)}`,
  'a size with a bare LF': (base) => `2\n{}\r\n0\r\n\r\n${phantom(base)}`,
  'a last size with a bare LF': (base) => `2\r\n{}\r\n0\n\r\n${phantom(base)}`,
  'an end of bare LFs': (base) => `2\r\n{}\r\n0\n\n${phantom(base)}`,
  'a size beyond 64 bits': (base) => `ffffffffffffffff2\r\n{}\r\n0\r\n\r\n${phantom(base)}`,
  'a negative size': (base) => `-2\r\n{}\r\n0\r\n\r\n${phantom(base)}`,
  'a size with 0x': (base) => `0x2\r\n{}\r\n0\r\n\r\n${phantom(base)}`,
  'an extension with a bare LF': (base) => `2;a\nb\r\n{}\r\n0\r\n\r\n${phantom(base)}`,
}

/** Streams without a doubt, which show that the suite sees what is executed. */
export const plainStreams: Readonly<Record<string, MakeStream>> = {
  'three requests': (base) =>
    stream(
      ['a', 'b', 'c'].map((name) => `GET ${base}/${name} HTTP/1.1\r\nHost: pay.example\r\n\r\n`).join(''),
      `${base}/a`,
      `${base}/b`,
      `${base}/c`,
    ),
  'a body that reads as a request': (base) =>
    stream(post(base, `Content-Length: ${phantom(base).length}\r\n`, phantom(base)), `${base}/first`),
  'a body of a GET that reads as a request': (base) =>
    stream(
      `GET ${base}/first HTTP/1.1\r\nHost: pay.example\r\nContent-Length: ${phantom(base).length}\r\n\r\n${phantom(base)}`,
      `${base}/first`,
    ),
  'a body that is announced': (base) =>
    stream(
      post(base, `Expect: 100-continue\r\nContent-Length: ${phantom(base).length}\r\n`, phantom(base)),
      `${base}/first`,
    ),
}

function hostile(): Record<string, MakeStream> {
  const streams: Record<string, MakeStream> = {
    'a chunked body and another request': (base) =>
      stream(
        post(
          base,
          'Transfer-Encoding: chunked\r\n',
          `2;a=b\r\n{}\r\n0\r\n\r\nGET ${base}/next HTTP/1.1\r\nHost: pay.example\r\n\r\n`,
        ),
        `${base}/first`,
        `${base}/next`,
      ),
    'an ordinary trailer and another request': (base) =>
      stream(
        post(
          base,
          'Transfer-Encoding: chunked\r\nTrailer: Checksum\r\n',
          `2\r\n{}\r\n0\r\nChecksum: abc\r\n\r\nGET ${base}/next HTTP/1.1\r\nHost: pay.example\r\n\r\n`,
        ),
        `${base}/first`,
        `${base}/next`,
      ),
    'a length that a proxy is told to strip': (base) =>
      stream(
        post(base, `Connection: Content-Length\r\nContent-Length: ${phantom(base).length}\r\n`, phantom(base)),
        `${base}/first`,
      ),
    'an encoding that a proxy is told to strip': (base) =>
      stream(
        post(
          base,
          'Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n',
          `${phantom(base).length.toString(16)}\r\n${phantom(base)}\r\n0\r\n\r\n`,
        ),
        `${base}/first`,
      ),
    'a body beyond the limit': (base) => {
      const body = phantom(base).repeat(Math.ceil((STREAM_BODY_LIMIT_BYTES + 1) / phantom(base).length))
      return stream(post(base, `Content-Length: ${body.length}\r\n`, body))
    },
    'a body of a HEAD that reads as a request': (base) =>
      stream(
        `HEAD ${base}/first HTTP/1.1\r\nHost: pay.example\r\nContent-Length: ${phantom(base).length}\r\n\r\n${phantom(base)}`,
        `${base}/first`,
      ),
    'no host': (base) => stream(`GET ${base}/first HTTP/1.1\r\n\r\n${phantom(base)}`),
    'an old version with a body': (base) =>
      stream(
        `POST ${base}/first HTTP/1.0\r\nHost: pay.example\r\nConnection: keep-alive\r\nContent-Length: ${phantom(base).length}\r\n\r\n${phantom(base)}`,
        `${base}/first`,
      ),
    'an old version that is chunked': (base) =>
      stream(
        `POST ${base}/first HTTP/1.0\r\nHost: pay.example\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${phantom(base)}`,
      ),
    'chunked with an underscore': (base) =>
      stream(post(base, 'Transfer_Encoding: chunked\r\n', `0\r\n\r\n${phantom(base)}`), `${base}/first`),
    'the preface of HTTP/2': (base) => stream(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${phantom(base)}`),
    'a tunnel': (base) => stream(`CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n${phantom(base)}`),
  }
  for (const [name, headers] of Object.entries(unclearLengths)) {
    streams[name] = (base) => stream(post(base, headers(phantom(base).length), phantom(base)))
  }
  for (const [name, headers] of Object.entries(unclearEncodings)) {
    streams[`encoding ${name}`] = (base) => stream(post(base, headers, `0\r\n\r\n${phantom(base)}`))
  }
  for (const [name, body] of Object.entries(unclearEnds)) {
    streams[`chunks, ${name}`] = (base) =>
      stream(post(base, 'Transfer-Encoding: chunked\r\nTrailer: X, Host\r\n', body(base)), `${base}/first`)
  }
  return streams
}

/** Streams that two readers may take apart differently. */
export const hostileStreams: Readonly<Record<string, MakeStream>> = hostile()

/**
 * A header without a name, behind which uWebSockets.js sees no more headers, and a preamble of the PROXY protocol, which
 * it skips. The first is for no proxy to send: a name has at least one character (RFC 9110, 5.1).
 */
export const toleratedStreams: Readonly<Record<string, MakeStream>> = {
  'a length behind a header without a name': (base) =>
    stream(post(base, `: b\r\nContent-Length: ${phantom(base).length}\r\n`, phantom(base))),
  'a preamble of the PROXY protocol': (base) => ({
    bytes: Buffer.concat([
      Buffer.from('0d0a0d0a000d0a515549540a2111000c0102030405060708005000 50'.replace(' ', ''), 'hex'),
      Buffer.from(`GET ${base}/first HTTP/1.1\r\nHost: pay.example\r\n\r\n`),
    ]),
    requests: [],
  }),
}
