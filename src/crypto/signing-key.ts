/** Private keys of clients: made, and read from PEM. The service itself has none. */

import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'

const CURVE = 'secp256k1'

/** A fresh private key, as PEM of PKCS #8. */
export function newSigningKeyPem(): string {
  // The job encodes both halves: in Node 20 an export of what it made has been seen to wait for ever.
  return generateKeyPairSync('ec', {
    namedCurve: CURVE,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey
}

/** The 32 bytes of the key in PEM of SEC 1 or PKCS #8, without a passphrase; or what is wrong with the text. */
export function readPrivateKey(pem: string): Uint8Array | { readonly flaw: string } {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch (error) {
    const isLocked = (error as NodeJS.ErrnoException).code === 'ERR_MISSING_PASSPHRASE'
    return { flaw: isLocked ? 'has a passphrase, which is not supported' : 'holds no private key in PEM' }
  }
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== CURVE) {
    return { flaw: `holds a key of another kind than ${CURVE}` }
  }
  return Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url')
}
