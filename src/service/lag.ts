import type { FollowerState } from '../ledger/follower-state.js'
import type { WatcherState } from '../networks/watcher-state.js'

const MS_PER_SECOND = 1000

/** What this process watches: nothing while another one leads. */
export interface Watched {
  readonly watchers: readonly { state(): WatcherState }[]
  readonly follower: { state(): FollowerState } | null
}

/** Reports to operators how far the service lags behind the networks and the ledger. */
export class Lag {
  constructor(
    private readonly watched: Watched,
    private readonly lagLimitMs: number,
  ) {}

  /** One sentence for each network, and for the ledger, that lags or cannot be read; empty if none does. */
  complaints(): readonly string[] {
    const complaints = this.watched.watchers.map((watcher) => this.ofWatcher(watcher.state()))
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
    if (problem !== null) return `${network} cannot be watched: see the log.`
    if (lagMs === null) return `${network} has not been read yet.`
    return lagMs > this.lagLimitMs ? `${network} was last read ${seconds(lagMs)} behind.` : null
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
