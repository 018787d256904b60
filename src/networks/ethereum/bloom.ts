import { keccak_256 } from '@noble/hashes/sha3.js'
import { demand } from '../node/answer.js'

/** Bytes of the filter, and bits that each entry sets in it (Yellow Paper, 4.3.1). */
const BLOOM_BYTES = 256
const BITS_PER_ENTRY = 3

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
  private constructor(private readonly bytes: Uint8Array) {}

  /** Reads `logsBloom` of a header or of a receipt. */
  static of(hex: string): LogsBloom {
    const bytes = Buffer.from(hex.slice(2), 'hex')
    demand(bytes.length === BLOOM_BYTES, 'logsBloom has not the right length')
    return new LogsBloom(bytes)
  }

  /** The filter over these addresses and topics. */
  static over(entries: Iterable<string>, entryOf: (data: string) => BloomEntry = bloomEntry): LogsBloom {
    const bytes = new Uint8Array(BLOOM_BYTES)
    for (const entry of new Set(entries)) {
      for (const bit of entryOf(entry)) bytes[byteOf(bit)] = (bytes[byteOf(bit)] ?? 0) | maskOf(bit)
    }
    return new LogsBloom(bytes)
  }

  /** All entries of several filters. */
  static union(filters: readonly LogsBloom[]): LogsBloom {
    const bytes = new Uint8Array(BLOOM_BYTES)
    for (const filter of filters) {
      for (let i = 0; i < BLOOM_BYTES; i += 1) bytes[i] = (bytes[i] ?? 0) | (filter.bytes[i] ?? 0)
    }
    return new LogsBloom(bytes)
  }

  /** False: no log of the block has the entry. True: one may. */
  mayContain(entry: BloomEntry): boolean {
    return entry.every((bit) => ((this.bytes[byteOf(bit)] ?? 0) & maskOf(bit)) !== 0)
  }

  /** As `logsBloom` of a header has it, without `0x`. */
  get hex(): string {
    return Buffer.from(this.bytes).toString('hex')
  }

  get isEmpty(): boolean {
    return this.bytes.every((byte) => byte === 0)
  }

  equals(other: LogsBloom): boolean {
    return Buffer.compare(this.bytes, other.bytes) === 0
  }
}

/** Bit 0 is the lowest bit of the last byte. */
function byteOf(bit: number): number {
  return BLOOM_BYTES - 1 - (bit >> 3)
}

function maskOf(bit: number): number {
  return 1 << (bit & 7)
}
