import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import * as secp from '@noble/secp256k1'
import { publicKeyPem } from '../../support/pem.js'
import { signDer, signedText, testKey } from '../../support/signing.js'

/*
 * Requests whose clients made a mistake each, with the sentence that has to explain it. The signatures are made here as such
 * clients make them, with no code of the diagnosis.
 */

export interface Sent {
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly timestamp: string
  readonly body: Buffer
  readonly apiKey: string
  readonly signature: string
}

export interface Row {
  readonly name: string
  /** What the diagnosis has to say, the beginnings of its sentences in order. */
  readonly says: readonly string[]
  readonly sent: Sent
}

export const key = testKey('a merchant')
export const otherKey = testKey('another key of the merchant')
const TAG = 'POST /api/invoices'
const VOID_TAG = 'POST /api/invoices/:id/void'
const TIMESTAMP = '1795171627009'
const BODY = '{"walletIds":["a/b"],"name":"Tee für <zwei>","amount":"25.00","n":{"b":1,"a":2}}'

const right: Sent = {
  method: 'POST',
  path: '/api/invoices',
  tag: TAG,
  timestamp: TIMESTAMP,
  body: Buffer.from(BODY),
  apiKey: key.publicKeyHex,
  signature: '',
}

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()

/** Base64 of DER of a signature over a digest as it is. */
function signDigest(digest: Uint8Array): string {
  const whole = Buffer.concat([Buffer.alloc(Math.max(32 - digest.length, 0)), digest]).subarray(0, 32)
  const compact = Buffer.from(secp.sign(whole, key.secretKey, { prehash: false }))
  return der(compact).toString('base64')
}

function der(compact: Buffer): Buffer {
  const integer = (bytes: Buffer) => {
    let start = 0
    while (bytes[start] === 0) start += 1
    const sign = (bytes[start] ?? 0) >= 0x80 ? Buffer.of(0) : Buffer.alloc(0)
    const content = Buffer.concat([sign, bytes.subarray(start)])
    return Buffer.concat([Buffer.of(2, content.length), content])
  }
  const content = Buffer.concat([integer(compact.subarray(0, 32)), integer(compact.subarray(32))])
  return Buffer.concat([Buffer.of(0x30, content.length), content])
}

/** Signs any text in place of the right one. */
function text(signed: string | Buffer, changed: Partial<Sent> = {}): Sent {
  return { ...right, ...changed, signature: signDigest(sha256(signed)) }
}

/** Signs a body in place of the one that is sent. */
function body(signed: string | Buffer, sent: string | Buffer = BODY): Sent {
  return text(signedText(TAG, TIMESTAMP, signed), { body: Buffer.from(sent) })
}

function digest(signed: Uint8Array): Sent {
  return { ...right, signature: signDigest(signed) }
}

const rightText = signedText(TAG, TIMESTAMP, BODY)
const rightDer = signDer(rightText, key)
const rightCompact = Buffer.from(secp.sign(rightText, key.secretKey))
const parsed = JSON.parse(BODY)
const sent = (signature: string): Sent => ({ ...right, signature })
const keyed = (apiKey: string): Sent => ({ ...right, apiKey, signature: rightDer.toString('base64') })
const voiding = { path: '/api/invoices/01a1f891/void?x=1', tag: VOID_TAG, body: Buffer.alloc(0) }
const line = (first: string, changed: Partial<Sent> = voiding) => {
  return text(signedText(first, TIMESTAMP, changed.body ?? BODY), changed)
}
const stamp = (signed: string, changed: Partial<Sent> = {}) => text(signedText(TAG, signed, BODY), changed)

