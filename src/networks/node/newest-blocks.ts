import type { Clock } from '../../clock.js'
import type { Network } from '../../domain/network.js'
import type { Logger } from '../../log.js'
import type { Problem } from '../network-reader.js'
import type { NodeHead } from './chain-node.js'
import type { Endpoint } from './endpoint.js'

const MS_PER_SECOND = 1000

export interface NewestBlocksOptions {
  readonly network: Network
  readonly clock: Clock
  readonly log: Logger
  /** When a node's newest block is older, the node may have stalled. */
  readonly headAgeMaxMs: number
}

/** What the nodes of a network call their newest blocks, and what is wrong with that. */
export class NewestBlocks {
  /** The time of the newest block of all if it was too old when the head was last read; null otherwise. */
  private stalledMs: number | null = null
  /** How many blocks waited for their confirmation then at all nodes, if these were too many; null otherwise. */
  private unconfirmed: number | null = null

  constructor(private readonly options: NewestBlocksOptions) {}

  isStalled(timeMs: number): boolean {
    return this.options.clock.now() - timeMs > this.options.headAgeMaxMs
  }

  /** Notes what a node calls its newest block. */
  note(endpoint: Endpoint, { latest, timeMs, unconfirmed = null }: NodeHead): void {
    const before = this.behind(endpoint)
    endpoint.newest = { height: latest, timeMs }
    endpoint.stalledMs = this.isStalled(timeMs) ? timeMs : null
    endpoint.unconfirmed = unconfirmed
    const behind = this.behind(endpoint)
    if (behind === null || behind.reason === before?.reason) return
    const { log, network } = this.options
    log.warn({ network, endpoint: endpoint.http.name, failure: behind.message }, 'a node is behind')
  }

  /** Notes the newest block of all nodes that were asked. `waiting`: how many blocks wait for their confirmation at each that goes on. */
  conclude(newestMs: number, waiting: readonly (number | null)[]): void {
    this.stalledMs = this.isStalled(newestMs) ? newestMs : null
    const counts = waiting.filter((count) => count !== null)
    this.unconfirmed = counts.length > 0 && counts.length === waiting.length ? Math.min(...counts) : null
  }

  /** What is wrong with the newest blocks of all nodes; null when nothing is. */
  problem(): Problem | null {
    const { network } = this.options
    if (this.stalledMs !== null) return this.stalled(`the newest block of ${network}`, this.stalledMs)
    if (this.unconfirmed !== null) return unconfirmedProblem(`the newest blocks of ${network}`, this.unconfirmed)
    return null
  }

  /** What is wrong with what a node calls its newest blocks; null when nothing is. */
  behind({ stalledMs, unconfirmed }: Endpoint): Problem | null {
    if (stalledMs !== null) return this.stalled('its newest block', stalledMs)
    return unconfirmed === null ? null : unconfirmedProblem('its newest blocks', unconfirmed)
  }

  private stalled(what: string, timeMs: number): Problem {
    const ageMs = this.options.clock.now() - timeMs
    return { reason: 'stalled', message: `${what} is ${Math.round(ageMs / MS_PER_SECOND)} s old` }
  }
}

function unconfirmedProblem(what: string, count: number): Problem {
  return { reason: 'unconfirmed', message: `${what} wait for their confirmation, ${count} of them` }
}
