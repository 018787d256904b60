/**
 * The entry of npm `secp256k1` that loads the native addon or throws. The package's own index is never imported: it
 * falls back to a JavaScript implementation silently.
 */
declare module 'secp256k1/bindings.js' {
  import type { ecdsaVerify, publicKeyConvert, publicKeyVerify } from 'secp256k1'

  const bindings: {
    readonly publicKeyVerify: typeof publicKeyVerify
    readonly ecdsaVerify: typeof ecdsaVerify
    readonly publicKeyConvert: typeof publicKeyConvert
  }
  export default bindings
}
