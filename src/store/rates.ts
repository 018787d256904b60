import type { RateRefusal, RateSet } from '../domain/rate-set.js'
import type { RateOrigin, RateTable, RateTerms, RateVerdict } from '../domain/rates.js'
import type { Awaitable } from './reading.js'

/** What a source gave: a set of rates, or what is none. */
export type GivenRates = { readonly origin: RateOrigin } & (
  | { readonly set: RateSet }
  | { readonly refusal: RateRefusal }
)

/** The rates that all processes of a store share (decisions 15). */
export interface RatePort {
  /** All that is known now: it includes every set whose verdict was answered, by whichever process. */
  current(): Awaitable<RateTable>
  /** Judges what a source gave, and keeps what it makes of the rates. A set that says nothing new is not kept. */
  take(given: GivenRates, terms: RateTerms): Promise<RateVerdict>
}
