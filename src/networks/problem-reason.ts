/** Why a network or a node cannot be relied on: the label `reason` of metrics. */
export const PROBLEM_REASONS = [
  /** Another chain, or another token. */
  'wrong_node',
  /** Two nodes have different blocks at a confirmed height, or other transfers in the same block. */
  'disagreement',
  /** No new block for longer than the network ever takes. */
  'stalled',
  /** The nodes allow fewer calls than reading takes. It passes when they allow more. */
  'limited',
  /** Blocks that are needed are no longer kept. */
  'pruned',
  /** There is no block with the tag that confirms deposits. */
  'no_finality',
  /** The traces that the settings ask for are refused. */
  'no_traces',
  /** More blocks wait for their confirmation than are followed. */
  'unconfirmed',
  /** None of the recorded blocks is on the chain, or it has been shorter for long and ends with another block. */
  'replaced',
  /** Nodes answer, and none can give a block. */
  'unreadable',
  /** A token is not what the settings say, and is not read; the others are. */
  'wrong_token',
] as const
export type ProblemReason = (typeof PROBLEM_REASONS)[number]
