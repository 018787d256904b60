// Needs no package. `privateKey` is what `createPrivateKey(readFileSync('api-key.pem'))` gives.
import { createPublicKey, type KeyObject, sign } from 'node:crypto'

/** The headers of a signed `POST /api/invoices`. `body` is the string that is sent. */
export function signedHeaders(privateKey: KeyObject, body: string, nowMs = Date.now()): Record<string, string> {
  const timestamp = String(nowMs)
  const text = `POST /api/invoices\n${timestamp}\n${body}`
  return {
    'Content-Type': 'application/json',
    'X-Service-Api-Key': publicKeyHex(privateKey),
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': sign('sha256', Buffer.from(text), privateKey).toString('base64'),
  }
}

/** The compressed public key of a secp256k1 key, 66 hex digits. */
export function publicKeyHex(privateKey: KeyObject): string {
  const { x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  const isOdd = ((Buffer.from(y, 'base64url').at(-1) ?? 0) & 1) === 1
  return (isOdd ? '03' : '02') + Buffer.from(x, 'base64url').toString('hex')
}
