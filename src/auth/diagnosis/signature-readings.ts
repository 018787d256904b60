import { decodeBase64 } from '../../crypto/base64.js'
import { decodeDerSignature, SCALAR_BYTES } from '../../crypto/der.js'

/** r and s of a signature header, and what is wrong with how it says them. */
export interface SignatureReading {
  /** 64 bytes. */
  readonly compact: Uint8Array
  /** One sentence for each flaw; empty for base64 of strict DER. */
  readonly flaws: readonly string[]
}

interface Reader {
  /** Null for the right one. */
  readonly flaw: string | null
  read(input: Buffer): Buffer | null
}

const COMPACT_BYTES = 2 * SCALAR_BYTES
const HEX = /^(?:[0-9a-fA-F]{2})+$/
const TAG_SEQUENCE = 0x30
const TAG_INTEGER = 0x02

/** From the text of the header to bytes. */
const ENCODINGS: readonly Reader[] = [
  { flaw: null, read: (text) => decodeBase64(text) },
  {
    flaw: 'The signature is in hex, not in base64.',
    read: (text) => fromHex(text.toString('latin1').replace(/^0x/, '')),
  },
  {
    flaw: 'The signature is in URL-safe base64, not in standard base64.',
    read: (text) => fromBase64Url(text.toString('latin1')),
  },
  {
    flaw: 'The base64 of the signature contains blanks or quotes.',
    read: (text) => fromCrowded(text.toString('latin1')),
  },
  {
    flaw: 'The signature is base64 of its hex text, not of its bytes.',
    read: (text) => fromHex((decodeBase64(text) ?? '').toString('latin1').trim()),
  },
  {
    flaw: 'The signature was encoded in base64 twice.',
    read: (text) => decodeBase64(decodeBase64(text) ?? Buffer.alloc(0)),
  },
]

/** From bytes to r and s. */
const FORMS: readonly Reader[] = [
  { flaw: null, read: (bytes) => fromDer(bytes) },
  {
    flaw: 'The signature is r and s, 64 bytes (compact, IEEE P1363), not DER.',
    read: (bytes) => (bytes.length === COMPACT_BYTES ? bytes : null),
  },
  {
    flaw: 'The signature is r, s and a recovery byte, 65 bytes, not DER.',
    read: (bytes) => (bytes.length === COMPACT_BYTES + 1 ? bytes.subarray(0, COMPACT_BYTES) : null),
  },
  {
    flaw: 'The signature is a recovery byte, r and s, 65 bytes, not DER.',
    read: (bytes) => (bytes.length === COMPACT_BYTES + 1 ? bytes.subarray(1) : null),
  },
  {
    flaw: 'A byte follows the DER of the signature, such as a recovery byte or a type of hash.',
    read: (bytes) => fromDer(bytes.subarray(0, -1)),
  },
  {
    flaw: 'The DER is not strict: a zero byte is missing before an integer that begins with a high bit, or is there without need.',
    read: (bytes) => fromLaxDer(bytes),
  },
]

/** Every way to read a header, the right one first. */
export function readSignatureHeader(text: string): readonly SignatureReading[] {
  return ENCODINGS.flatMap((encoding) => {
    const bytes = encoding.read(Buffer.from(text, 'latin1'))
    if (bytes === null || bytes.length === 0) return []
    return FORMS.flatMap((form) => {
      const compact = form.read(bytes)
      const flaws = [encoding.flaw, form.flaw].filter((flaw) => flaw !== null)
      return compact === null ? [] : [{ compact, flaws }]
    })
  }).toSorted((a, b) => a.flaws.length - b.flaws.length)
}

function fromHex(text: string): Buffer | null {
  return HEX.test(text) ? Buffer.from(text, 'hex') : null
}

function fromBase64Url(text: string): Buffer | null {
  return /[-_]/.test(text) ? decodeBase64(Buffer.from(text.replaceAll('-', '+').replaceAll('_', '/'))) : null
}

function fromCrowded(text: string): Buffer | null {
  const bare = text.replace(/[\s"']|\\n/g, '')
  return bare === text ? null : decodeBase64(Buffer.from(bare))
}

function fromDer(bytes: Uint8Array): Buffer | null {
  const compact = decodeDerSignature(bytes)
  return compact === null ? null : Buffer.from(compact)
}

/** Two integers in short form, whatever zero bytes they begin with. */
function fromLaxDer(bytes: Buffer): Buffer | null {
  if (fromDer(bytes) !== null || bytes[0] !== TAG_SEQUENCE || bytes[2] !== TAG_INTEGER) return null
  const startOfS = 4 + (bytes[3] ?? 0)
  if (bytes[startOfS] !== TAG_INTEGER) return null
  const r = toScalar(bytes.subarray(4, startOfS))
  const s = toScalar(bytes.subarray(startOfS + 2, startOfS + 2 + (bytes[startOfS + 1] ?? 0)))
  return r === null || s === null ? null : Buffer.concat([r, s])
}

function toScalar(digits: Buffer): Buffer | null {
  const start = digits.findIndex((byte) => byte !== 0)
  const bare = digits.subarray(start < 0 ? digits.length : start)
  return bare.length > SCALAR_BYTES ? null : Buffer.concat([Buffer.alloc(SCALAR_BYTES - bare.length), bare])
}
