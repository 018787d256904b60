import { type NodeRefusal, NodeUnavailable, type Problem } from '../network-reader.js'

/** An attempt at an endpoint that has failed. */
export interface FailedAttempt {
  readonly reason: string
  readonly problem: Problem | null
  readonly refusal: NodeRefusal | null
}

/** What all attempts at a network have failed for. */
export function unavailable(
  network: string,
  failures: readonly FailedAttempt[],
  isOfBlock = false,
  againInMs: number | null = null,
): NodeUnavailable {
  const problems = failures.flatMap(({ problem }) => problem ?? [])
  // Of several histories the longest is what there is.
  const [problem = null] = problems.toSorted((a, b) => (a.historyFrom ?? 0) - (b.historyFrom ?? 0))
  const refusals = failures.flatMap(({ refusal: one }) => one ?? [])
  const refusal = refusals.find(({ isEarlier }) => !isEarlier) ?? refusals[0] ?? null
  const message = `${network}: ${failures.map(({ reason }) => reason).join('; ')}`
  return new NodeUnavailable(message, problem, refusal, isOfBlock, againInMs)
}
