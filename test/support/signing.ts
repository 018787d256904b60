import { createHash } from 'node:crypto'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import * as secp from '@noble/secp256k1'

/*
 * A client's side of a signed request, for tests: keys that are the same in every run, and DER with whatever s the
 * test wants. It shares no code with what it tests.
 */

secp.hashes.sha256 = sha256
secp.hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

/** n, the order of the group. */
export const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

export interface TestKey {
  readonly secretKey: Uint8Array
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array
  /** 66 hex digits. */
  readonly publicKeyHex: string
}

/** Returns the key of a name. */
export function testKey(name: string): TestKey {
  const secretKey = createHash('sha256').update(`test key ${name}`).digest()
  const publicKey = secp.getPublicKey(secretKey)
  return { secretKey, publicKey, publicKeyHex: Buffer.from(publicKey).toString('hex') }
}

/** DER of the signature over SHA-256 of `message`, with a low or a high s. */
export function signDer(message: Uint8Array, key: TestKey, s: 'low' | 'high' = 'low'): Buffer {
  const compact = Buffer.from(secp.sign(message, key.secretKey))
  const r = BigInt(`0x${compact.toString('hex', 0, 32)}`)
  const low = BigInt(`0x${compact.toString('hex', 32)}`)
  return encodeDer(r, s === 'low' ? low : ORDER - low)
}

/** The signature header of a request: standard base64 over tag, timestamp and body. */
export function signRequest(key: TestKey, routeTag: string, timestamp: string, body: Uint8Array | string): string {
  return signDer(signedText(routeTag, timestamp, body), key).toString('base64')
}

/** The bytes that a request's signature covers. */
export function signedText(routeTag: string, timestamp: string, body: Uint8Array | string): Buffer {
  return Buffer.concat([Buffer.from(`${routeTag}\n${timestamp}\n`), Buffer.from(body)])
}

/** Strict DER of two non-negative integers. */
export function encodeDer(r: bigint, s: bigint): Buffer {
  const content = Buffer.concat([encodeInteger(r), encodeInteger(s)])
  return Buffer.concat([Buffer.of(0x30, content.length), content])
}

function encodeInteger(value: bigint): Buffer {
  const hex = value.toString(16)
  const digits = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  const content = (digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), digits]) : digits
  return Buffer.concat([Buffer.of(0x02, content.length), content])
}
