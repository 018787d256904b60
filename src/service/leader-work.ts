import { DAY_MS } from '../domain/api-key.js'
import type { LedgerFollower } from '../ledger/follower.js'
import type { ChainWatcher } from '../networks/chain-watcher.js'
import type { RateIntake } from '../rates/rate-intake.js'
import { systemScheduler } from '../scheduler.js'
import { Dispatcher } from '../webhooks/dispatcher.js'
import { EventPump } from '../webhooks/event-pump.js'
import type { Sender } from '../webhooks/sender.js'
import { BackgroundWork } from './background-work.js'
import { catalogueOf, isWatched } from './catalogue.js'
import type { CoreContext, WritingCore } from './core-context.js'
import { DepositsAside } from './deposits-aside.js'
import { planDescriptors } from './descriptors.js'
import { rateSourceOf } from './rates.js'
import { Retention } from './retention.js'
import { Shutdown } from './shutdown.js'

/** How often expiries are looked for that no command has come to, and invoices that a deposit has paid beside its own. */
const CATCH_UP_ROUND_MS = 1000
const CATCH_UP_PAUSE_MS = 50

const MS_PER_SECOND = 1000
/** However long a source of rates fails, it is asked so often before its rates are too old. */
const TRIES_PER_AGE = 4

/**
 * What one process of a store does at a time: it sends the webhooks, watches the networks, follows the ledger, reads the rates, decides
 * expiries and removes old records.
 */
export class LeaderWork {
  readonly dispatcher: Dispatcher
  /** Grows while the work begins. */
  watchers: readonly ChainWatcher[] = []
  follower: LedgerFollower | null = null
  readonly depositsAside: DepositsAside
  private readonly shutdown = new Shutdown()

  constructor(
    private readonly core: WritingCore & { readonly rateIntake: Pick<RateIntake, 'take'> },
    private readonly context: CoreContext,
    sender: Sender,
  ) {
    const { settings, clock, log, metrics, store } = context
    this.dispatcher = new Dispatcher({
      outbox: store.outbox,
      webhooks: store.webhooks,
      sender,
      clock,
      log,
      concurrency: planDescriptors(settings.webhookConcurrency).webhooks,
      concurrencyPerDestination: settings.webhookConcurrencyPerDestination,
      retry: { attemptsMax: settings.webhookAttempts, random: () => Math.random() },
      ...(metrics === null ? {} : { observer: metrics.attempts }),
    })
    this.depositsAside = new DepositsAside({
      aside: store.aside,
      intake: core.intake,
      clock,
      scheduler: systemScheduler,
      log,
    })
  }

  /** The part that a stop waits for; null when there is none. */
  get waitsFor(): string | null {
    return this.shutdown.waitsFor
  }

  /** Throws `OperatorError` for what the operator can correct; `stop` ends what has begun. */
  async start(): Promise<void> {
    const { dispatcher, shutdown } = this
    // Before the dispatcher reads what is queued, so that nothing falls between.
    const ended = await this.context.store.changes.onOwed((owed) => dispatcher.notify(owed))
    shutdown.add('news of other processes', ended)
    shutdown.add('webhooks', () => dispatcher.stop())
    await dispatcher.start()
    this.startEventPump()
    this.startRetention()
    this.startCatchUp()
    shutdown.add('deposits that are set aside', () => this.depositsAside.stop())
    this.depositsAside.start()
    await this.startRates()
    await this.startFollower()
    await this.startWatchers()
  }

  /** Begins no more deliveries, and resolves when those in progress are over. */
  async stopSending(): Promise<void> {
    await this.dispatcher.stop()
  }

  async stop(): Promise<void> {
    await this.shutdown.endAll()
  }

  private startEventPump(): void {
    const { dispatcher } = this
    const { log, store } = this.context
    const pump = new EventPump({
      eventOutbox: store.eventOutbox,
      onOwed: (owed) => dispatcher.notify(owed),
      onDoubt: () => dispatcher.lookAgain(),
      scheduler: systemScheduler,
      log,
    })
    const ended = store.changes.onLogged((owners) => pump.wake(owners))
    this.shutdown.add('events to be sent', async () => {
      ended()
      await pump.stop()
    })
    pump.start()
  }

  private startRetention(): void {
    const { settings, clock, log, metrics, store } = this.context
    const retention = new Retention({
      store,
      clock,
      scheduler: systemScheduler,
      log,
      keepMs: settings.keepDays * DAY_MS,
      keepEventsMs: settings.eventsDays * DAY_MS,
      ...(metrics === null ? {} : { onRemoved: metrics.removed }),
    })
    this.shutdown.add('retention', () => retention.stop())
    retention.start()
  }

  private startCatchUp(): void {
    const { log, store } = this.context
    const catchUp = new BackgroundWork({
      piece: () => store.commands.catchUp(),
      pauseMs: CATCH_UP_PAUSE_MS,
      roundMs: CATCH_UP_ROUND_MS,
      scheduler: systemScheduler,
      log,
      complaint: 'expired and paid invoices are noted late',
    })
    this.shutdown.add('catching up', () => catchUp.stop())
    catchUp.start()
  }

  private async startRates(): Promise<void> {
    const { settings, log } = this.context
    const source = await rateSourceOf(settings)
    if (source === null) return
    const { RatePoller } = await import('../rates/rate-poller.js')
    const poller = new RatePoller({
      source,
      take: (origin, read) => this.core.rateIntake.take(origin, read),
      pollMs: settings.ratesPollSeconds * MS_PER_SECOND,
      pauseMaxMs: (settings.ratesMaxAgeSeconds * MS_PER_SECOND) / TRIES_PER_AGE,
      scheduler: systemScheduler,
      random: Math.random,
      log,
    })
    this.shutdown.add('rates', () => poller.stop())
    poller.start()
  }

  private async startFollower(): Promise<void> {
    const { ledgerUrls, ledgerStoreUrls } = this.context.settings
    // The stores of the ledger need its nodes, which the settings ask for.
    if (ledgerUrls.length === 0 || ledgerStoreUrls.length === 0) return
    const { startFollower } = await import('./ledger.js')
    this.follower = startFollower(this.core, { ...this.context, shutdown: this.shutdown })
  }

  private async startWatchers(): Promise<void> {
    if (!catalogueOf(this.context.settings).some(isWatched)) return
    const { startWatchers } = await import('./networks.js')
    this.watchers = await startWatchers(this.core, { ...this.context, shutdown: this.shutdown })
  }
}
