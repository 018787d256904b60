/** What a bad signature counts against a key; a good one counts 1 for it. */
const INVALID_COST = 4
/** A key whose score is above this is suspect: eight bad signatures more than its good ones make up for. */
const SUSPECT_ABOVE = 32
/** Beyond this a score does not grow, so 96 good signatures restore any key. */
const SCORE_MAX = 128
/** Keys that are remembered; whoever has been heard of least recently is forgotten first. */
const KEYS_MAX = 16_384

/**
 * Which registered keys are under attack, or attack. Everybody can send bad signatures in the name of a key, since its
 * public half is no secret. A key of which they come more often than once in four good ones loses its priority, so that
 * a flood of them costs the keys that it names and no others. A key that is used properly regains it.
 */
export class KeyStanding {
  readonly #scores = new Map<string, number>()

  /** Keys with something against them. */
  get size(): number {
    return this.#scores.size
  }

  isSuspect(publicKey: Uint8Array): boolean {
    return this.#scores.size > 0 && (this.#scores.get(keyText(publicKey)) ?? 0) > SUSPECT_ABOVE
  }

  /** A signature of a registered key was verified. */
  heard(publicKey: Uint8Array, isValid: boolean): void {
    if (isValid && this.#scores.size === 0) return
    const key = keyText(publicKey)
    const score = this.#scores.get(key)
    if (score === undefined && isValid) return
    const next = Math.min((score ?? 0) + (isValid ? -1 : INVALID_COST), SCORE_MAX)
    // Deleted first, so that the map's order is that of the last mention.
    this.#scores.delete(key)
    if (next <= 0) return
    this.#scores.set(key, next)
    if (this.#scores.size <= KEYS_MAX) return
    const { value: oldest } = this.#scores.keys().next()
    if (oldest !== undefined) this.#scores.delete(oldest)
  }
}

/** The bytes of a key as text that a map can compare. */
export function keyText(publicKey: Uint8Array): string {
  return Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.byteLength).toString('latin1')
}
