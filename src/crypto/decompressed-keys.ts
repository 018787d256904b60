import { publicKeyName } from './secp256k1.js'

/** Keys that are kept; beyond, all are computed anew. */
const LIMIT = 4096

/**
 * The uncompressed form of public keys that signed something. Reading a compressed key takes a square root, a tenth of a
 * verification, and merchants sign with few keys.
 */
export class DecompressedKeys {
  private readonly points = new Map<string, Uint8Array>()

  /** The uncompressed key, or undefined when the key is not known. */
  find(key: Uint8Array): Uint8Array | undefined {
    return this.points.get(publicKeyName(key))
  }

  add(key: Uint8Array, point: Uint8Array): void {
    if (this.points.size >= LIMIT) this.points.clear()
    this.points.set(publicKeyName(key), point)
  }
}
