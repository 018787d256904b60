import * as secp from '@noble/secp256k1'
import type { TestKey } from './signing.js'

/*
 * Keys as OpenSSL writes them, made without OpenSSL: `generateKeyPairSync` and an export of what it made have been seen
 * to wait for each other for ever in Node 20.
 */

/** PrivateKeyInfo (RFC 5208) around ECPrivateKey (RFC 5915) of secp256k1, up to the 32 bytes of the key. */
const PKCS8_HEAD = '303e020100301006072a8648ce3d020106052b8104000a042730250201010420'
/** SubjectPublicKeyInfo (RFC 5480) of secp256k1, up to the 65 bytes of the uncompressed point. */
const SPKI_HEAD = '3056301006072a8648ce3d020106052b8104000a034200'
const LINE = /.{1,64}/g

export function privateKeyPem({ secretKey }: TestKey): string {
  return pem('PRIVATE KEY', PKCS8_HEAD, secretKey)
}

export function publicKeyPem({ publicKey }: TestKey): string {
  return pem('PUBLIC KEY', SPKI_HEAD, secp.Point.fromBytes(publicKey).toBytes(false))
}

function pem(label: string, headHex: string, key: Uint8Array): string {
  const lines =
    Buffer.concat([Buffer.from(headHex, 'hex'), key])
      .toString('base64')
      .match(LINE) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
