import { BoundedMap } from '../base/bounded-map.js'
import { publicKeyName } from '../crypto/secp256k1.js'

/** Points against a key for an invalid signature; a valid one takes 1 off. */
const INVALID_COST = 4
/** A key with more points is suspect: eight invalid signatures that valid ones do not outweigh. */
const SUSPECT_ABOVE = 32
/** Maximum points, so that 96 valid signatures restore any key. */
const SCORE_MAX = 128
/** Keys, and clients of keys, that are remembered: at least half as many, those that were seen last. */
const REMEMBERED_MAX = 32_768

/** Maximum credit of a client for valid signatures; as many invalid ones use it up, four at a time. */
const TRUST_MAX = 32

/**
 * Which registered keys are attacked, or attack, and from where. A public key is no secret, so anyone can send invalid
 * signatures in its name. A key for which more than one signature in five is invalid becomes suspect: it loses its priority
 * with every client, except those that prove by valid signatures that they hold it. So a flood costs only its sender, unless
 * that shares the address of the key's owner. Valid signatures restore a key.
 */
export class KeyReputation {
  /** Points against keys. */
  private readonly scores = new BoundedMap<string, number>(REMEMBERED_MAX)
  /** Credit of clients with a key that has points against it. */
  private readonly trust = new BoundedMap<string, number>(REMEMBERED_MAX)

  /** Whether no key has points against it. */
  get isClean(): boolean {
    return this.scores.isEmpty
  }

  /** The flow (key and client) of a request that loses its priority, else null. `client` is called only for a suspect key. */
  suspect(publicKey: Uint8Array, client: () => string): string | null {
    if (this.isClean) return null
    const key = publicKeyName(publicKey)
    if ((this.scores.get(key) ?? 0) <= SUSPECT_ABOVE) return null
    const flow = key + client()
    return this.trust.get(flow) === undefined ? flow : null
  }

  /** Counts the verdict on a signature of a registered key. */
  count(publicKey: Uint8Array, isValid: boolean, client: () => string): void {
    if (isValid && this.isClean) return
    const key = publicKeyName(publicKey)
    const score = this.scores.get(key)
    if (score === undefined && isValid) return
    const change = isValid ? -1 : INVALID_COST
    remember(this.scores, key, Math.min((score ?? 0) + change, SCORE_MAX))
    const flow = key + client()
    remember(this.trust, flow, Math.min((this.trust.get(flow) ?? 0) - change, TRUST_MAX))
  }
}

/** A name without points is not remembered. */
function remember(values: BoundedMap<string, number>, name: string, value: number): void {
  if (value > 0) values.set(name, value)
  else values.delete(name)
}
