import type { Registry } from 'prom-client'
import type { Network } from '../domain/network.js'
import type { FollowerState } from '../ledger/follower-state.js'
import type { EndpointHealth } from '../networks/network-reader.js'
import { PROBLEM_REASONS } from '../networks/problem-reason.js'
import type { WatcherState } from '../networks/watcher-state.js'
import { type MetricAbout, metricsCatalogue } from './catalogue.js'
import { gauge, ownCounter } from './series.js'

const MS_PER_SECOND = 1000

/** The part of a watcher that metrics read. */
export interface WatchedNetwork {
  state(): WatcherState
  endpoints(): readonly EndpointHealth[]
}

/** What this process watches: nothing while another one leads. */
export interface Watched {
  readonly watchers: readonly WatchedNetwork[]
  /** Null when no ledger is followed. */
  readonly follower: { state(): FollowerState } | null
  /** How many deposits of each network are set aside, because their recording failed. */
  depositsAside(): ReadonlyMap<Network, number>
}

/** The progress of each watched network, and the health of its endpoints. Unknown values have no sample. */
export function watchNetworks(registry: Registry, watched: Watched): void {
  const ofEach = (about: MetricAbout, read: (state: WatcherState) => number | null) =>
    gauge(registry, about, (one) => {
      for (const watcher of watched.watchers) {
        const state = watcher.state()
        const value = read(state)
        if (value !== null) one.set({ network: state.network }, value)
      }
    })
  ofEach(metricsCatalogue.networkHead, ({ head }) => head?.latest ?? null)
  ofEach(metricsCatalogue.networkCursor, ({ position }) => position?.tip.height ?? null)
  ofEach(metricsCatalogue.networkLagBlocks, ({ lagBlocks }) => lagBlocks)
  ofEach(metricsCatalogue.networkLagSeconds, ({ lagMs }) => lagMs / MS_PER_SECOND)
  ofEach(metricsCatalogue.blocksSetAside, ({ blocksSetAside }) => blocksSetAside)
  gauge(registry, metricsCatalogue.depositsSetAside, (one) => {
    for (const watcher of watched.watchers) one.set({ network: watcher.state().network }, 0)
    for (const [network, count] of watched.depositsAside()) one.set({ network }, count)
  })
  gauge(registry, metricsCatalogue.networkProblem, (one) => {
    for (const watcher of watched.watchers) {
      const { network, problem } = watcher.state()
      for (const reason of PROBLEM_REASONS) one.set({ network, reason }, problem?.reason === reason ? 1 : 0)
    }
  })

  const countOf = (about: MetricAbout, read: (state: WatcherState) => number) =>
    ownCounter(registry, about, (set) => {
      for (const watcher of watched.watchers) {
        const state = watcher.state()
        set({ network: state.network }, read(state))
      }
    })
  countOf(metricsCatalogue.reorganisations, ({ reorganisations }) => reorganisations)
  countOf(metricsCatalogue.confirmedUndone, ({ confirmedBlocksUndone }) => confirmedBlocksUndone)
  countOf(metricsCatalogue.networkRepairs, ({ repaired }) => repaired)
  countOf(metricsCatalogue.datedBeforeInvoice, ({ datedBeforeInvoice }) => datedBeforeInvoice)

  const endpointCount = (about: MetricAbout, read: (health: EndpointHealth) => number) =>
    ownCounter(registry, about, (set) => forEndpoints(watched.watchers, (labels, health) => set(labels, read(health))))
  endpointCount(metricsCatalogue.endpointRequests, ({ requests }) => requests)
  endpointCount(metricsCatalogue.endpointFailures, ({ failures }) => failures)
  endpointCount(metricsCatalogue.endpointLimited, ({ limited }) => limited)
  gauge(registry, metricsCatalogue.endpointRate, (one) =>
    forEndpoints(watched.watchers, (labels, { callsPerSecond }) => {
      if (Number.isFinite(callsPerSecond)) one.set(labels, callsPerSecond)
    }),
  )
  // A node without a problem has no sample: nodes times reasons would be many.
  gauge(registry, metricsCatalogue.endpointProblem, (one) =>
    forEndpoints(watched.watchers, (labels, { problem }) => {
      if (problem !== null) one.set({ ...labels, reason: problem.reason }, 1)
    }),
  )
  gauge(registry, metricsCatalogue.endpointUsed, (used) =>
    forEndpoints(watched.watchers, (labels, { isUsed }) => used.set(labels, isUsed ? 1 : 0)),
  )
}

const NONE_ASIDE: FollowerState['setAside'] = { missing: 0, failed: 0, undecided: 0, unasked: 0 }

/** The progress of the ledger's follower. */
export function watchFollower(registry: Registry, watched: Watched): void {
  gauge(registry, metricsCatalogue.followerLag, (lag) =>
    lag.set((watched.follower?.state().lagMs ?? 0) / MS_PER_SECOND),
  )
  ownCounter(registry, metricsCatalogue.followerFailures, (set) => set({}, watched.follower?.state().failures ?? 0))
  ownCounter(registry, metricsCatalogue.followerMalformed, (set) => set({}, watched.follower?.state().malformed ?? 0))
  gauge(registry, metricsCatalogue.followerSetAside, (aside) => {
    const { missing, failed, unasked } = watched.follower?.state().setAside ?? NONE_ASIDE
    aside.set(missing + failed + unasked)
  })
  ownCounter(registry, metricsCatalogue.followerWithdrawn, (set) => set({}, watched.follower?.state().withdrawn ?? 0))
  ownCounter(registry, metricsCatalogue.followerMissed, (set) => set({}, watched.follower?.state().missed ?? 0))
  gauge(registry, metricsCatalogue.followerSilentStores, (silent) =>
    silent.set(watched.follower?.state().silentStores ?? 0),
  )
  gauge(registry, metricsCatalogue.followerSilentReadApis, (silent) =>
    silent.set(watched.follower?.state().silentReadApis ?? 0),
  )
}

function forEndpoints(
  watchers: readonly WatchedNetwork[],
  observe: (labels: { readonly network: string; readonly endpoint: string }, health: EndpointHealth) => void,
): void {
  for (const watcher of watchers) {
    const { network } = watcher.state()
    for (const health of watcher.endpoints()) observe({ network, endpoint: health.name }, health)
  }
}
