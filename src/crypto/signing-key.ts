/** Private keys of clients: made, read from PEM, and used to sign. The service itself has none. */

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

const CURVE = 'secp256k1'
const COORDINATE_BYTES = 32
const EVEN_Y = 0x02

/** A private key of secp256k1. */
export class SigningKey {
  /** The compressed public key, 66 hex digits. */
  readonly publicKeyHex: string

  constructor(private readonly key: KeyObject) {
    this.publicKeyHex = compressedHex(createPublicKey(key))
  }

  /** Standard base64 of the DER signature of the SHA-256 of the text. */
  sign(text: Uint8Array): string {
    return sign('sha256', text, this.key).toString('base64')
  }
}

/** A fresh private key, as PEM of PKCS #8. */
export function newSigningKeyPem(): string {
  // The job encodes both halves: in Node 20 an export of what it made has been seen to wait for ever.
  return generateKeyPairSync('ec', {
    namedCurve: CURVE,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey
}

/** The key in PEM of SEC 1 or PKCS #8, without a passphrase; or what is wrong with the text. */
export function readSigningKey(pem: string): SigningKey | { readonly flaw: string } {
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
  return new SigningKey(key)
}

function compressedHex(key: KeyObject): string {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const [first, second] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
  const prefix = EVEN_Y + ((second[COORDINATE_BYTES - 1] ?? 0) & 1)
  return Buffer.concat([Buffer.of(prefix), first]).toString('hex')
}
