/** What the receiver of webhooks is told. */
export type ReceiverOrder =
  /** From now on count up to so many arrivals; `hold` answers none before the release. */
  { readonly order: 'expect'; readonly count: number; readonly hold: boolean } | { readonly order: 'release' }

/** What it tells: its URL first, then one of these to each order, and the arrivals once all are there. */
export type ReceiverWord =
  | { readonly word: 'listening'; readonly url: string }
  | { readonly word: 'ready' }
  /** On the clock of the machine, and how many had arrived by then. */
  | { readonly word: 'released'; readonly atMs: number; readonly arrived: number }
  | { readonly word: 'arrived'; readonly arrivals: readonly (readonly [txHash: string, atMs: number])[] }
