import type { RecordCodec } from './record-codec.js'

/** Records that are kept; beyond, all are decoded anew. */
const LIMIT = 16_384

/**
 * Decodes records that are read again and again, and answers the record of last time while its bytes are the same. So it
 * is right whatever was written meanwhile, for readers and in commits. Records are shared and must not be changed.
 */
export class RecordMemo<T> {
  private readonly known = new Map<string, { readonly bytes: Buffer; readonly record: T }>()

  constructor(private readonly codec: RecordCodec<T>) {}

  /**
   * The record called `name`, of which `bytes` were just read. They may lie in the binding's own buffer, which is longer
   * than its `length` says, and are copied when they are kept.
   */
  decode(name: string, bytes: Buffer): T {
    const { length } = bytes
    const known = this.known.get(name)
    if (known?.bytes.length === length && known.bytes.compare(bytes, 0, length) === 0) return known.record
    const record = this.codec.decode(bytes)
    if (this.known.size >= LIMIT) this.known.clear()
    this.known.set(name, { bytes: Buffer.from(bytes.subarray(0, length)), record })
    return record
  }
}
