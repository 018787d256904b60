import type { Random } from '../simulation/random.js'
import type { Draft } from './raw-requests.js'

type Mutate = (draft: Draft, random: Random) => Draft

const HEADERS_MANY = 300
const HEADER_LONG_BYTES = 24_000
const CHUNKS_MAX = 5

const METHODS = [
  'get',
  'PATCH',
  'TRACE',
  'CONNECT',
  'BREW',
  'PRI',
  'M-SEARCH',
  'QUERY',
  'G\u0000T',
  '',
  'X'.repeat(500),
] as const
const VERSIONS = [
  'HTTP/1.0',
  'HTTP/2.0',
  'HTTP/0.9',
  'HTTP/1.2',
  'http/1.1',
  'HTTP/11',
  'HTTP/1.1 ',
  'HTTP/1.1\t',
  '',
  'HTTP',
] as const
const LINE_ENDS = ['\n', '\r', '\r\r\n', '\n\r', '\r\n ', ' \r\n', '\r\n\r\n', '\u0000\r\n'] as const
const LENGTHS = [
  '0',
  '-1',
  '+5',
  '5, 5',
  '5,6',
  '0x10',
  '1e3',
  ' 5',
  '5 ',
  '05',
  '',
  '18446744073709551616',
  '9007199254740993',
  '999999999999999',
  'NaN',
  '5\t',
] as const
const ENCODINGS = [
  'chunked',
  'Chunked',
  'xchunked',
  'chunked, identity',
  'identity, chunked',
  'gzip, chunked',
  'chunked, chunked',
  'identity',
  '"chunked"',
  'chunked;q=1',
  '\tchunked',
  'chunked\u000b',
  ' chunked ',
  'c\u0000hunked',
  '',
] as const
const TARGET_TAILS = [
  '%00',
  '%',
  '%2',
  '%zz',
  '%ff',
  '%c0%ae%c0%ae/',
  '%ed%a0%80',
  '/../../etc/passwd',
  '/%2e%2e/',
  '//',
  '/./',
  '?a=%ff&b',
  '#frag',
  '?',
  ';x=1',
  '\u00ff\u00fe',
  '\\',
  '%0d%0aX-Injected:%201',
  '?limit=99999',
  '?cursor=zz',
  '?include=all',
  ' HTTP/1.1',
  '\u0000',
  '/constructor',
  '/__proto__',
] as const
const TARGETS = [
  '*',
  'http://billhook.test/healthz',
  'https://u:p@billhook.test/healthz',
  'billhook.test:80',
  '',
  '//',
  '/',
  '?',
  '/\u0000',
  'healthz',
  '/healthz\u007f',
  'http://[::1',
] as const
const EXTRA: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  ['Expect', '100-continue'],
  ['Expect', 'everything'],
  ['Upgrade', 'websocket'],
  ['Upgrade', 'h2c'],
  ['Connection', 'Upgrade'],
  ['Connection', 'close'],
  ['Connection', 'keep-alive, close'],
  ['Connection', 'Content-Length'],
  ['HTTP2-Settings', 'AAMAAABk'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ['Host', 'other.test'],
  ['Host', ''],
  ['X-Service-Api-Key', ''],
  ['X-Service-Timestamp', '-0'],
  ['X-Service-Timestamp', '9'.repeat(400)],
  ['X-Service-Signature', '\u00ff'.repeat(90)],
  ['X-Service-Signature', 'A'.repeat(9000)],
  ['X-Gateway-Signature', 'zz'],
  ['Idempotency-Key', '"unterminated'],
  ['Idempotency-Key', 'k'.repeat(300)],
  ['Content-Encoding', 'gzip'],
  ['Range', 'bytes=0-1'],
  ['Trailer', 'Host'],
  ['TE', 'trailers'],
  ['Content-Type', 'multipart/form-data; boundary=\u0000'],
  ['Origin', 'null'],
  ['X-Forwarded-For', '::1, \u00ff'],
  ['Cookie', '='.repeat(3000)],
  ['', 'empty name'],
  ['Na me', 'space'],
  ['X(y)', 'delimiters'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
  ['X-Nul', 'a\u0000b'],
  ['X-Fold', 'a\r\n folded'],
  ['X-Split', 'a\r\nX-Injected: 1'],
  ['X-Bare', 'a\rb\nc'],
]

function withHeader(draft: Draft, name: string, value: string): Draft {
  return { ...draft, headers: [...draft.headers, [name, value]] }
}

function at<T>(values: readonly T[], random: Random, change: (value: T) => readonly T[]): readonly T[] {
  const place = random.below(values.length)
  return values.flatMap((value, index) => (index === place ? change(value) : [value]))
}

function chunks(body: Buffer, random: Random): Buffer {
  const parts: Buffer[] = []
  let start = 0
  for (let left = random.between(1, CHUNKS_MAX); left > 0 && start < body.length; left -= 1) {
    const end = left === 1 ? body.length : random.between(start + 1, body.length)
    const extension = random.chance(0.1) ? ';ext="a\\"b"' : ''
    parts.push(
      Buffer.from(`${(end - start).toString(16)}${extension}\r\n`),
      body.subarray(start, end),
      Buffer.from('\r\n'),
    )
    start = end
  }
  parts.push(Buffer.from(random.chance(0.2) ? '0\r\nX-Trailer: 1\r\n\r\n' : '0\r\n\r\n'))
  return Buffer.concat(parts)
}

/** What breaks chunked framing, put in place of a piece of a good one. */
const BROKEN_CHUNKS: readonly [string, ...string[]] = [
  '-1\r\n',
  'FFFFFFFFFFFFFFFF\r\n',
  '0x5\r\nhello\r\n',
  '5\nhello\n',
  '5 \r\nhello\r\n',
  '5\r\nhel\r\n',
  '5\r\nhelloX',
  'zz\r\n',
  '\r\n',
  `${'0'.repeat(400)}5\r\nhello\r\n`,
  `5;${'e'.repeat(9000)}\r\nhello\r\n`,
  '0\r\n',
  '0\r\nHost: x\r\nContent-Length: 5\r\n\r\n',
  '100000000\r\n',
  '+5\r\nhello\r\n',
  '\u0000',
  '10001\r\n',
]

/** Mutations of a request's parts, by the name of what they try. */
export const draftMutations: Readonly<Record<string, Mutate>> = {
  none: (draft) => draft,
  method: (draft, random) => ({ ...draft, method: random.pick(METHODS) }),
  version: (draft, random) => ({ ...draft, version: random.pick(VERSIONS) }),
  'line ends': (draft, random) => ({ ...draft, lineEnd: random.pick(LINE_ENDS) }),
  target: (draft, random) => ({ ...draft, target: random.pick(TARGETS) }),
  'target tail': (draft, random) => ({ ...draft, target: `${draft.target}${random.pick(TARGET_TAILS)}` }),
  'long target': (draft, random) => ({
    ...draft,
    target: `${draft.target}/${'a'.repeat(random.below(HEADER_LONG_BYTES))}`,
  }),
  'repeated header': (draft, random) => ({
    ...draft,
    headers: at(draft.headers, random, (header) => [header, header]),
  }),
  'missing header': (draft, random) => ({ ...draft, headers: at(draft.headers, random, () => []) }),
  'odd header name': (draft, random) => ({
    ...draft,
    headers: at(draft.headers, random, ([name, value]) => [
      [random.pick([`${name} `, ` ${name}`, name.toUpperCase(), `${name}\u0000`, `\t${name}`]), value],
    ]),
  }),
  'extra header': (draft, random) => withHeader(draft, ...random.pick(EXTRA)),
  'header bomb': (draft, random) => ({
    ...draft,
    headers: [
      ...draft.headers,
      ...Array.from({ length: random.below(HEADERS_MANY) }, (_, n): [string, string] => [`X-${n}`, 'y']),
    ],
  }),
  'long header': (draft, random) => withHeader(draft, 'X-Long', 'z'.repeat(random.below(HEADER_LONG_BYTES))),
  'lying length': (draft, random) =>
    withHeader(
      draft,
      'Content-Length',
      random.chance(0.5) ? random.pick(LENGTHS) : String(draft.body.length + random.between(-3, 3)),
    ),
  'two lengths': (draft, random) =>
    withHeader(withHeader(draft, 'Content-Length', String(draft.body.length)), 'Content-Length', random.pick(LENGTHS)),
  chunked: (draft, random) =>
    withHeader({ ...draft, body: chunks(draft.body, random) }, 'Transfer-Encoding', 'chunked'),
  'broken chunks': (draft, random) => {
    const good = chunks(draft.body, random)
    const place = random.below(good.length + 1)
    const body = Buffer.concat([
      good.subarray(0, place),
      Buffer.from(random.pick(BROKEN_CHUNKS), 'latin1'),
      good.subarray(place),
    ])
    return withHeader({ ...draft, body }, 'Transfer-Encoding', 'chunked')
  },
  'odd encoding': (draft, random) =>
    withHeader(
      { ...draft, body: chunks(draft.body, random) },
      random.pick(['Transfer-Encoding', 'Transfer-Encoding ', 'transfer-encoding\t', 'Transfer_Encoding']),
      random.pick(ENCODINGS),
    ),
  'length and encoding': (draft, random) => {
    const body = chunks(draft.body, random)
    const length: [string, string] = ['Content-Length', String(random.chance(0.5) ? body.length : draft.body.length)]
    const encoding: [string, string] = ['Transfer-Encoding', random.pick(ENCODINGS)]
    const framing = random.chance(0.5) ? [length, encoding] : [encoding, length]
    return { ...draft, headers: [...draft.headers, ...framing], body }
  },
  'hidden request': (draft, random) => {
    const hidden = Buffer.from('POST /api/api-keys HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}')
    const tail = Buffer.concat([Buffer.from('0\r\n\r\n'), hidden])
    const headers: readonly (readonly [string, string])[] = [
      ...draft.headers,
      ['Content-Length', String(random.chance(0.5) ? tail.length : 5)],
      [random.pick(['Transfer-Encoding', 'Transfer-Encoding ', 'X\r\nTransfer-Encoding']), random.pick(ENCODINGS)],
    ]
    return { ...draft, headers, body: tail }
  },
  'huge body': (draft, random) => ({
    ...draft,
    body: Buffer.alloc(random.between(60_000, 70_000), ' {[",\\'[random.below(6)]),
  }),
  'broken body': (draft, random) => ({ ...draft, body: flipBits(draft.body, random, random.between(1, 8)) }),
}

/** The bytes with so many of their bits turned. */
export function flipBits(bytes: Buffer, random: Random, count: number): Buffer {
  const flipped = Buffer.from(bytes)
  if (flipped.length === 0) return flipped
  for (let n = 0; n < count; n += 1) {
    const place = random.below(flipped.length)
    flipped[place] = (flipped[place] ?? 0) ^ (1 << random.below(8))
  }
  return flipped
}
