import { isDeepStrictEqual } from 'node:util'
import type { ObservedBlock, WatchedAddresses } from '../../domain/block.js'
import type { Network } from '../../domain/network.js'
import type { Endpoint } from './endpoint.js'
import { type FailedAttempt, unavailable } from './failed-attempt.js'
import { areAlike } from './second-opinion.js'
import { countOfUntold } from './whole-answer.js'
import { anyway, ignoreFailure, linkAt } from './withheld-block.js'

/** Blocks that are set aside are asked for when nothing else is, and behind everything else. */
const IN_BACKGROUND = { urgency: 'check', patienceMs: 60_000 } as const

/** Reads a block that is set aside, as far as the nodes give it. Rejects with `NodeUnavailable` where none does, or where they disagree. */
export async function readAgain(
  network: Network,
  endpoints: readonly Endpoint[],
  height: number,
  watched: WatchedAddresses,
): Promise<ObservedBlock> {
  const told: ObservedBlock[] = []
  const failures: FailedAttempt[] = []
  for (const endpoint of endpoints) {
    const { node, http } = endpoint
    // The queries of the watcher find out when it is well again.
    if (!endpoint.isHealthy) {
      failures.push({ reason: `${http.name}: left alone after failures`, problem: null, refusal: null })
      continue
    }
    try {
      const block = await http.pacer.during(IN_BACKGROUND, async () => {
        await endpoint.check()
        return await anyway(node, height, watched)
      })
      told.push(block)
    } catch (error) {
      ignoreFailure(error)
      failures.push({ reason: `${http.name}: ${(error as Error).message}`, problem: null, refusal: null })
    }
  }
  const [block, ...others] = told.toSorted((a, b) => countOfUntold([a]) - countOfUntold([b]))
  if (block === undefined) throw unavailable(network, failures)
  if (others.every((other) => areAlike(block, other, endpoints[0]?.node ?? {}))) return block
  throw unavailable(network, [{ reason: `nodes disagree about block ${height}`, problem: null, refusal: null }])
}

/** The hashes of a block that no node gives, and of its parent; null where nodes do not tell them, or disagree. */
export async function linkAmong(endpoints: readonly Endpoint[], height: number) {
  const links = await Promise.all(
    endpoints.map(({ node, http }) =>
      http.pacer.during({ ...IN_BACKGROUND, urgency: 'confirmed' }, () => linkAt(node, height)),
    ),
  )
  const [link, ...others] = links.filter((one) => one !== null)
  return link !== undefined && others.every((other) => isDeepStrictEqual(other, link)) ? link : null
}
