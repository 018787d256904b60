import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { getPublicKey, hashes, sign } from '@noble/secp256k1'
import { concatenated, fromBase64, fromHex, toBase64, toHex } from './bytes.js'

const KEY_BYTES = 32
const COMPACT_BYTES = 64
const COMPRESSED_KEY = /^(?:0x)?0[23][0-9a-f]{64}$/i
const TAG_SEQUENCE = 0x30
const TAG_INTEGER = 0x02
const SIGN_BIT = 0x80
/** In SEC 1 (RFC 5915), and inside PKCS #8: version 1, then 32 bytes of key. */
const PRIVATE_KEY_MARK = '0201010420'

/** What signs: a key in memory, or one that never leaves a hardware module, a wallet or another service. */
export interface Signer {
  /** The compressed public key, 66 hex digits. */
  readonly publicKey: string
  /**
   * Signs a SHA-256 digest of 32 bytes with ECDSA over secp256k1. A signature of 64 bytes is taken as r and s, any other as
   * DER.
   */
  sign(digest: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/** A private key: 32 bytes, the same as 64 hex digits, or PEM as `billhook keygen` and OpenSSL write it, without a passphrase. */
export type PrivateKey = Uint8Array | string

/**
 * A signer with a private key in memory. Throws a `TypeError` for what is no key of secp256k1.
 *
 * @example
 * ```js
 * import { Billhook, keySigner } from '@billhook/client'
 *
 * const signer = keySigner(privateKey)
 * const shop = new Billhook({ url, owner, signer })
 * console.log((await shop.getInvoice(invoice.id)).id === invoice.id) // true
 * ```
 */
export function keySigner(privateKey: PrivateKey): Signer {
  const key = typeof privateKey === 'string' ? readKey(privateKey) : privateKey
  if (key?.length !== KEY_BYTES) throw new TypeError('the private key must be 32 bytes, 64 hex digits or PEM')
  let publicKey: string
  try {
    publicKey = toHex(getPublicKey(key))
  } catch (cause) {
    throw new TypeError('the private key is out of the range of secp256k1', { cause })
  }
  return {
    publicKey,
    sign(digest) {
      hashes.sha256 = sha256
      hashes.hmacSha256 = (secret, message) => hmac(sha256, secret, message)
      return sign(digest, key, { prehash: false })
    },
  }
}

function readKey(text: string): Uint8Array | null {
  const [, base64] = /-----BEGIN (?:EC )?PRIVATE KEY-----([\s\S]+?)-----END/.exec(text) ?? []
  if (base64 === undefined) return fromHex(text.trim().replace(/^0x/, ''))
  const hex = toHex(fromBase64(base64.replace(/\s/g, '')) ?? new Uint8Array())
  const at = hex.indexOf(PRIVATE_KEY_MARK)
  return at < 0 ? null : fromHex(hex.slice(at + PRIVATE_KEY_MARK.length).slice(0, 2 * KEY_BYTES))
}

/** The signer, once its public key was seen to be one. */
export function checkedSigner(signer: Signer): Signer {
  if (!COMPRESSED_KEY.test(signer.publicKey)) {
    throw new TypeError('the public key of a signer must be compressed: 66 hex digits that begin with 02 or 03')
  }
  return signer
}

/** Base64 of the DER signature of a text, as requests and ledger transactions carry it. */
export async function signatureOf(signer: Signer, text: Uint8Array): Promise<string> {
  const signature = await signer.sign(sha256(text))
  return toBase64(signature.length === COMPACT_BYTES ? derOf(signature) : signature)
}

/** The DER form (SEC 1, C.8) of r and s, 32 bytes each. */
function derOf(compact: Uint8Array): Uint8Array {
  const integers = [compact.subarray(0, KEY_BYTES), compact.subarray(KEY_BYTES)].map(integerOf)
  const content = concatenated(...integers)
  return concatenated(Uint8Array.of(TAG_SEQUENCE, content.length), content)
}

function integerOf(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0)
  const digits = bytes.subarray(start < 0 ? bytes.length - 1 : start)
  // A first byte with the sign bit would make the number negative.
  const sign = (digits[0] ?? 0) < SIGN_BIT ? [] : [0]
  return Uint8Array.of(TAG_INTEGER, sign.length + digits.length, ...sign, ...digits)
}
