/** Standard base64 (RFC 4648, 4), strictly, except that the padding may be left out. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const NOT_A_DIGIT = 0xff
const PADDING = 0x3d
/** Four digits carry three bytes. */
const GROUP_DIGITS = 4
const GROUP_BYTES = 3

const digitValues = new Uint8Array(256).fill(NOT_A_DIGIT)
for (let value = 0; value < ALPHABET.length; value++) digitValues[ALPHABET.charCodeAt(value)] = value

/** The length of the longest text that `decodeBase64` accepts for `byteLength` bytes. */
export function base64Length(byteLength: number): number {
  return Math.ceil(byteLength / GROUP_BYTES) * GROUP_DIGITS
}

/**
 * Returns the bytes of `text` (a string, or its bytes), or null when it is not base64: a character outside the
 * alphabet (white space and the URL-safe ones included), wrong padding, or bits after the last byte that are not zero.
 * Node's own decoder skips what it does not know, which would give one signature many spellings.
 */
export function decodeBase64(text: string | Uint8Array): Uint8Array | null {
  const input = typeof text === 'string' ? Buffer.from(text) : text
  const digits = digitCount(input)
  const rest = digits % GROUP_DIGITS
  // A single digit left over carries six bits, which is not a byte.
  if (rest === 1 || (digits < input.length && input.length % GROUP_DIGITS !== 0)) return null

  const bytes = new Uint8Array(Math.floor((digits * GROUP_BYTES) / GROUP_DIGITS))
  let written = 0
  let pending = 0
  let pendingBits = 0
  for (let i = 0; i < digits; i++) {
    const value = digitValues[input[i] ?? 0] ?? NOT_A_DIGIT
    if (value === NOT_A_DIGIT) return null
    pending = (pending << 6) | value
    pendingBits += 6
    if (pendingBits >= 8) {
      pendingBits -= 8
      bytes[written++] = pending >> pendingBits
      pending &= (1 << pendingBits) - 1
    }
  }
  return pending === 0 ? bytes : null
}

/** How many characters stand before the padding. At most two are taken for padding; a third fails as a digit. */
function digitCount(input: Uint8Array): number {
  const length = input.length
  if (input[length - 1] !== PADDING) return length
  return input[length - 2] === PADDING ? length - 2 : length - 1
}
