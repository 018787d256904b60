import { NodeFailure } from './answer.js'

/** Something that was found out about a node. */
export interface NodeFact {
  readonly verdict: 'ok' | 'warning' | 'failed'
  /** A sentence without its subject, which is the node, and without its full stop. */
  readonly text: string
}

/** Finds one thing out. Where the node fails to answer, `otherwise` says what that means. */
export async function factOf(
  find: () => Promise<NodeFact>,
  otherwise: (reason: string) => NodeFact,
): Promise<NodeFact> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof NodeFailure) return otherwise(error.message)
    throw error
  }
}

/** How old the newest block is by this machine's clock. A block from the future means that one of the clocks is wrong. */
export function headFact(
  { latest, confirmed, timeMs }: { readonly latest: number; readonly confirmed: number; readonly timeMs: number },
  nowMs: number,
  ageMaxMs: number,
): NodeFact {
  const seconds = Math.round((nowMs - timeMs) / 1000)
  const age = seconds < 0 ? `${-seconds} s in the future by this clock` : `${seconds} s old`
  const isWrong = nowMs - timeMs > ageMaxMs || seconds < -FUTURE_MAX_SECONDS
  const text = `is at block ${latest}, which is ${age}, and confirmed up to ${confirmed}`
  return { verdict: isWrong ? 'warning' : 'ok', text }
}

/** Producers of blocks may be a little ahead. */
const FUTURE_MAX_SECONDS = 15
