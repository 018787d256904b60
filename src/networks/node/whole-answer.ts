import type { ObservedBlock } from '../../domain/block.js'
import type { Endpoint } from './endpoint.js'

/**
 * The first answer in which nothing is untold, or else the one with the least: another node may tell what the first one does not.
 * Null when none has a block.
 */
export async function wholeOf<T>(
  answers: AsyncIterable<readonly [T, Endpoint]>,
  blocksIn: (answer: T) => readonly ObservedBlock[],
): Promise<readonly [T, Endpoint] | null> {
  let best: { readonly answer: readonly [T, Endpoint]; readonly untold: number } | null = null
  for await (const answer of answers) {
    const blocks = blocksIn(answer[0])
    if (blocks.length === 0) continue
    const untold = countOfUntold(blocks)
    if (untold === 0) return answer
    if (best === null || untold < best.untold) best = { answer, untold }
  }
  return best?.answer ?? null
}

/** Transactions of some blocks of which a node has told nothing. */
export function countOfUntold(blocks: readonly ObservedBlock[]): number {
  return blocks.reduce((sum, { untold }) => sum + (untold?.txHashes.length ?? 0), 0)
}
