import { hash } from 'node:crypto'
import { parseJson } from '../../base/json-object.js'
import { jsonTexts } from './json-styles.js'
import type { Mistake } from './sent-request.js'

const BYTE_ORDER_MARK = '\ufeff'
/** Bodies of the API are flat. One that is deeper than this is not written again, which would take as deep a stack. */
const NESTING_MAX = 32

/** Other bodies than the bytes that were sent. */
export const BODY_MISTAKES: readonly Mistake<Buffer>[] = [
  {
    text: 'The signed body has a line break at its end that was not sent.',
    variants: ({ body }) => ['\n', '\r\n'].map((end) => Buffer.concat([body, Buffer.from(end)])),
  },
  {
    text: 'The signed body lacks the line break or the blanks at the end of the one that was sent.',
    variants: ({ body }) =>
      [body.toString('latin1').replace(/[\r\n]+$/, ''), body.toString('latin1').trim()].map(bytes),
  },
  {
    text: 'The signed body has other line breaks (CRLF or LF) than the one that was sent, or none.',
    variants: ({ body }) => {
      const text = body.toString('latin1')
      return [text.replace(/\r?\n/g, '\r\n'), text.replace(/\r\n/g, '\n'), text.replace(/[\r\n]/g, '')].map(bytes)
    },
  },
  { text: 'The body is not signed at all.', variants: () => [Buffer.alloc(0)] },
  {
    text: 'A body is signed, and none was sent.',
    variants: ({ body }) => (body.length > 0 ? [] : ['{}', 'null', 'undefined', '""', '[]', 'None'].map(bytes)),
  },
  {
    text: 'The JSON was written twice, once to be signed and once to be sent, and the two texts differ.',
    variants: ({ body }) => {
      const text = body.toString('utf8')
      const value = isShallow(text) ? parseJson(text) : null
      return value === null ? [] : jsonTexts(value).map((written) => Buffer.from(written))
    },
  },
  {
    text: 'The signed body is the JSON as a JSON string: it was serialised once more.',
    variants: ({ body }) => [Buffer.from(JSON.stringify(body.toString('utf8')))],
  },
  {
    text: 'A hash of the body is signed in place of the body.',
    variants: ({ body }) => {
      const hex = hash('sha256', body)
      return [hex, hex.toUpperCase(), Buffer.from(hex, 'hex').toString('base64')]
        .map(bytes)
        .concat(Buffer.from(hex, 'hex'))
    },
  },
  {
    text: 'The signed body is encoded in base64 or hex.',
    variants: ({ body }) => [body.toString('base64'), body.toString('hex')].map(bytes),
  },
  {
    text: 'The signed body is in another character encoding than the one that was sent, which has to be UTF-8.',
    variants: ({ body }) => {
      const text = body.toString('utf8')
      const others = [Buffer.from(text, 'latin1'), Buffer.from(body.toString('latin1')), Buffer.from(text, 'utf16le')]
      return [
        ...others,
        bytes(text.replace(/[^\0-\x7f]/g, '?')),
        Buffer.from(text.normalize('NFC')),
        Buffer.from(text.normalize('NFD')),
      ]
    },
  },
  {
    text: 'Only one of the signed body and the sent body begins with a byte order mark.',
    variants: ({ body }) => {
      const text = body.toString('utf8')
      return [Buffer.from(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : BYTE_ORDER_MARK + text)]
    },
  },
]

/** Text of which each character is a byte. */
function bytes(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

function isShallow(text: string): boolean {
  let depth = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    if (depth > NESTING_MAX) return false
  }
  return true
}
