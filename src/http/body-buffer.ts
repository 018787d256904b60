/** What an unfinished body takes at least: as much as the bodies of most requests, and little for one that never comes. */
const FIRST_CAPACITY_BYTES = 4096

const NO_BODY = Buffer.alloc(0)

/** The room for bodies that have begun and are not complete: one bound for all clients together. */
export class UnfinishedBodies {
  private held = 0

  constructor(private readonly limitBytes: number) {}

  get heldBytes(): number {
    return this.held
  }

  /** False when there is no room, and nothing is held. */
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
 * Collects the body of one request in one buffer, which doubles when it is full: chunks cost their bytes, however small
 * they are. A body that comes in one piece is copied once, to its size.
 */
export class BodyBuffer {
  private bytes: Buffer = NO_BODY
  private filled = 0
  private held = 0

  /** `mostBytes`: the length that was declared, or the limit where none was (`isDeclared`). The caller adds no more. */
  constructor(
    private readonly room: UnfinishedBodies,
    private readonly mostBytes: number,
    private readonly isDeclared: boolean,
  ) {}

  get receivedBytes(): number {
    return this.filled
  }

  /** Copies `chunk`, whose memory the engine may use again. False when unfinished bodies have no room for it. */
  add(chunk: Uint8Array): boolean {
    const filled = this.filled + chunk.length
    if (filled > this.bytes.length && !this.grow(filled)) return false
    this.bytes.set(chunk, this.filled)
    this.filled = filled
    return true
  }

  /** The body, which is complete. */
  take(): Buffer {
    const { bytes, filled } = this
    this.drop()
    return filled === bytes.length ? bytes : bytes.subarray(0, filled)
  }

  /** Lets go of everything; nothing more is wanted. */
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
    // Memory of its own for what may have to wait: a piece of Node's pool would keep the whole pool.
    const grown = isComplete ? Buffer.allocUnsafe(capacity) : Buffer.allocUnsafeSlow(capacity)
    grown.set(this.bytes.subarray(0, this.filled))
    this.bytes = grown
    return true
  }
}
