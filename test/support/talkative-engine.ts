import type { Secp256k1Engine, Secp256k1EngineName } from '../../src/crypto/secp256k1.js'
import { chooseEngine } from '../../src/verify/engine-choice.js'
import type { SignedDigest } from '../../src/verify/wire.js'

const { engine } = await chooseEngine('auto')

/** An engine that counts its calls, and can be told to return wrong verdicts. */
export class TalkativeEngine implements Secp256k1Engine {
  readonly name: Secp256k1EngineName
  readonly isPublicKey = engine.isPublicKey
  asked = 0
  isWrong = false
  uncompress = engine.uncompress

  constructor(name: Secp256k1EngineName) {
    this.name = name
  }

  verify(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean {
    this.asked++
    return engine.verify(signature, digest, publicKey) !== this.isWrong
  }
}

/** What an engine answers that nothing was changed of. */
export function rightVerdicts(all: readonly SignedDigest[]): boolean[] {
  return all.map(({ signature, digest, publicKey }) => engine.verify(signature, digest, publicKey))
}
