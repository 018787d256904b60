import { getPublicKey } from '@noble/secp256k1'
import { decodeBase64 } from '../../crypto/base64.js'
import { normalisePublicKey, publicKeyFromPem } from '../../crypto/ledger-key.js'
import { parsePublicKeyHex } from '../../crypto/secp256k1.js'

/** A key that may have made a signature. */
export interface KeyReading {
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array
  /** What is wrong with the header if this is the key; null for the key that the service reads. */
  readonly flaw: string | null
}

const EVEN = 0x02
const ODD = 0x03
const UNCOMPRESSED = '04'
const HEX = /^[0-9a-f]+$/i
const X_DIGITS = 64
const POINT_DIGITS = 128
/** SubjectPublicKeyInfo of secp256k1 begins so (RFC 5480). */
const SPKI_START = /^30[0-9a-f]{2}3010/

/** The keys that the text of `X-Service-Api-Key` can mean, the right one first. */
export function readKeyHeader(text: string): readonly KeyReading[] {
  const bare = text
    .trim()
    .replace(/^["']|["']$/g, '')
    .replace(/^0x/i, '')
  const digits = HEX.test(bare) ? bare.toLowerCase() : hexOfBase64(bare)
  const right = parsePublicKeyHex(text)
  const others = digits === null ? [] : fromDigits(digits, HEX.test(bare))
  const all = [...(right === null ? [] : [{ publicKey: right, flaw: null }]), ...others]
  return all.filter(({ publicKey }) => normalisePublicKey(publicKey) !== null)
}

function hexOfBase64(text: string): string | null {
  return decodeBase64(Buffer.from(text, 'latin1'))?.toString('hex') ?? null
}

function fromDigits(digits: string, isHex: boolean): readonly KeyReading[] {
  if (SPKI_START.test(digits)) return fromSpki(digits)
  if (digits.length === X_DIGITS) return fromThirtyTwoBytes(digits)
  const point = digits.length === POINT_DIGITS ? `${UNCOMPRESSED}${digits}` : digits
  const publicKey = point.length < 66 ? null : normalisePublicKey(Buffer.from(point, 'hex'))
  const isCompressed = point.length === 66
  const flaw = isCompressed
    ? 'The header holds the key in another spelling than hex digits, such as base64 or with quotes.'
    : 'The header holds the uncompressed key (65 or 64 bytes).'
  const found = publicKey === null ? [] : [{ publicKey, flaw }]
  return isCompressed && isHex ? [...found, ...otherParity(point)] : found
}

function otherParity(point: string): readonly KeyReading[] {
  const bytes = Buffer.from(point, 'hex')
  bytes[0] = bytes[0] === EVEN ? ODD : EVEN
  const flaw =
    'The prefix of the key, 02 or 03, is the wrong one of the two: 02 stands for an even y, 03 for an odd one.'
  return [{ publicKey: bytes, flaw }]
}

/** 32 bytes are an x coordinate without its prefix, or, which is worse, a private key. */
function fromThirtyTwoBytes(digits: string): readonly KeyReading[] {
  const flaw = 'The header holds the x coordinate alone: the prefix, 02 or 03, is missing.'
  const points = [EVEN, ODD].map((prefix) => ({ publicKey: Buffer.from(`0${prefix}${digits}`, 'hex'), flaw }))
  return [...points, ...ofPrivateKey(digits)]
}

function ofPrivateKey(digits: string): readonly KeyReading[] {
  try {
    const publicKey = getPublicKey(Buffer.from(digits, 'hex'))
    const flaw =
      'The header holds the PRIVATE key. It has been sent over the network: revoke this key and make a new one.'
    return [{ publicKey, flaw }]
  } catch {
    return []
  }
}

function fromSpki(digits: string): readonly KeyReading[] {
  const body = Buffer.from(digits, 'hex').toString('base64')
  const publicKey = publicKeyFromPem(`-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\n`)
  const flaw = 'The header holds the key in the container of OpenSSL (SubjectPublicKeyInfo), not its 33 bytes.'
  return publicKey === null ? [] : [{ publicKey, flaw }]
}
