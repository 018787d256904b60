import { collectDefaultMetrics, Registry } from 'prom-client'
import type { IntakeObserver } from '../actors/intake.js'
import type { WalletDirectory } from '../actors/wallet-directory.js'
import type { Clock } from '../clock.js'
import { DEGRADED_REASONS, type Degradation } from '../domain/degradation.js'
import type { RateRefusalReason } from '../domain/rate-set.js'
import type { ObserveRequest } from '../http/router.js'
import type { RateWatch } from '../rates/rate-watch.js'
import type { CommitObserver } from '../store/commit-observer.js'
import type { Store } from '../store/store.js'
import type { VerifyObserver, VerifyPool } from '../verify/pool.js'
import { VERSION } from '../version.js'
import type { AttemptObserver } from '../webhooks/attempt.js'
import {
  BACKUPS,
  GATEWAY_REJECTIONS,
  type MetricAbout,
  metricsCatalogue,
  REMOVED_ROWS,
  VERIFY_LANES,
} from './catalogue.js'
import { exposed } from './exposition.js'
import { NO_TOTALS, type Totals } from './history.js'
import { observeLoop } from './loop-delay.js'
import { type Watched, watchFollower, watchNetworks } from './network-series.js'
import {
  attemptObserver,
  beginDeposits,
  commitObserver,
  intakeObserver,
  refusalCount,
  requestObserver,
  verifyObserver,
} from './observers.js'
import { OutboxAge } from './outbox-age.js'
import { counter, gauge, ownCounter } from './series.js'
import { unlessAway } from './unless-away.js'

const MS_PER_SECOND = 1000
/** Claimable wallets that a scrape counts for each network: alerts are about few, and a pool may be large. */
const CLAIMABLE_COUNTED_MAX = 1000

/** The parts that a scrape reads. */
export interface WatchedParts {
  readonly pool: Pick<VerifyPool, 'depth'>
  readonly directory: Pick<WalletDirectory, 'size' | 'depth'>
  readonly duties: Watched & { readonly isLeading: boolean; readonly laneCount: number }
  readonly log: { linesLost(): number }
  readonly openPages: { readonly size: number }
  readonly store: Pick<Store, 'birth' | 'networks' | 'outbox' | 'wallets'>
  readonly clock: Clock
  /** Whether the service can take traffic. */
  readonly isReady: () => boolean
  /** What is impaired although it can. */
  readonly degraded: () => readonly Degradation[]
  /** How far the machine's clock is off; null while nobody can tell. */
  readonly clockOffsetMs: () => number | null
  readonly writeHealth: { readonly takesWrites: boolean }
  /** Null where there are no rates. */
  readonly rates: Pick<RateWatch, 'currencies'> | null
  /** Null without scheduled backups. */
  readonly backups: { readonly ageMs: number; readonly everyMs: number } | null
  /** Unix ms; null without HTTPS. */
  readonly certificateExpiresAt: () => number | null
}

/** The metrics of one service: observers for its parts, and the text for Prometheus. */
export class Metrics {
  private readonly ofProcess = processMetrics()
  private readonly registry = new Registry()
  /** Those that are read from the store, and may wait for it. */
  private readonly ofStore = new Registry()
  /** What the console shows of the last hour. */
  readonly totals: Totals = { ...NO_TOTALS }
  readonly requests: ObserveRequest = requestObserver(this.registry, this.totals)
  readonly commits: CommitObserver = commitObserver(this.registry)
  readonly verifications: VerifyObserver = verifyObserver(this.registry, this.totals)
  readonly attempts: AttemptObserver = attemptObserver(this.registry, this.totals)
  private readonly deposits = counter(this.registry, metricsCatalogue.deposits)
  readonly intake: IntakeObserver = intakeObserver(this.deposits, this.totals)
  /** Counts rows removed at the end of their retention. */
  readonly removed = countsOf(this.registry, metricsCatalogue.removedRows, REMOVED_ROWS)
  private readonly backups = countsOf(this.registry, metricsCatalogue.backups, BACKUPS)
  /** Counts scheduled backups. */
  readonly backupEnded = (outcome: keyof typeof BACKUPS) => this.backups(outcome, 1)
  /** Counts rejected input of the gateway. */
  readonly gatewayRejected = countsOf(this.registry, metricsCatalogue.gatewayRejections, GATEWAY_REJECTIONS)
  /** Counts refused sets of rates. */
  readonly rateSetRefused: (reason: RateRefusalReason) => void = refusalCount(this.registry)
  readonly contentType = this.registry.contentType

  constructor() {
    gauge(this.registry, metricsCatalogue.build, (build) => build.set({ version: VERSION }, 1))
  }

