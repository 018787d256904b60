import { Intake } from '../../src/actors/intake.js'
import { WalletDirectory } from '../../src/actors/wallet-directory.js'
import { createLog } from '../../src/log.js'
import type { OwedDelivery } from '../../src/store/outbox.js'
import { Replaced, StorageUnavailable } from '../../src/store/refusals.js'
import type { Store } from '../../src/store/store.js'
import { Dispatcher } from '../../src/webhooks/dispatcher.js'
import type { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { throwIt } from '../support/throw-it.js'
import { Receivers, type SendObserver } from './receivers.js'
import { type CallObserver, StoreScheduler } from './scheduler.js'
import type { Profile } from './steps.js'

const log = createLog('silent')

export interface LifeParts {
  readonly store: Store
  /** Whether reads of the store answer with promises. */
  readonly areReadsSlow: boolean
  readonly clock: ManualClock
  readonly profile: Profile
  readonly attemptsMax: number
  readonly jitter: () => number
  readonly calls: CallObserver
  readonly sends: SendObserver
  readonly report: (error: unknown) => void
}

/** The core of a process between a start and a crash or stop, wired as `src/service` wires it. */
export class Life {
  readonly calls: StoreScheduler
  readonly receivers: Receivers
  readonly timers = new ManualScheduler()
  readonly directory: WalletDirectory
  readonly intake: Intake
  /** While this process leads. */
  private dispatcher: Dispatcher | null = null
  /** Ends to hear of what other processes owe. */
  private endNews = () => {}
  /** Commands are taken from then on. */
  isStarted = false
  /** Its work could not begin, and it has to be started again. */
  hasFailed = false
  /** Whether it begins to lead, or ends to, or stops. */
  isChanging = false
  private isStopping = false

  constructor(private readonly parts: LifeParts) {
    const { profile } = parts
    this.calls = new StoreScheduler(parts.store, parts.calls, parts.areReadsSlow)
    this.receivers = new Receivers(parts.sends)
    const store = this.calls.port
    this.directory = new WalletDirectory(store, {
      mailboxCapacity: profile.mailboxCapacity,
      totalCapacity: profile.totalCapacity,
      turnLimit: profile.turnLimit,
    })
    this.intake = new Intake(store.ledger, this.directory, this.notify)
    store.leadership.stand({ begin: () => this.begin(), end: () => this.end() }).then(
      () => {
        this.isStarted = true
      },
      (error: unknown) => {
        this.hasFailed = true
        if (!(error instanceof StorageUnavailable) && !(error instanceof Replaced)) parts.report(error)
      },
    )
  }

  get isLeading(): boolean {
    return this.dispatcher !== null
  }

  /** Destinations that have something to be sent. */
  get laneCount(): number {
    return this.dispatcher?.laneCount ?? 0
  }

  /** Says that deliveries became due by a command of this process. */
  readonly notify = (owed: readonly OwedDelivery[]): void => this.dispatcher?.notify(owed)

  /** As the service stops: what was accepted is answered, then nothing more is sent, then another process may lead. */
  async stop(): Promise<void> {
    await this.directory.idle()
    await this.dispatcher?.stop()
    this.isStopping = true
    this.isChanging = true
    await this.calls.port.leadership.resign()
  }

  private async begin(): Promise<void> {
    const { clock, profile, attemptsMax, jitter } = this.parts
    const store = this.calls.port
    const dispatcher = new Dispatcher({
      outbox: store.outbox,
      webhooks: store.webhooks,
      sender: this.receivers,
      clock,
      log,
      onWrongTransition: throwIt,
      scheduler: this.timers,
      retry: { attemptsMax, random: jitter },
      concurrency: profile.concurrency,
      concurrencyPerDestination: profile.concurrencyPerDestination,
    })
    this.dispatcher = dispatcher
    this.isChanging = true
    try {
      this.endNews = await store.changes.onOwed((owed) => dispatcher.notify(owed))
      await dispatcher.start()
    } catch (error) {
      this.endNews()
      await dispatcher.stop()
      this.dispatcher = null
      throw error
    } finally {
      this.isChanging = false
    }
  }

  private async end(): Promise<void> {
    this.isChanging = true
    this.endNews()
    await this.dispatcher?.stop()
    this.dispatcher = null
    this.isChanging = this.isStopping
  }

  /** Whether nothing waits for the store or a receiver. */
  get isStill(): boolean {
    return this.calls.noted.length === 0 && this.calls.doneCount === 0 && this.receivers.openCount === 0
  }
}
