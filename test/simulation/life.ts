import { Intake } from '../../src/actors/intake.js'
import { WalletDirectory } from '../../src/actors/wallet-directory.js'
import { createLog } from '../../src/log.js'
import type { Store } from '../../src/store/store.js'
import { Dispatcher } from '../../src/webhooks/dispatcher.js'
import type { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { Receivers, type SendObserver } from './receivers.js'
import { type CallObserver, StoreScheduler } from './scheduler.js'
import type { Profile } from './steps.js'

const log = createLog('silent')

export interface LifeParts {
  readonly store: Store
  readonly clock: ManualClock
  readonly profile: Profile
  readonly attemptsMax: number
  readonly jitter: () => number
  readonly calls: CallObserver
  readonly sends: SendObserver
  readonly report: (error: unknown) => void
}

/** The core between a start and a crash or stop, wired as `src/service.ts` wires it. */
export class Life {
  readonly calls: StoreScheduler
  readonly receivers: Receivers
  readonly timers = new ManualScheduler()
  readonly directory: WalletDirectory
  readonly intake: Intake
  readonly dispatcher: Dispatcher
  /** Commands are taken from then on. */
  isStarted = false

  constructor(parts: LifeParts) {
    const { clock, profile, attemptsMax, jitter } = parts
    this.calls = new StoreScheduler(parts.store, parts.calls)
    this.receivers = new Receivers(parts.sends)
    const store = this.calls.port
    this.dispatcher = new Dispatcher({
      outbox: store.outbox,
      webhooks: store.webhooks,
      sender: this.receivers,
      clock,
      log,
      scheduler: this.timers,
      retry: { attemptsMax, random: jitter },
      concurrency: profile.concurrency,
      concurrencyPerDestination: profile.concurrencyPerDestination,
    })
    this.directory = new WalletDirectory(store, {
      mailboxCapacity: profile.mailboxCapacity,
      totalCapacity: profile.totalCapacity,
      turnLimit: profile.turnLimit,
    })
    this.intake = new Intake(store.ledger, this.directory, (owed) => this.dispatcher.notify(owed))
    this.dispatcher.start().then(
      () => {
        this.isStarted = true
      },
      (error: unknown) => parts.report(error),
    )
  }

  /** Whether nothing waits for the store or a receiver. */
  get isStill(): boolean {
    return this.calls.notedCount === 0 && this.calls.doneCount === 0 && this.receivers.openCount === 0
  }
}