  /** Adds the gauges. Call once, when the parts are built. */
  watch({
    pool,
    directory,
    duties,
    log,
    openPages,
    store,
    clock,
    isReady,
    degraded,
    clockOffsetMs,
    writeHealth,
    rates,
    certificateExpiresAt,
    backups,
  }: WatchedParts): void {
    const { registry, ofStore } = this
    beginDeposits(this.deposits, store.networks.present)
    gauge(registry, metricsCatalogue.ready, (ready) => ready.set(isReady() ? 1 : 0))
    gauge(registry, metricsCatalogue.degraded, (one) => {
      const found = degraded()
      for (const reason of DEGRADED_REASONS)
        one.set({ reason }, found.filter((degradation) => degradation.reason === reason).length)
    })
    gauge(registry, metricsCatalogue.clockOffset, (offset) => {
      const offsetMs = clockOffsetMs()
      if (offsetMs !== null) offset.set(offsetMs / MS_PER_SECOND)
    })
    gauge(registry, metricsCatalogue.storeWritable, (writable) => writable.set(writeHealth.takesWrites ? 1 : 0))
    gauge(registry, metricsCatalogue.storeBirth, (birth) =>
      birth.set({ id: store.birth.id }, store.birth.bornAt / MS_PER_SECOND),
    )
    observeLoop(registry)
    gauge(registry, metricsCatalogue.leader, (leader) => leader.set(duties.isLeading ? 1 : 0))
    watchNetworks(registry, duties)
    watchFollower(registry, duties)
    gauge(registry, metricsCatalogue.ratesAge, (age) => {
      for (const { currency, ageMs } of rates?.currencies() ?? []) age.set({ currency }, ageMs / MS_PER_SECOND)
    })
    gauge(registry, metricsCatalogue.ratesWithheld, (one) => {
      for (const { currency, withheld } of rates?.currencies() ?? []) one.set({ currency }, withheld)
    })
    gauge(registry, metricsCatalogue.verifyQueue, (depth) => {
      const waiting = pool.depth()
      for (const lane of Object.keys(VERIFY_LANES) as (keyof typeof VERIFY_LANES)[]) depth.set({ lane }, waiting[lane])
    })
    gauge(registry, metricsCatalogue.verifyUnderWay, (underWay) => underWay.set(pool.depth().inFlight))
    ownCounter(registry, metricsCatalogue.logLinesLost, (set) => set({}, log.linesLost()))
    gauge(registry, metricsCatalogue.openPages, (open) => open.set(openPages.size))
    gauge(registry, metricsCatalogue.mailboxDepth, (depth) => depth.set(directory.depth))
    gauge(registry, metricsCatalogue.actors, (actors) => actors.set(directory.size))
    gauge(registry, metricsCatalogue.lanes, (lanes) => lanes.set(duties.laneCount))
    gauge(registry, metricsCatalogue.certificateExpiry, (expiry) => {
      const at = certificateExpiresAt()
      if (at !== null) expiry.set(at / MS_PER_SECOND)
    })
    gauge(registry, metricsCatalogue.backupAge, (age) => age.set((backups?.ageMs ?? 0) / MS_PER_SECOND))
    gauge(registry, metricsCatalogue.backupInterval, (interval) =>
      interval.set((backups?.everyMs ?? 0) / MS_PER_SECOND),
    )
    gauge(ofStore, metricsCatalogue.walletsClaimable, (claimable) =>
      unlessAway(claimable, async () => {
        for (const network of store.networks.present)
          claimable.set({ network }, await store.wallets.countClaimable(network, CLAIMABLE_COUNTED_MAX))
      }),
    )
    gauge(ofStore, metricsCatalogue.walletsWithdrawn, (withdrawn) =>
      unlessAway(withdrawn, async () => {
        for (const network of store.networks.present)
          withdrawn.set({ network }, await store.wallets.countWithdrawn(network))
      }),
    )
    gauge(ofStore, metricsCatalogue.outbox, (outbox) =>
      unlessAway(outbox, async () => {
        const depth = await store.outbox.depth()
        for (const [state, count] of Object.entries(depth)) outbox.set({ state }, count)
      }),
    )
    const outboxAge = new OutboxAge(store.outbox, clock)
    gauge(ofStore, metricsCatalogue.outboxAge, (age) =>
      unlessAway(age, async () => age.set((await outboxAge.read()) / MS_PER_SECOND)),
    )
  }

  /** All metrics in the text format of Prometheus, without those of the store while it is away. */
  async text(): Promise<string> {
    const waiting = this.ofStore.metrics()
    // Nobody waits for it yet.
    waiting.catch(() => {})
    const [ofProcess, own] = [await exposed(this.ofProcess), await exposed(this.registry)]
    return [ofProcess, own, await waiting].join('\n')
  }
}

/** prom-client's metrics of the process. Its collectors cannot be removed, so there is one registry for the process. */
function processMetrics(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry })
  }
  return processRegistry
}

let processRegistry: Registry | undefined

/** Counts by kind. Every series starts at 0. */
function countsOf<Kind extends string>(
  registry: Registry,
  about: MetricAbout,
  kinds: Readonly<Record<Kind, true>>,
): (kind: Kind, count: number) => void {
  const counts = counter(registry, about)
  for (const kind of Object.keys(kinds)) counts.inc({ kind }, 0)
  return (kind, count) => counts.inc({ kind }, count)
}
