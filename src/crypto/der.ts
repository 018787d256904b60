/**
 * Strict DER (ITU-T X.690, 10 and 11) of an ECDSA signature, `SEQUENCE { r INTEGER, s INTEGER }` (SEC 1, C.8), and
 * nothing else. Strictness is the point: one signature must have one encoding, so BER's alternatives, padding and
 * trailing bytes are refused before an engine sees them, and both engines refuse the same things.
 */

/** Bytes of r, and of s, in the compact form. */
export const SCALAR_BYTES = 32
/** r followed by s, both big-endian. */
const COMPACT_SIGNATURE_BYTES = 2 * SCALAR_BYTES
/** The shortest encoding: a one-byte r and a one-byte s. */
const MIN_DER_SIGNATURE_BYTES = 8
/** The longest: both integers with 32 bytes and a sign byte. */
export const MAX_DER_SIGNATURE_BYTES = 72

const TAG_SEQUENCE = 0x30
const TAG_INTEGER = 0x02
const SIGN_BIT = 0x80
const HEADER_BYTES = 2

/**
 * Returns r ‖ s as 64 bytes, or null when `der` is not strict DER of two non-negative integers of at most 256 bits.
 * It does not check whether r and s are in the range of the curve.
 */
export function decodeDerSignature(der: Uint8Array): Uint8Array | null {
  const length = der.length
  if (length < MIN_DER_SIGNATURE_BYTES || length > MAX_DER_SIGNATURE_BYTES) return null
  // At most 70 bytes of content: DER prescribes the short form of every length here, one byte below 0x80.
  if (der[0] !== TAG_SEQUENCE || der[1] !== length - HEADER_BYTES) return null
  const compact = new Uint8Array(COMPACT_SIGNATURE_BYTES)
  const endOfR = readInteger(der, HEADER_BYTES, compact, 0)
  if (endOfR === null) return null
  const endOfS = readInteger(der, endOfR, compact, SCALAR_BYTES)
  return endOfS === length ? compact : null
}

/** Copies the integer at `start` right-aligned into `compact` and returns the offset after it, or null. */
function readInteger(der: Uint8Array, start: number, compact: Uint8Array, position: number): number | null {
  const size = der[start + 1]
  if (der[start] !== TAG_INTEGER || size === undefined || size === 0) return null
  const first = start + HEADER_BYTES
  const end = first + size
  if (end > der.length) return null
  const lead = der[first] ?? 0
  if (lead >= SIGN_BIT) return null
  // X.690, 8.3.2: a leading zero byte is only allowed, and then required, when the next one has the sign bit.
  const padded = lead === 0 && size > 1
  if (padded && (der[first + 1] ?? 0) < SIGN_BIT) return null
  const digits = padded ? first + 1 : first
  const count = end - digits
  if (count > SCALAR_BYTES) return null
  const offset = position + SCALAR_BYTES - count
  for (let i = 0; i < count; i++) compact[offset + i] = der[digits + i] ?? 0
  return end
}
