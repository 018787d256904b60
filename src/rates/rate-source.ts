import { isUtf8 } from 'node:buffer'
import {
  RATE_SET_BYTES_MAX,
  type RateRefusal,
  type RateRefusalReason,
  type ReadSet,
  readRateSet,
} from '../domain/rate-set.js'
import type { RateOrigin } from '../domain/rates.js'

/** Where sets of rates are read, again and again. */
export interface RateSource {
  readonly origin: RateOrigin
  /** Reads what it has now. Does not reject: a source that fails is one that gave nothing. */
  read(): Promise<ReadSet>
  /** Whether it has something else than at the last reading; absent where only reading tells. */
  hasChanged?(): Promise<boolean>
  /** Ends a reading that is under way, which then gives nothing. Absent where none takes long. */
  close?(): void
}

/** The set in the bytes that a source gave. */
export function rateSetIn(bytes: Buffer): ReadSet {
  if (bytes.length > RATE_SET_BYTES_MAX) return gaveNothing('too_long', TOO_LONG)
  // Decoding alone would replace what is wrong.
  if (!isUtf8(bytes)) return gaveNothing('not_json', 'it is not text in UTF-8')
  return readRateSet(bytes.toString('utf8'))
}

export const TOO_LONG = `it is longer than ${RATE_SET_BYTES_MAX} bytes`

export function gaveNothing(reason: RateRefusalReason, detail: string): ReadSet & { readonly refusal: RateRefusal } {
  return { ok: false, refusal: { reason, detail } }
}
