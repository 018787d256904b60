// WebCrypto has no secp256k1, so a library signs. Its signatures are r and s, 64 bytes; the service wants DER.
import { getPublicKey, signAsync } from '@noble/secp256k1'

/** The headers of a signed `POST /api/invoices`. `privateKey` is 32 bytes, `body` the string that is sent. */
export async function signedHeaders(privateKey, body, nowMs = Date.now()) {
  const text = `POST /api/invoices\n${nowMs}\n${body}`
  const signature = await signAsync(new TextEncoder().encode(text), privateKey)
  return {
    'Content-Type': 'application/json',
    'X-Service-Api-Key': hex(getPublicKey(privateKey)),
    'X-Service-Timestamp': String(nowMs),
    'X-Service-Signature': btoa(String.fromCharCode(...derSignature(signature))),
  }
}

/** The DER form of a signature that is r and s, 32 bytes each. */
export function derSignature(compact) {
  const integer = (bytes) => {
    const start = Math.max(bytes.findIndex((byte) => byte !== 0), 0)
    // A first byte of 0x80 or more would make the number negative.
    const digits = [...(bytes[start] < 0x80 ? [] : [0]), ...bytes.slice(start)]
    return [0x02, digits.length, ...digits]
  }
  const content = [...integer(compact.slice(0, 32)), ...integer(compact.slice(32))]
  return Uint8Array.of(0x30, content.length, ...content)
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
