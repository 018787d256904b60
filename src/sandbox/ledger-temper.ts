/** Which ledger the sandbox simulates: one that a newcomer can rely on, or one with the habits of a real network. */
export type LedgerKind = 'quiet' | 'real'

/** How one of two simultaneous onboardings of a key ends. The identity exists afterwards, whatever the two answers say. */
export type OnboardingOutcome =
  | 'committed'
  /** `Failed to save`, although the nodes agreed. */
  | 'unsaved'
  /** One node committed it; the others had the stream already. */
  | 'exists'

/** How the second of two simultaneous transactions of one stream ends when another node was given the first. */
export type RivalOutcome = 'refused' | 'in turn'

/** Where real nodes may do one thing or another, what the simulated ones do. */
export interface LedgerTemper {
  readonly nodes: 1 | 3
  /**
   * Whether the second of two simultaneous transactions of one stream at one node gets no answer until another transaction
   * comes. Otherwise it is turned away with `Busy Locks`.
   */
  readonly isSilent: boolean
  /** Whether a body posted twice in one millisecond is one transaction. */
  readonly mergesRepeats: boolean
  /** For how long after a commit the node that was not needed for it still locks its streams. */
  readonly lingerMs: number
  /** The outcomes of the first and the second of two simultaneous onboardings of a key. Any others are not saved. */
  onboardings(isSameNode: boolean): readonly [OnboardingOutcome, OnboardingOutcome]
  rivals(): RivalOutcome
  /** Whether the node that is asked second misses the streams of the next transaction, as one that lags behind does. */
  lags(): boolean
}

/** One node, and no surprises. */
export const QUIET: LedgerTemper = {
  nodes: 1,
  isSilent: false,
  mergesRepeats: false,
  lingerMs: 0,
  onboardings: () => ['committed', 'unsaved'],
  rivals: () => 'in turn',
  lags: () => false,
}

/** Seen with three nodes while a transaction took 30 ms. */
const LINGER_MS = 20
/** One transaction of so many finds a node that lags. */
const LAG_EVERY = 4

/** What three real nodes did with simultaneous onboardings posted to one of them, and to two. */
const AT_ONE_NODE: readonly (readonly [OnboardingOutcome, OnboardingOutcome])[] = [
  ['committed', 'unsaved'],
  ['unsaved', 'committed'],
  ['unsaved', 'unsaved'],
  ['committed', 'committed'],
]
const AT_TWO_NODES: readonly (readonly [OnboardingOutcome, OnboardingOutcome])[] = [
  ['committed', 'exists'],
  ['exists', 'unsaved'],
  ['exists', 'committed'],
  ['unsaved', 'committed'],
]

/** Three nodes with everything that was observed, in turn, so that the same requests always get the same answers. */
export function realTemper(): LedgerTemper {
  const atOne = inTurn(AT_ONE_NODE)
  const atTwo = inTurn(AT_TWO_NODES)
  const rivals = inTurn<RivalOutcome>(['refused', 'in turn'])
  let transactions = 0
  return {
    nodes: 3,
    isSilent: true,
    mergesRepeats: true,
    lingerMs: LINGER_MS,
    onboardings: (isSameNode) => (isSameNode ? atOne() : atTwo()),
    rivals,
    lags: () => {
      transactions += 1
      return transactions % LAG_EVERY === 0
    },
  }
}

function inTurn<T>(values: readonly T[]): () => T {
  let asked = 0
  return () => {
    const value = values[asked % values.length]
    if (value === undefined) throw new Error('there is nothing to take in turn')
    asked += 1
    return value
  }
}
