import type { Network } from '../domain/network.js'
import type { FollowerState } from '../ledger/follower-state.js'
import type { EndpointHealth, ProblemReason } from '../networks/network-reader.js'
import type { WatcherState } from '../networks/watcher-state.js'

const MS_PER_SECOND = 1000

/** What is said of a network by the reason of its problem. What nodes wrote is only in the log: anyone reads this. */
const OF_NETWORK: Readonly<Record<ProblemReason, string>> = {
  wrong_node: 'cannot be watched: no node of it is left, only those of other networks or tokens',
  disagreement: 'confirms nothing: its nodes disagree about confirmed blocks',
  stalled: 'has had no new block for long',
  limited: 'is limited: its nodes allow fewer calls than reading takes, so payments are seen late',
  pruned: 'cannot be watched: its nodes have dropped blocks that are needed',
  no_finality: 'cannot be watched: its nodes do not say what is final',
  no_traces: 'cannot be watched: its nodes refuse traces',
  unconfirmed: 'is read no further: too many blocks wait for their confirmation',
  replaced: 'cannot be watched: its nodes have none of the recorded blocks',
}
const OF_NODE: Readonly<Record<ProblemReason, string>> = {
  wrong_node: 'is of another network or token',
  disagreement: 'disagrees with another one',
  stalled: 'has had no new block for long',
  limited: 'allows few calls',
  pruned: 'has dropped blocks that are needed',
  no_finality: 'does not say what is final',
  no_traces: 'refuses traces',
  unconfirmed: 'does not confirm blocks',
  replaced: 'has none of the recorded blocks',
}

/** What this process watches: nothing while another one leads. */
export interface Watched {
  readonly watchers: readonly { state(): WatcherState; endpoints(): readonly Pick<EndpointHealth, 'problem'>[] }[]
  readonly follower: { state(): FollowerState } | null
}

/** Reports to operators how far the service lags behind the networks and the ledger. */
export class Lag {
  constructor(
    private readonly watched: Watched,
    private readonly lagLimitMs: number,
    /** How long a network may be without a new block when its operator says so, else 0: it may be read as late as that. */
    private readonly quietMs: (network: Network) => number,
  ) {}

  /** One sentence for each network, and for the ledger, that lags or cannot be read; empty if none does. */
  complaints(): readonly string[] {
    const complaints: (string | null)[] = this.watched.watchers.flatMap((watcher) => {
      const state = watcher.state()
      const own = this.ofWatcher(state)
      // Where all nodes have the problem of the network, the network's line says it.
      const nodes = watcher
        .endpoints()
        .filter(({ problem }) => problem !== null && problem.reason !== state.problem?.reason)
      return [
        own,
        ...nodes.map(({ problem }) => problem && `A node of ${state.network} ${OF_NODE[problem.reason]}; see the log.`),
      ]
    })
    const { follower } = this.watched
    if (follower !== null) complaints.push(...this.ofFollower(follower.state()))
    return complaints.filter((complaint) => complaint !== null)
  }

  /** What the service cannot know with these settings, one sentence each. */
  notes(): readonly string[] {
    const stores = this.watched.follower?.state().stores
    return stores === 1 ? ['The ledger is followed at one store: what its node misses is not seen.'] : []
  }

  private ofWatcher({ network, problem, lagMs }: WatcherState): string | null {
    if (problem !== null) return `${network} ${OF_NETWORK[problem.reason]}; see the log.`
    if (lagMs === null) return `${network} has not been read yet.`
    const limitMs = Math.max(this.lagLimitMs, this.quietMs(network))
    return lagMs > limitMs ? `${network} was last read ${seconds(lagMs)} behind.` : null
  }

  private ofFollower({ lagMs, stores, silentStores }: FollowerState): readonly (string | null)[] {
    const isBehind = lagMs !== null && lagMs > this.lagLimitMs
    return [
      lagMs === null ? 'The ledger has not been read yet.' : null,
      isBehind ? `The ledger was last read ${seconds(lagMs)} behind.` : null,
      silentStores > 0 ? `${silentStores} of ${stores} stores of the ledger do not answer.` : null,
    ]
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / MS_PER_SECOND)} s`
}
