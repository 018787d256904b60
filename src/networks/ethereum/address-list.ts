const ADDRESS_BYTES = 20
const PREFIX = '0x'
const START_BYTES = 16 * ADDRESS_BYTES

/** Addresses, 20 bytes each, up to a number. Of more, none is kept. */
export class AddressList {
  private bytes = Buffer.alloc(START_BYTES)
  private count = 0

  constructor(private readonly max: number) {}

  /** Adds an address in lower case. */
  add(address: string): void {
    if (this.isCut) return
    this.count += 1
    if (this.isCut) {
      this.bytes = Buffer.alloc(0)
      return
    }
    const end = this.count * ADDRESS_BYTES
    if (end > this.bytes.length) {
      const larger = Buffer.alloc(2 * this.bytes.length)
      this.bytes.copy(larger)
      this.bytes = larger
    }
    this.bytes.write(address.slice(PREFIX.length), end - ADDRESS_BYTES, ADDRESS_BYTES, 'hex')
  }

  /** Whether there were more than are kept. */
  get isCut(): boolean {
    return this.count > this.max
  }

  get length(): number {
    return this.count
  }

  /** Whether a statement holds for one of them. They must not be cut. */
  some(holds: (address: string) => boolean): boolean {
    for (let from = 0; from < this.count * ADDRESS_BYTES; from += ADDRESS_BYTES) {
      if (holds(`${PREFIX}${this.bytes.toString('hex', from, from + ADDRESS_BYTES)}`)) return true
    }
    return false
  }
}
