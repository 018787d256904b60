/**
 * The fast engine: bitcoin-core's libsecp256k1 through npm `secp256k1`. Importing this file throws where the package
 * has no binary for the machine, so only `engine-choice.ts` imports it, and dynamically.
 */

import bindings from 'secp256k1/bindings.js'
import { DecompressedKeys } from './decompressed-keys.js'
import { createEngine } from './secp256k1.js'

const decompressedKeys = new DecompressedKeys()

export const libsecp256k1 = createEngine('libsecp256k1', {
  isOnCurve: (key) => bindings.publicKeyVerify(key),
  verifyCompact(signature, digest, key) {
    const point = decompressedKeys.find(key)
    if (point !== undefined) return bindings.ecdsaVerify(signature, digest, point)
    try {
      const isValid = bindings.ecdsaVerify(signature, digest, key)
      if (isValid) decompressedKeys.add(key, bindings.publicKeyConvert(key, false))
      return isValid
    } catch (error) {
      // The library throws for a key that is off the curve. Asking first would cost every honest request a square root.
      if (!bindings.publicKeyVerify(key)) return false
      throw error
    }
  },
  uncompress: (key) => bindings.publicKeyConvert(key, false),
})
