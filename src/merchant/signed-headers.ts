import type { SigningKey } from '../crypto/signing-key.js'
import type { EndpointTag } from '../http/endpoints.js'

/** The three headers that sign a request (specification, Signed requests). `body` is the bytes that are sent. */
export function signedHeaders(
  key: SigningKey,
  tag: EndpointTag,
  body: Uint8Array,
  nowMs: number,
): Readonly<Record<string, string>> {
  const timestamp = String(nowMs)
  return {
    'X-Service-Api-Key': key.publicKeyHex,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': key.sign(Buffer.concat([Buffer.from(`${tag}\n${timestamp}\n`), body])),
  }
}
