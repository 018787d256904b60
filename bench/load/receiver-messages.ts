/** An order to the receiver of webhooks. */
export type ReceiverOrder =
  /** Start to count arrivals, up to this number; with `hold` none is answered before the release. */
  { readonly order: 'expect'; readonly count: number; readonly hold: boolean } | { readonly order: 'release' }

/** A message of the receiver: first its URL, then one of these for each order, then the arrivals when all are there. */
export type ReceiverWord =
  | { readonly word: 'listening'; readonly url: string }
  | { readonly word: 'ready' }
  /** A time of the machine's clock, and the number of arrivals by then. */
  | { readonly word: 'released'; readonly atMs: number; readonly arrived: number }
  | { readonly word: 'arrived'; readonly arrivals: readonly (readonly [txHash: string, atMs: number])[] }
