/** Initial capacity of an unfinished body: enough for most bodies, and little for one that never arrives. */
const FIRST_CAPACITY_BYTES = 4096

const NO_BODY = Buffer.alloc(0)

/** The memory for incomplete bodies: one bound for all clients together. */
export class UnfinishedBodies {
  private held = 0

  constructor(private readonly limitBytes: number) {}

  get heldBytes(): number {
    return this.held
  }

  /** Returns false, and holds nothing, if there is no room. */
  hold(bytes: number): boolean {
    if (this.held + bytes > this.limitBytes) return false
    this.held += bytes
    return true
  }

  release(bytes: number): void {
    this.held -= bytes
  }
}

/**
 * Collects the body of one request in one buffer that doubles when it is full, so a chunk costs only its bytes, however
 * small it is. A body that arrives in one chunk is copied once, into a buffer of its size.
 */
export class BodyBuffer {
  private bytes: Buffer = NO_BODY
  private filled = 0
  private held = 0

  /** `mostBytes` is the declared length, or the limit if none was declared. The caller adds no more. */
  constructor(
    private readonly room: UnfinishedBodies,
    private readonly mostBytes: number,
    private readonly isDeclared: boolean,
  ) {}

  get receivedBytes(): number {
    return this.filled
  }

  /** Copies `chunk`, whose memory the engine may reuse. Returns false if unfinished bodies have no room for it. */
  add(chunk: Uint8Array): boolean {
    const filled = this.filled + chunk.length
    if (filled > this.bytes.length && !this.grow(filled)) return false
    this.bytes.set(chunk, this.filled)
    this.filled = filled
    return true
  }

  /** Returns the complete body. */
  take(): Buffer {
    const { bytes, filled } = this
    this.drop()
    return filled === bytes.length ? bytes : bytes.subarray(0, filled)
  }

  /** Discards the body. */
  drop(): void {
    this.room.release(this.held)
    this.held = 0
    this.bytes = NO_BODY
    this.filled = 0
  }

  private grow(wanted: number): boolean {
    const isComplete = this.isDeclared && wanted === this.mostBytes
    const capacity = isComplete
      ? wanted
      : Math.min(this.mostBytes, Math.max(wanted, 2 * this.bytes.length, FIRST_CAPACITY_BYTES))
    if (!isComplete) {
      if (!this.room.hold(capacity - this.held)) return false
      this.held = capacity
    }
    // Own memory for a body that may have to wait: a slice of Node's pool would keep the whole pool alive.
    const grown = isComplete ? Buffer.allocUnsafe(capacity) : Buffer.allocUnsafeSlow(capacity)
    grown.set(this.bytes.subarray(0, this.filled))
    this.bytes = grown
    return true
  }
}
