import type { Intake } from '../actors/intake.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import type { Log } from '../log.js'
import type { Metrics } from '../metrics/metrics.js'
import type { Store } from '../store/store.js'
import type { LockWaits } from './lock-waits.js'
import type { Shutdown } from './shutdown.js'
import type { StoreDamage } from './store-damage.js'
import type { Verification } from './verification.js'
import type { WriteHealth } from './write-health.js'

/** What the core is built from. */
export interface CoreContext {
  readonly settings: Settings
  readonly log: Log
  readonly clock: Clock
  /** Null when metrics are off. */
  readonly metrics: Metrics | null
  readonly shutdown: Shutdown
  readonly store: Store
  readonly verification: Verification
  readonly writeHealth: Pick<WriteHealth, 'takesWrites' | 'refusal'>
  readonly lockWaits: Pick<LockWaits, 'complaints'>
  readonly storeDamage: Pick<StoreDamage, 'complaints'>
}

/** The parts by which what is seen on networks and on the ledger is verified and recorded. */
export interface WritingCore extends Verification {
  readonly store: Store
  readonly intake: Intake
}
