import { createHash } from 'node:crypto'

/** A logo as it is served. */
export interface Logo {
  /** Its name under `/pay/shop/logo/`, which changes with the contents. */
  readonly file: string
  readonly type: string
  readonly bytes: Buffer
}

/** Characters of a hash: enough that two logos never have the same name. */
const HASH_LENGTH = 16

/** What the bytes are, by what they begin with, whatever the file was called. Null if no browser would show them. */
export function logoOf(bytes: Buffer): Logo | null {
  const format = FORMATS.find(({ isFormat }) => isFormat(bytes))
  if (format === undefined) return null
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_LENGTH)
  return { file: `${hash}.${format.ending}`, type: format.type, bytes }
}

const startsWith = (start: string, at = 0) => {
  const wanted = Buffer.from(start, 'latin1')
  return (bytes: Buffer) => bytes.subarray(at, at + wanted.length).equals(wanted)
}
const isRiff = startsWith('RIFF')
const isWebpInside = startsWith('WEBP', 8)

const FORMATS = [
  { ending: 'png', type: 'image/png', isFormat: startsWith('\x89PNG\r\n\x1a\n') },
  { ending: 'jpg', type: 'image/jpeg', isFormat: startsWith('\xff\xd8\xff') },
  { ending: 'webp', type: 'image/webp', isFormat: (bytes: Buffer) => isRiff(bytes) && isWebpInside(bytes) },
  { ending: 'svg', type: 'image/svg+xml', isFormat: isSvg },
] as const

/** What may stand before the first element: blanks, declarations, comments, a document type (XML 1.0, 2.8). */
const PROLOGUE = /\s+|<\?[^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*(?:\[[^\]]*\][^>]*)?>/y
const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'

/** Browsers draw an `<svg>` as an image only if it is in its namespace. */
function isSvg(bytes: Buffer): boolean {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  let end = 0
  PROLOGUE.lastIndex = 0
  while (PROLOGUE.test(text)) end = PROLOGUE.lastIndex
  return /^<svg[\s>]/.test(text.slice(end, end + 5)) && text.includes(SVG_NAMESPACE)
}
