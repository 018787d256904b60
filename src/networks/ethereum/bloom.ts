import { keccak_256 } from '@noble/hashes/sha3.js'

/** Bytes of the filter, and bits that each entry sets in it (Yellow Paper, 4.3.1). */
const BLOOM_BYTES = 256
const BITS_PER_ENTRY = 3
const HEX_LENGTH = 2 + 2 * BLOOM_BYTES
const FULL_WORD = 0xffff_ffff

/** The bits of one address or topic. */
export type BloomEntry = readonly number[]

/** The entry of an address or topic, given as hexadecimal digits with `0x`. */
export function bloomEntry(data: string): BloomEntry {
  const digest = keccak_256(Buffer.from(data.slice(2), 'hex'))
  const view = new DataView(digest.buffer, digest.byteOffset)
  return Array.from({ length: BITS_PER_ENTRY }, (_, i) => view.getUint16(2 * i) % (8 * BLOOM_BYTES))
}

/** The Bloom filter of a block or of a receipt, over the address and the topics of every log of it. */
export class LogsBloom {
  private readonly bytes = Buffer.alloc(BLOOM_BYTES)
  /** The same bytes: combining words is faster. */
  private readonly words = new Uint32Array(this.bytes.buffer, this.bytes.byteOffset, BLOOM_BYTES / 4)

  /** Reads `logsBloom` of a header or of a receipt; null when it is none. */
  static of(value: unknown): LogsBloom | null {
    const bloom = new LogsBloom()
    return bloom.read(value) ? bloom : null
  }

  /** The filter over these addresses and topics. */
  static over(entries: Iterable<string>): LogsBloom {
    const bloom = new LogsBloom()
    for (const entry of new Set(entries)) bloom.add(bloomEntry(entry))
    return bloom
  }

  /** Becomes the filter of `logsBloom`. False, with any content, when the value is none. */
  read(value: unknown): boolean {
    if (typeof value !== 'string' || value.length !== HEX_LENGTH || !value.startsWith('0x')) return false
    return this.bytes.write(value.slice(2), 0, BLOOM_BYTES, 'hex') === BLOOM_BYTES
  }

  add(entry: BloomEntry): void {
    for (const bit of entry) this.bytes[byteOf(bit)] = (this.bytes[byteOf(bit)] ?? 0) | maskOf(bit)
  }

  /** Adds all entries of another filter. */
  addAll({ words }: LogsBloom): void {
    for (let i = 0; i < words.length; i += 1) this.words[i] = (this.words[i] ?? 0) | (words[i] ?? 0)
  }

  /** False: no log has the entry. True: one may. */
  mayContain(entry: BloomEntry): boolean {
    return entry.every((bit) => ((this.bytes[byteOf(bit)] ?? 0) & maskOf(bit)) !== 0)
  }

  /** Whether every bit of another filter is set in this one. */
  covers({ words }: LogsBloom): boolean {
    return words.every((word, i) => (word & ~(this.words[i] ?? 0)) === 0)
  }

  /** As `logsBloom` of a header has it, without `0x`. */
  get hex(): string {
    return this.bytes.toString('hex')
  }

  get isEmpty(): boolean {
    return this.words.every((word) => word === 0)
  }

  /** Whether it claims to have everything. */
  get isFull(): boolean {
    return this.words.every((word) => word === FULL_WORD)
  }
}

/** Whether a header's filter can prove anything: that of a chain without filters has no entry, or claims to have all. */
export function proves(bloom: LogsBloom | null): bloom is LogsBloom {
  return bloom !== null && !bloom.isEmpty && !bloom.isFull
}

/** Bit 0 is the lowest bit of the last byte. */
function byteOf(bit: number): number {
  return BLOOM_BYTES - 1 - (bit >> 3)
}

function maskOf(bit: number): number {
  return 1 << (bit & 7)
}
