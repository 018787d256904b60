const NOTHING = Buffer.alloc(0)

/** The beginning of something that is not complete yet, which waits for the next piece. A new buffer for each piece would be collected too late. */
export class CarriedBytes {
  private work = NOTHING
  /** How much of it waits. */
  private waiting = 0

  get isEmpty(): boolean {
    return this.waiting === 0
  }

  /** What waits, and a piece behind it. What is answered is valid until the next call. */
  joinedWith(piece: Uint8Array): Buffer {
    const { waiting } = this
    if (waiting === 0) return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    this.makeRoom(waiting + piece.length)
    this.work.set(piece, waiting)
    return this.work.subarray(0, waiting + piece.length)
  }

  /** Has the end of what was joined wait, from an offset on. */
  carry(bytes: Buffer, from: number): void {
    this.waiting = bytes.length - from
    if (this.waiting === 0) return
    if (bytes.buffer === this.work.buffer && this.work !== NOTHING) this.work.copyWithin(0, from, bytes.length)
    else {
      this.makeRoom(this.waiting)
      this.work.set(bytes.subarray(from))
    }
  }

  private makeRoom(length: number): void {
    if (this.work.length >= length) return
    const larger = Buffer.allocUnsafeSlow(2 * length)
    larger.set(this.work.subarray(0, this.waiting))
    this.work = larger
  }
}
