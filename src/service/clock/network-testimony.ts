import {
  agreements,
  commonSpan,
  isInside,
  OFFSET_MAX_MS,
  type Span,
  type Testimony,
} from '../../domain/clock-offset.js'

/** The offset of our clock by the `Date` headers of one node. */
export interface NodeDate {
  readonly offset: Span
  /** Whether the node may be on this machine, and go by the clock that is in question. */
  readonly isNear: boolean
}

/** The offset of our clock by the blocks of a network. */
export interface BlockTimes {
  readonly offset: Span
  readonly likelyMs: number
}

/**
 * What a network says of our clock: its nodes by their `Date` headers, and its blocks. All of it is one witness, since who runs the
 * nodes may run the chain. Null when it says nothing, or contradicts itself, as a node with a wrong clock or a chain whose blocks
 * are dated at will makes it do.
 */
export function networkTestimony(
  witness: string,
  nodes: readonly NodeDate[],
  blocks: BlockTimes | null,
): Testimony | null {
  const near = nodes.filter(isSameClock)
  const dates = agreedDate(nodes.filter((node) => !isSameClock(node)))
  // A block that is ahead of our clock and of that of its own node is dated at will.
  const isBelievable = blocks !== null && near.every(({ offset }) => blocks.offset.to >= offset.from)
  if (!isBelievable) return dates === null ? null : { witness, offset: dates, likelyMs: middle(dates) }
  if (dates === null) return { witness, ...blocks }
  const offset = commonSpan(dates, blocks.offset)
  return offset === null ? null : { witness, offset, likelyMs: middle(offset) }
}

/** A node that goes by our clock agrees with it, which proves nothing. One that does not agree goes by another. */
function isSameClock({ offset, isNear }: NodeDate): boolean {
  return isNear && isInside({ from: offset.from - OFFSET_MAX_MS, to: offset.to + OFFSET_MAX_MS }, 0)
}

/** What most nodes say; null when there is no such thing. */
function agreedDate(nodes: readonly NodeDate[]): Span | null {
  const found = agreements(nodes.map(({ offset }) => ({ witness: '', offset, likelyMs: 0 })))
  return found.length === 1 ? (found[0]?.span ?? null) : null
}

function middle({ from, to }: Span): number {
  return (from + to) / 2
}
