import type { Scheduler } from '../scheduler.js'
import { type NodeAnswer, unclear } from './node-http.js'

/**
 * How long the other nodes are waited for once most have answered. A node that hangs would otherwise hold up every answer
 * for the whole time of a request.
 */
export const STRAGGLERS_MS = 1000

/** What nodes answer, in order. Those that are too late count as silent. Queries never reject. */
export function answersInTime(
  queries: readonly Promise<NodeAnswer>[],
  scheduler: Scheduler,
): Promise<readonly NodeAnswer[]> {
  const answers = new Map<number, NodeAnswer>()
  return new Promise((resolve) => {
    let cancel: (() => void) | null = null
    const end = () => {
      cancel?.()
      resolve(queries.map((_, i) => answers.get(i) ?? unclear('it answers later than most nodes')))
    }
    const note = (i: number, answer: NodeAnswer) => {
      answers.set(i, answer)
      if (answers.size === queries.length) return end()
      const certain = [...answers.values()].filter(({ kind }) => kind === 'found' || kind === 'missing')
      if (certain.length * 2 > queries.length) cancel ??= scheduler.after(STRAGGLERS_MS, end)
    }
    if (queries.length === 0) end()
    for (const [i, query] of queries.entries()) query.then((answer) => note(i, answer))
  })
}
