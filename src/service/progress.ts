import type { Progress } from '../console/networks.js'
import type { FollowerState } from '../ledger/follower-state.js'
import type { LedgerRecord, NetworkRecord, NodeRecord } from '../listing/networks.js'
import type { EndpointHealth } from '../networks/network-reader.js'
import type { WatcherState } from '../networks/watcher-state.js'
import { asideTotal, asideWhy } from './ledger-health.js'

const MS_PER_SECOND = 1000

/** What is known of the watched networks and of the followed ledger. */
export function progressOf(duties: {
  readonly watchers: readonly { state(): WatcherState; endpoints(): readonly EndpointHealth[] }[]
  readonly follower: { state(): FollowerState } | null
}): Progress {
  return {
    networks: () => duties.watchers.map((watcher) => networkRecord(watcher.state())),
    nodes: () =>
      duties.watchers.flatMap((watcher) =>
        watcher.endpoints().map((health) => nodeRecord(watcher.state().network, health)),
      ),
    ledger: () => (duties.follower === null ? null : ledgerRecord(duties.follower.state())),
  }
}

function nodeRecord(network: string, { name, isUsed, requests, failures }: EndpointHealth): NodeRecord {
  return { network, name, is_used: isUsed, requests, failures }
}

/** How far a watcher is, as people read it. */
function networkRecord({ network, head, position, ...state }: WatcherState): NetworkRecord {
  return {
    network,
    head: head?.latest ?? null,
    block: position?.tip.height ?? null,
    confirmed: position?.confirmed ?? null,
    lag_blocks: state.lagBlocks,
    lag_seconds: secondsOf(state.lagMs),
    reorganisations: state.reorganisations,
    blocks_set_aside: state.blocksSetAside,
    problem: state.problem?.message ?? state.lastError,
  }
}

/** How far the follower of the ledger is, as people read it. */
function ledgerRecord({ lagMs, stores, silentStores, transactions, setAside, ...state }: FollowerState): LedgerRecord {
  return {
    lag_seconds: secondsOf(lagMs),
    stores,
    silent_stores: silentStores,
    read_apis: state.readApis,
    silent_read_apis: state.silentReadApis,
    transactions,
    set_aside: asideTotal(setAside),
    set_aside_why: asideWhy(setAside) || null,
    problem: state.failure,
  }
}

function secondsOf(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms / MS_PER_SECOND)
}
