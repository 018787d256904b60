import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { promisify } from 'node:util'
import { signedTextHead } from '../../src/verify/wire.js'

const ROUTE_TAG = 'POST /api/invoices'
/** SubjectPublicKeyInfo (RFC 5480) of a compressed secp256k1 key, up to its 33 bytes. */
const SPKI_HEAD = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex')
const KEYS_MAX = 10_000
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

const verifyOnThreadPool = promisify(verify)

/** Verifies signatures with OpenSSL. The keys parsed last are cached. */
export class Verifier {
  readonly #keys = new Map<string, KeyObject>()

  /** Whether `signature`, base64 of DER, is by the key over the request. `publicKey` has 33 bytes. */
  async isSigned(publicKey: Uint8Array, timestamp: string, signature: string, body: Uint8Array): Promise<boolean> {
    const key = this.#parsed(publicKey)
    if (key === null || !BASE64.test(signature)) return false
    const text = Buffer.concat([Buffer.from(signedTextHead(ROUTE_TAG, timestamp)), body])
    return verifyOnThreadPool('sha256', text, key, Buffer.from(signature, 'base64'))
  }

  #parsed(publicKey: Uint8Array): KeyObject | null {
    const name = Buffer.from(publicKey).toString('latin1')
    const known = this.#keys.get(name)
    if (known !== undefined) return known
    let key: KeyObject
    try {
      key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, publicKey]), format: 'der', type: 'spki' })
    } catch {
      return null
    }
    this.#keys.set(name, key)
    const [oldest] = this.#keys.keys()
    if (this.#keys.size > KEYS_MAX && oldest !== undefined) this.#keys.delete(oldest)
    return key
  }
}
