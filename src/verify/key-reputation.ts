import { publicKeyName } from '../crypto/secp256k1.js'

/** What a bad signature counts against a key; a good one counts 1 for it. */
const INVALID_COST = 4
/** A key whose score is above this is suspect: eight bad signatures more than its good ones make up for. */
const SUSPECT_ABOVE = 32
/** Beyond this a score does not grow, so 96 good signatures restore any key. */
const SCORE_MAX = 128
/** Keys, and clients with a key, that are remembered; whoever has been heard of least recently is forgotten first. */
const REMEMBERED_MAX = 16_384

/** Most that good signatures from one client count for it; so many bad ones at once use them up. */
const TRUST_MAX = 32

/**
 * Which registered keys are under attack, or attack, and from where. Everybody can send bad signatures in the name of a
 * key, since its public half is no secret. A key of which they come more often than once in four good ones is suspect:
 * it loses its priority with every client, except those who prove that they have it by good signatures. So a flood costs
 * nobody but itself, as long as it does not come from the address of the key's owner. A key that is used properly
 * regains its standing.
 */
export class KeyReputation {
  /** What there is against keys. */
  readonly #scores = new Map<string, number>()
  /** How far clients are trusted with a key that something is against. */
  readonly #trust = new Map<string, number>()

  /** Keys with something against them. */
  get size(): number {
    return this.#scores.size
  }

  /** Clients that are trusted with such a key. */
  get trusted(): number {
    return this.#trust.size
  }

  /** The key and its client as one text when it is suspect, else null. `client` is only asked for when it matters. */
  suspect(publicKey: Uint8Array, client: () => string): string | null {
    if (this.#scores.size === 0) return null
    const key = publicKeyName(publicKey)
    if ((this.#scores.get(key) ?? 0) <= SUSPECT_ABOVE) return null
    const flow = key + client()
    return this.#trust.has(flow) ? null : flow
  }

  /** A signature of a registered key was verified. */
  heard(publicKey: Uint8Array, isValid: boolean, client: () => string): void {
    if (isValid && this.#scores.size === 0) return
    const key = publicKeyName(publicKey)
    const score = this.#scores.get(key)
    if (score === undefined && isValid) return
    const change = isValid ? -1 : INVALID_COST
    remember(this.#scores, key, Math.min((score ?? 0) + change, SCORE_MAX))
    const flow = key + client()
    remember(this.#trust, flow, Math.min((this.#trust.get(flow) ?? 0) - change, TRUST_MAX))
  }
}

/** Keeps a value if it is positive, as the newest of the bounded number that is kept. */
function remember(values: Map<string, number>, name: string, value: number): void {
  // Deleted first, so that the map's order is that of the last mention.
  values.delete(name)
  if (value <= 0) return
  values.set(name, value)
  if (values.size <= REMEMBERED_MAX) return
  const { value: oldest } = values.keys().next()
  if (oldest !== undefined) values.delete(oldest)
}
