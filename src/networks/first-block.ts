/** How the distance from the newest block grows from one look to the next. */
const STRIDE = 16
/** Blocks of some networks carry whole seconds: such a block may hold what was sent up to the end of its second. */
const SECOND_MS = 1000
/** So many blocks in a row that are too old end the search for older ones: one whose time is wrong does not. */
const OLD_IN_ROW = 2

/** Where to begin. */
export interface FirstBlock {
  readonly height: number
  /** Unix ms. */
  readonly timeMs: number
  /** Whether the nodes no longer have the block below, which may belong to it too. */
  readonly isPruned: boolean
}

/** The time of a block, Unix ms; null for one that the nodes do not have. */
export type TimeOf = (height: number) => Promise<number | null>

/** The last confirmed block itself, when the nodes have it now. */
export async function newestBlock(timeOf: TimeOf, confirmed: number): Promise<FirstBlock | null> {
  const timeMs = await timeOf(confirmed)
  return timeMs === null ? null : { height: confirmed, timeMs, isPruned: false }
}

/**
 * Finds the first block that may hold what was sent at `sinceMs` or later, by the times of few blocks: the looks go back from the
 * last confirmed block in growing strides, and then halve the last one. Where times are equal, or do not grow, it is the lower block.
 * Never above `confirmed`. Null when the nodes do not have that one now.
 */
export async function firstBlockSince(timeOf: TimeOf, confirmed: number, sinceMs: number): Promise<FirstBlock | null> {
  const newestMs = await timeOf(confirmed)
  if (newestMs === null) return null
  /** The lowest block that was found to be wanted. */
  let wanted = { height: confirmed, timeMs: newestMs }
  /** The highest one below it that is not, and whether that is because it is no longer there. */
  let below = { height: -1, isPruned: false }
  let oldInRow = isOld(newestMs, sinceMs) ? 1 : 0
  for (let stride = STRIDE, height = confirmed; height > 0 && oldInRow < OLD_IN_ROW; stride *= STRIDE) {
    height = Math.max(0, confirmed - stride)
    const timeMs = await timeOf(height)
    if (timeMs !== null && !isOld(timeMs, sinceMs)) {
      wanted = { height, timeMs }
      below = { height: -1, isPruned: false }
      oldInRow = 0
      continue
    }
    if (below.height === -1) below = { height, isPruned: timeMs === null }
    oldInRow = timeMs === null ? OLD_IN_ROW : oldInRow + 1
  }
  // Nothing is wanted yet but what is to come.
  if (wanted.height === confirmed && isOld(newestMs, sinceMs)) return { ...wanted, isPruned: false }
  while (wanted.height - below.height > 1) {
    const height = Math.floor((wanted.height + below.height) / 2)
    const timeMs = await timeOf(height)
    if (timeMs === null || isOld(timeMs, sinceMs)) below = { height, isPruned: timeMs === null }
    else wanted = { height, timeMs }
  }
  return { ...wanted, isPruned: below.isPruned }
}

/** Whether all that a block of this time holds was sent before. */
function isOld(timeMs: number, sinceMs: number): boolean {
  return timeMs + SECOND_MS <= sinceMs
}
