/** Keys that are kept; beyond, all are looked up anew. */
const LIMIT = 16_384

/**
 * Public keys that have a record, by their text as clients spell it. A record is never removed (decisions 3), so what was
 * registered once stays registered; whether the key may still be used is not known here.
 */
export class RegisteredKeys {
  private readonly keys = new Map<string, Uint8Array>()

  /** The 33 bytes of the key, or undefined when it is not known to have a record. */
  find(keyText: string): Uint8Array | undefined {
    return this.keys.get(keyText)
  }

  add(keyText: string, publicKey: Uint8Array): void {
    if (this.keys.size >= LIMIT) this.keys.clear()
    this.keys.set(keyText, publicKey)
  }
}
