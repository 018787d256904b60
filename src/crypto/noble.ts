/** The portable engine: audited JavaScript, about fifty times slower than libsecp256k1. It runs wherever Node runs. */

import { Point, utils, verify } from '@noble/secp256k1'
import { createEngine } from './secp256k1.js'

export const noble = createEngine('noble', {
  isOnCurve: (key) => utils.isValidPublicKey(key, true),
  // The digest is ready, hence no prehash; s is low already, so the library's own rule against malleability may stand.
  verifyCompact: (signature, digest, key) => verify(signature, digest, key, { prehash: false }),
  uncompress: (key) => Point.fromBytes(key).toBytes(false),
})
