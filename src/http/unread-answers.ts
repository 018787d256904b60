/** A client may hold this part of what all clients may. */
const CLIENT_PART = 4

/**
 * Bytes of answers that were made and that clients have not taken: one bound for all clients together, and a part of it for each.
 * Small answers are not counted.
 */
export class UnreadAnswers {
  private heldBytes = 0
  private readonly byClient = new Map<string, number>()

  constructor(private readonly limitBytes: number) {}

  /** Whether another long answer may begin. `clientOf`: null for a client without a part of its own. */
  hasRoom(clientOf: () => string | null): boolean {
    if (this.heldBytes === 0) return true
    if (this.heldBytes >= this.limitBytes) return false
    const client = clientOf()
    return client === null || (this.byClient.get(client) ?? 0) < this.limitBytes / CLIENT_PART
  }

  /** Counts bytes that a client has yet to take. What it returns ends that. */
  hold(client: string | null, bytes: number): () => void {
    this.add(client, bytes)
    let isHeld = true
    return () => {
      if (isHeld) this.add(client, -bytes)
      isHeld = false
    }
  }

  private add(client: string | null, bytes: number): void {
    this.heldBytes += bytes
    if (client === null) return
    const held = (this.byClient.get(client) ?? 0) + bytes
    if (held > 0) this.byClient.set(client, held)
    else this.byClient.delete(client)
  }
}
