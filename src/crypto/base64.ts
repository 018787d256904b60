/** The length of standard base64 (RFC 4648, 4) of `byteLength` bytes, padding included. */
export function base64Length(byteLength: number): number {
  return Math.ceil(byteLength / 3) * 4
}

/**
 * The bytes of standard base64, whose padding may be left out. Null for anything else: a character outside the alphabet
 * (white space and the URL-safe ones included), wrong padding, or bits after the last byte that are not zero. Node's decoder
 * skips what it does not know, which would give one signature many spellings, so what it read has to encode to the same text.
 */
export function decodeBase64(text: Buffer): Buffer | null {
  const sent = text.toString('latin1')
  const bytes = Buffer.from(sent, 'base64')
  const encoded = bytes.toString('base64')
  return sent === encoded || sent === encoded.replace(/=+$/, '') ? bytes : null
}
