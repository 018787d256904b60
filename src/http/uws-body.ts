const NO_BODY = Buffer.alloc(0)

/**
 * Collects a body from chunks whose memory is the engine's and valid only during its callback. Each is copied once: into
 * its place when the length was declared, else into a buffer of its own (and a chunked body of several once more).
 */
export class UwsBody {
  receivedBytes = 0
  private whole: Buffer = NO_BODY
  private chunks: Buffer[] | undefined

  /** `declaredBytes` is undefined for a chunked body. */
  constructor(private readonly declaredBytes: number | undefined) {}

  /** The caller has checked that the chunk exceeds no limit; the engine, that it does not exceed what was declared. */
  add(chunk: ArrayBuffer): void {
    const bytes = new Uint8Array(chunk)
    const offset = this.receivedBytes
    this.receivedBytes = offset + bytes.length
    if (this.declaredBytes !== undefined) {
      // What a slow sender has declared but not filled is address space, not memory.
      if (offset === 0) this.whole = Buffer.allocUnsafe(this.declaredBytes)
      this.whole.set(bytes, offset)
      return
    }
    const copy = Buffer.allocUnsafe(bytes.length)
    copy.set(bytes)
    if (offset === 0) {
      this.whole = copy
    } else {
      this.chunks ??= [this.whole]
      this.chunks.push(copy)
    }
  }

  take(): Buffer {
    return this.chunks === undefined ? this.whole : Buffer.concat(this.chunks)
  }
}
