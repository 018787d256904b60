/**
 * The fast engine: bitcoin-core's libsecp256k1 through npm `secp256k1`. Importing this file throws where the package
 * has no binary for the machine, so only `engine-choice.ts` imports it, and dynamically.
 */

import bindings from 'secp256k1/bindings.js'
import { BoundedMap } from '../base/bounded-map.js'
import { createEngine, publicKeyName } from './secp256k1.js'

const DECOMPRESSED_MAX = 4096
/**
 * The uncompressed form of public keys for which a signature was valid. Reading a compressed key takes a square root, a tenth
 * of a verification, and merchants sign with few keys.
 */
const decompressed = new BoundedMap<string, Uint8Array>(DECOMPRESSED_MAX)

export const libsecp256k1 = createEngine('libsecp256k1', {
  isOnCurve: (key) => bindings.publicKeyVerify(key),
  verifyCompact(signature, digest, key) {
    const name = publicKeyName(key)
    const point = decompressed.get(name)
    if (point !== undefined) return bindings.ecdsaVerify(signature, digest, point)
    try {
      const isValid = bindings.ecdsaVerify(signature, digest, key)
      if (isValid) decompressed.set(name, bindings.publicKeyConvert(key, false))
      return isValid
    } catch (error) {
      // The library throws for a key that is off the curve. Asking first would cost every honest request a square root.
      if (!bindings.publicKeyVerify(key)) return false
      throw error
    }
  },
  uncompress: (key) => bindings.publicKeyConvert(key, false),
})