const personal = (message: Uint8Array) => {
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`), message]))
}
const bitcoin = (message: Buffer) => {
  const prefix = Buffer.from('\x18Bitcoin Signed Message:\n')
  const long = Buffer.of(0xfd, message.length & 255, message.length >> 8)
  return sha256(sha256(Buffer.concat([prefix, message.length < 253 ? Buffer.of(message.length) : long, message])))
}
/** DER whose integers both begin with a zero byte; the low s needs none. */
function padded(compact: Buffer): Buffer {
  const integer = (bytes: Buffer) => Buffer.concat([Buffer.of(2, 33, 0), bytes])
  const content = Buffer.concat([integer(compact.subarray(0, 32)), integer(compact.subarray(32))])
  return Buffer.concat([Buffer.of(0x30, content.length), content])
}

const uncompressed = Buffer.from(secp.Point.fromBytes(key.publicKey).toBytes(false)).toString('hex')
const spki = publicKeyPem(key).replace(/-----[^-]+-----|\n/g, '')
const flippedPrefix = `${key.publicKeyHex.startsWith('02') ? '03' : '02'}${key.publicKeyHex.slice(2)}`
const high = signDer(rightText, key, 'high')

const LINE = {
  path: 'The first line is the path that was called',
  query: 'The first line contains the query',
  braces: 'The first line has the parameters in braces',
  lower: 'The first line has the method in lower case',
  noMethod: 'The first line lacks the method',
  noPath: 'The first line lacks the path',
  blank: 'The first line has no single blank',
  slash: 'The first line has a slash or a blank at its end',
  version: 'The first line has the HTTP version',
  head: 'A HEAD request is signed as GET',
  other: 'The first line is that of another endpoint',
}
const CONTENT = {
  end: 'The signed body has a line break at its end that was not sent',
  noEnd: 'The signed body lacks the line break or the blanks at the end',
  breaks: 'The signed body has other line breaks',
  none: 'The body is not signed at all',
  notSent: 'A body is signed, and none was sent',
  twice: 'The JSON was written twice',
  string: 'The signed body is the JSON as a JSON string',
  hash: 'A hash of the body is signed',
  encoded: 'The signed body is encoded in base64 or hex',
  charset: 'The signed body is in another character encoding',
  mark: 'Only one of the signed body and the sent body begins with a byte order mark',
}
const SEPARATOR = 'There is no single line feed (byte 0x0A) between the parts'
const OTHER_ORDER = 'The three parts are in another order'
const TWICE = 'The text was hashed twice'
const AS_TEXT = 'The hash was signed as text'
const ENCODED = 'The text was encoded in hex or base64 before'
const HASH = 'Another hash than SHA-256'
const HEX = 'The signature is in hex'
const COMPACT = 'The signature is r and s, 64 bytes'

export const ROWS: readonly Row[] = [
  ...rows([LINE.path], {
    'the path': line('POST /api/invoices/01a1f891/void'),
    'the path behind a prefix': line('POST /shop/api/invoices/7/void', {
      ...voiding,
      path: '/shop/api/invoices/7/void',
    }),
  }),
  ...rows([LINE.query], {
    'the path and the query': line('POST /api/invoices/01a1f891/void?x=1'),
    'the pattern and the query': line('POST /api/invoices/:id/void?x=1'),
  }),
  ...rows([LINE.braces], { braces: line('POST /api/invoices/{id}/void') }),
  ...rows([LINE.lower], { 'lower case': line('post /api/invoices', {}) }),
  ...rows([LINE.noMethod], { 'no method': line('/api/invoices', {}) }),
  ...rows([LINE.noPath], { 'no path': line('POST', {}) }),
  ...rows([LINE.blank], { 'two blanks': line('POST  /api/invoices', {}), 'no blank': line('POST/api/invoices', {}) }),
  ...rows([LINE.slash], { 'a slash': line('POST /api/invoices/', {}) }),
  ...rows([LINE.version], { 'HTTP/1.1': line('POST /api/invoices HTTP/1.1', {}) }),
  ...rows([LINE.head], {
    HEAD: text(signedText('HEAD /api/invoices/:id', TIMESTAMP, ''), {
      ...{ method: 'HEAD', path: '/api/invoices/7', tag: 'GET /api/invoices/:id', body: Buffer.alloc(0) },
    }),
  }),
  ...rows([LINE.other], { 'another endpoint': line(TAG) }),

  ...rows(['The signed timestamp is in seconds'], {
    seconds: stamp('1795171627'),
    'with decimals': stamp('1795171627.009'),
  }),
  ...rows(['The signed timestamp is in milliseconds'], {
    milliseconds: stamp('1795171627000', { timestamp: '1795171627' }),
  }),
  ...rows(['The signed timestamp is a date'], { ISO: stamp(new Date(1_795_171_627_009).toISOString()) }),
  ...rows(['The signed timestamp is hexadecimal or quoted'], { quoted: stamp(`"${TIMESTAMP}"`) }),
  ...rows(['The signed timestamp is empty'], { empty: stamp('') }),
  ...rows(['The clock was read twice'], {
    older: stamp('1795171627006'),
    younger: stamp('1795171627011'),
    second: stamp('1795171626', { timestamp: '1795171627' }),
  }),

  ...rows([CONTENT.end], { LF: body(`${BODY}\n`), CRLF: body(`${BODY}\r\n`) }),
  ...rows([CONTENT.noEnd], { LF: body(BODY, `${BODY}\n`), blanks: body(BODY, ` ${BODY} `) }),
  ...rows([CONTENT.breaks], {
    CRLF: body('{\r\n"a":1}', '{\n"a":1}'),
    LF: body('{\n"a":1}', '{\r\n"a":1}'),
    'as curl --data reads a file': body('{ "a":1}', '{\n "a":1}'),
  }),
  ...rows([CONTENT.none], { 'no body': body('') }),
  ...rows([CONTENT.notSent], { '{}': text(signedText(VOID_TAG, TIMESTAMP, '{}'), voiding) }),
  ...rows([CONTENT.twice], {
    Python: body('{"walletIds": ["a/b"], "name": "Tee f\\u00fcr <zwei>", "amount": "25.00", "n": {"b": 1, "a": 2}}'),
    'Python, sent compact': body('{"a": 1, "b": [1, 2]}', '{"a":1,"b":[1,2]}'),
    PHP: body('{"walletIds":["a\\/b"],"name":"Tee f\\u00fcr <zwei>","amount":"25.00","n":{"b":1,"a":2}}'),
    Go: body('{"amount":"25.00","n":{"a":2,"b":1},"name":"Tee für \\u003czwei\\u003e","walletIds":["a/b"]}\n'),
    sorted: body('{"amount":"25.00","n":{"a":2,"b":1},"name":"Tee für <zwei>","walletIds":["a/b"]}'),
    indented: body(JSON.stringify(parsed, null, 2)),
  }),
  ...rows([CONTENT.string], { 'a JSON string': body(JSON.stringify(BODY)) }),
  ...rows([CONTENT.hash], { hex: body(sha256(BODY).toString('hex')), bytes: body(sha256(BODY)) }),
  ...rows([CONTENT.encoded], { base64: body(Buffer.from(BODY).toString('base64')) }),
  ...rows([CONTENT.charset], {
    'Latin-1': body(Buffer.from(BODY, 'latin1')),
    'UTF-16': body(Buffer.from(BODY, 'utf16le')),
  }),
  ...rows([CONTENT.mark], { signed: body(`\ufeff${BODY}`), sent: body(BODY, `\ufeff${BODY}`) }),

  ...rows([SEPARATOR], {
    CRLF: text(`${TAG}\r\n${TIMESTAMP}\r\n${BODY}`),
    'a backslash and an n': text(`${TAG}\\n${TIMESTAMP}\\n${BODY}`),
    nothing: text(`${TAG}${TIMESTAMP}${BODY}`),
    dots: text(`${TAG}.${TIMESTAMP}.${BODY}`),
  }),
  ...rows([CONTENT.end], { 'a line feed at the end of the text': text(`${TAG}\n${TIMESTAMP}\n${BODY}\n`) }),
  ...rows([CONTENT.string, 'The text ends with a line feed'], {
    'a line feed after another mistake': text(`${TAG}\n${TIMESTAMP}\n${JSON.stringify(BODY)}\n`),
  }),
  ...rows(['The line feed after the timestamp is missing'], {
    'an empty body': text(`${VOID_TAG}\n${TIMESTAMP}`, voiding),
  }),
  ...rows(['There is an empty line before the body'], { 'an empty line': text(`${TAG}\n${TIMESTAMP}\n\n${BODY}`) }),
  ...rows(['Method and path are on lines of their own'], {
    'four lines': text(`POST\n/api/invoices\n${TIMESTAMP}\n${BODY}`),
  }),
  ...rows([OTHER_ORDER], {
    'the timestamp first': text(`${TIMESTAMP}\n${TAG}\n${BODY}`),
    'the timestamp last': text(`${TAG}\n${BODY}\n${TIMESTAMP}`),
  }),
  ...rows(['The first line is missing'], { 'two lines': text(`${TIMESTAMP}\n${BODY}`) }),
  ...rows(['The timestamp is missing'], { 'two lines': text(`${TAG}\n${BODY}`) }),
  ...rows(['Only the body is signed'], { 'the body': text(BODY) }),
  ...rows(['The text begins with a key'], { 'the key': text(`${key.publicKeyHex}\n${TAG}\n${TIMESTAMP}\n${BODY}`) }),

  ...rows([TWICE], { twice: digest(sha256(sha256(rightText))) }),
  ...rows([AS_TEXT], {
    hex: digest(sha256(sha256(rightText).toString('hex'))),
    'hex, not hashed again': digest(Buffer.from(sha256(rightText).toString('hex')).subarray(0, 32)),
  }),
  ...rows(['The text was not hashed'], { raw: digest(rightText) }),
  ...rows([ENCODED], { hex: digest(sha256(rightText.toString('hex'))) }),
  ...rows([HASH], {
    'SHA-512': digest(createHash('sha512').update(rightText).digest()),
    'SHA-1': digest(createHash('sha1').update(rightText).digest()),
    Keccak: digest(keccak_256(rightText)),
  }),
  ...rows(['A wallet signed the text as an Ethereum message'], {
    text: digest(personal(rightText)),
    hash: digest(personal(sha256(rightText))),
  }),
  ...rows(['A wallet signed the text as a Bitcoin message'], {
    short: digest(bitcoin(rightText)),
    long: { ...digest(bitcoin(signedText(TAG, TIMESTAMP, 'x'.repeat(300)))), body: Buffer.from('x'.repeat(300)) },
  }),

  ...rows([HEX], { hex: sent(rightDer.toString('hex')), '0x': sent(`0x${rightDer.toString('hex')}`) }),
  ...rows(['The signature is in URL-safe base64'], { base64url: urlSafe() }),
  ...rows(['The base64 of the signature contains blanks'], {
    folded: sent(`${rightDer.toString('base64').slice(0, 64)} ${rightDer.toString('base64').slice(64)}`),
  }),
  ...rows(['The signature is base64 of its hex text'], {
    hex: sent(Buffer.from(rightDer.toString('hex')).toString('base64')),
  }),
  ...rows(['The signature was encoded in base64 twice'], {
    twice: sent(Buffer.from(rightDer.toString('base64')).toString('base64')),
  }),
  ...rows([COMPACT], { compact: sent(rightCompact.toString('base64')) }),
  ...rows([HEX, COMPACT], { 'compact in hex': sent(rightCompact.toString('hex')) }),
  ...rows(['The signature is r, s and a recovery byte'], {
    'r, s, v': sent(Buffer.concat([rightCompact, Buffer.of(27)]).toString('base64')),
  }),
  ...rows(['The signature is a recovery byte, r and s'], {
    'v, r, s': sent(Buffer.concat([Buffer.of(1), rightCompact]).toString('base64')),
  }),
  ...rows(['A byte follows the DER'], {
    'a type of hash': sent(Buffer.concat([rightDer, Buffer.of(1)]).toString('base64')),
  }),
  ...rows(['The DER is not strict'], { 'zero bytes': sent(padded(rightCompact).toString('base64')) }),

  ...rows(['The header holds the uncompressed key'], {
    '04': keyed(uncompressed),
    'without 04': keyed(uncompressed.slice(2)),
    base64: keyed(Buffer.from(uncompressed, 'hex').toString('base64')),
  }),
  ...rows(['The header holds the key in another spelling'], {
    base64: keyed(Buffer.from(key.publicKey).toString('base64')),
    quotes: keyed(`"${key.publicKeyHex}"`),
  }),
  ...rows(['The prefix of the key'], { 'the other prefix': keyed(flippedPrefix) }),
  ...rows(['The header holds the x coordinate alone'], { 'the x': keyed(key.publicKeyHex.slice(2)) }),
  ...rows(['The header holds the PRIVATE key'], {
    'the private key': keyed(Buffer.from(key.secretKey).toString('hex')),
  }),
  ...rows(['The header holds the key in the container of OpenSSL'], {
    hex: keyed(Buffer.from(spki, 'base64').toString('hex')),
    base64: keyed(spki),
  }),
  ...rows(['The header names another key than the one that signed, the key of a friend.'], {
    'another key': { ...right, signature: signDer(rightText, otherKey).toString('base64') },
  }),

  ...rows([CONTENT.end, SEPARATOR], { 'CRLF everywhere': text(`${TAG}\r\n${TIMESTAMP}\r\n${BODY}\r\n`) }),
  ...rows([CONTENT.twice, TWICE, COMPACT], {
    'three mistakes': {
      ...right,
      signature: Buffer.from(
        secp.sign(sha256(sha256(signedText(TAG, TIMESTAMP, JSON.stringify(parsed, null, 2)))), key.secretKey, {
          prehash: false,
        }),
      ).toString('base64'),
    },
  }),
  ...rows([], {
    nothing: { ...right, signature: rightDer.toString('base64') },
    'a high s': sent(high.toString('base64')),
    '0x before the key': keyed(`0x${key.publicKeyHex}`),
  }),
]

function rows(says: readonly string[], named: Readonly<Record<string, Sent>>): Row[] {
  return Object.entries(named).map(([name, one]) => ({ name: `${name}: ${says.join('; ')}`, says, sent: one }))
}

/** The first of the signatures of this key whose base64 has characters that the two alphabets do not share. */
function urlSafe(): Sent {
  for (let ms = 0; ; ms += 1) {
    const timestamp = String(Number(TIMESTAMP) + ms)
    const signature = signDer(signedText(TAG, timestamp, BODY), key).toString('base64')
    if (/[+/]/.test(signature))
      return { ...right, timestamp, signature: signature.replaceAll('+', '-').replaceAll('/', '_') }
  }
}
