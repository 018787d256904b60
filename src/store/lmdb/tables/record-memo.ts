import { BoundedMap } from '../../../base/bounded-map.js'
import type { RecordCodec } from './record-codec.js'

/** Records that are kept; beyond, those used least recently are decoded anew. */
const RECORDS_MAX = 32_768

/**
 * Decodes records that are read again and again. While the bytes of a record are the same it answers the same object, so it
 * is right whatever was written meanwhile. Records are shared and must not be changed.
 */
export class RecordMemo<T> {
  private readonly known = new BoundedMap<string, { readonly bytes: Buffer; readonly record: T }>(RECORDS_MAX)

  constructor(private readonly codec: RecordCodec<T>) {}

  /**
   * The record called `name`, whose `bytes` were just read. They may lie in the binding's own buffer, which is longer than
   * its `length` says, and are copied when they are kept.
   */
  decode(name: string, bytes: Buffer): T {
    const { length } = bytes
    const known = this.known.get(name)
    if (known?.bytes.length === length && known.bytes.compare(bytes, 0, length) === 0) return known.record
    const record = this.codec.decode(bytes)
    this.known.set(name, { bytes: Buffer.from(bytes.subarray(0, length)), record })
    return record
  }
}
