import { limitOf, NodeFailure } from './answer.js'

/** Something that was found out about a node. */
export interface NodeFact {
  readonly verdict: 'ok' | 'warning' | 'failed'
  /** A sentence without its subject, which is the node, and without its full stop. */
  readonly text: string
  /** What to do about it, in sentences; absent where nothing is wrong. */
  readonly advice?: string
}

/** What to do about a rate limit, whatever else was asked. */
const PACE_ADVICE = 'Wait, or choose a plan that allows more: while the node refuses calls, payments are seen later.'

/** Finds one thing out. Where the node fails to answer, `otherwise` says what that means. */
export async function factOf(
  find: () => Promise<NodeFact>,
  otherwise: (reason: string) => NodeFact,
): Promise<NodeFact> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    const fact = otherwise(error.message)
    return limitOf(error) === null ? fact : { ...fact, advice: PACE_ADVICE }
  }
}

/** How old the newest block is by this machine's clock. A block from the future means that one of the clocks is wrong. */
export function headFact(
  { latest, confirmed, timeMs }: { readonly latest: number; readonly confirmed: number; readonly timeMs: number },
  nowMs: number,
  ageMaxMs: number,
): NodeFact {
  const seconds = Math.round((nowMs - timeMs) / 1000)
  const text = `is at block ${latest}, which is ${ageOf(timeMs, nowMs)}, and confirmed up to ${confirmed}`
  if (seconds < -FUTURE_MAX_SECONDS) {
    return { verdict: seconds < -FUTURE_FAILED_SECONDS ? 'failed' : 'warning', text, advice: FUTURE_ADVICE }
  }
  return nowMs - timeMs > ageMaxMs ? { verdict: 'failed', text, advice: STALE_ADVICE } : { verdict: 'ok', text }
}

/** How old a block is, in words. */
export function ageOf(timeMs: number, nowMs: number): string {
  const seconds = Math.round((nowMs - timeMs) / 1000)
  return seconds < 0 ? `${-seconds} s in the future by this clock` : `${seconds} s old`
}

/** Producers of blocks may be a little ahead. */
const FUTURE_MAX_SECONDS = 15
/** Nobody is that far ahead by chance. */
const FUTURE_FAILED_SECONDS = 600

const FUTURE_ADVICE =
  'Set the clock of this machine, and that of the node if you run it: invoices are compared with the times of blocks.'
const STALE_ADVICE =
  'Payments are not seen before the node has caught up. Let it sync, or name another one. If the network makes blocks rarely, raise its quietSeconds.'
