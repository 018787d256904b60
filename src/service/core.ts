import { Intake } from '../actors/intake.js'
import { WalletDirectory } from '../actors/wallet-directory.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { createPooledRandom, IdGenerator, randomSecretHex } from '../crypto/id.js'
import { DAY_MS } from '../domain/api-key.js'
import type { Logger } from '../log.js'
import type { Metrics } from '../metrics/metrics.js'
import { systemScheduler } from '../scheduler.js'
import type { Store } from '../store/store.js'
import { AddressGuard } from '../webhooks/address-guard.js'
import { Dispatcher } from '../webhooks/dispatcher.js'
import { TestDeliveries } from '../webhooks/test-deliveries.js'
import { BackgroundWork } from './background-work.js'
import { planDescriptors } from './descriptors.js'
import { isPrivateToMachine } from './exposure.js'
import { LazySender } from './lazy-sender.js'
import { Retention } from './retention.js'
import type { ScheduledBackups } from './scheduled-backups.js'
import type { Shutdown } from './shutdown.js'
import type { Verification } from './verification.js'
import type { WriteHealth } from './write-health.js'

/** The parts that do the work, behind routes, watchers and commands. */
export interface Core extends Verification {
  readonly store: Store
  readonly directory: WalletDirectory
  readonly dispatcher: Dispatcher
  readonly testDeliveries: TestDeliveries
  readonly intake: Intake
  /** Null without a schedule. */
  readonly backups: ScheduledBackups | null
}

const HOUR_MS = 3_600_000
/** How often expiries are looked for that no command has come to, and invoices that a deposit has paid beside its own. */
const CATCH_UP_ROUND_MS = 1000
const CATCH_UP_PAUSE_MS = 50

/** What the core is built from. */
export interface CoreContext {
  readonly settings: Settings
  readonly log: Logger
  readonly clock: Clock
  /** Null when metrics are off. */
  readonly metrics: Metrics | null
  readonly shutdown: Shutdown
  readonly store: Store
  readonly verification: Verification
  readonly writeHealth: Pick<WriteHealth, 'takesWrites'>
}

/** What sends webhooks: to the addresses that the settings allow, and nothing before it is asked to. */
export function startSender({
  settings,
  clock,
  shutdown,
  store,
}: Pick<CoreContext, 'settings' | 'clock' | 'shutdown' | 'store'>) {
  const guard = new AddressGuard({ allowAll: isPrivateToMachine(settings), allow: settings.callbackAllow })
  const sender = new LazySender(async () => {
    const { HttpSender } = await import('../webhooks/sender.js')
    return new HttpSender({ guard, clock })
  })
  shutdown.add('webhook connections', () => sender.close())
  const ids = new IdGenerator(createPooledRandom())
  const testDeliveries = new TestDeliveries({
    webhooks: store.webhooks,
    sender,
    clock,
    newId: (nowMs) => ids.next(nowMs).toString('hex'),
    randomHashHex: () => randomSecretHex(),
  })
  return { sender, testDeliveries }
}

/** Starts the dispatcher and the wallet actors on an open store. */
export async function startCore(context: CoreContext): Promise<Core> {
  const { settings, log, clock, metrics, shutdown, store, verification } = context
  const { sender, testDeliveries } = startSender(context)
  const dispatcher = new Dispatcher({
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
  shutdown.add('webhooks', () => dispatcher.stop())
  await dispatcher.start()

  const retention = new Retention({
    store,
    clock,
    scheduler: systemScheduler,
    log,
    keepMs: settings.keepDays * DAY_MS,
    keepEventsMs: settings.eventsDays * DAY_MS,
    ...(metrics === null ? {} : { onRemoved: metrics.removed }),
  })
  shutdown.add('retention', () => retention.stop())
  retention.start()

  const catchUp = new BackgroundWork({
    piece: () => store.commands.catchUp(),
    pauseMs: CATCH_UP_PAUSE_MS,
    roundMs: CATCH_UP_ROUND_MS,
    scheduler: systemScheduler,
    log,
    complaint: 'expired and paid invoices are noted late',
  })
  shutdown.add('catching up', () => catchUp.stop())
  catchUp.start()

  const backups = await startBackups(context)
  const directory = new WalletDirectory(store)
  shutdown.add('wallets', () => directory.idle())
  const intake = new Intake(store.ledger, directory, (owed) => dispatcher.notify(owed), metrics?.intake)
  return { ...verification, store, directory, dispatcher, testDeliveries, intake, backups }
}

async function startBackups(context: CoreContext): Promise<ScheduledBackups | null> {
  const { settings, clock, log, metrics, shutdown } = context
  if (settings.backupDir === undefined) return null
  const { ScheduledBackups } = await import('./scheduled-backups.js')
  const { openUpkeep } = await import('./upkeep.js')
  const backups = new ScheduledBackups({
    upkeep: openUpkeep(settings, clock),
    directory: settings.backupDir,
    everyMs: settings.backupEvery * HOUR_MS,
    keep: settings.backupKeep,
    clock,
    scheduler: systemScheduler,
    log,
    ...(metrics === null ? {} : { onEnded: metrics.backupEnded }),
  })
  shutdown.add('backups', () => backups.stop())
  backups.start()
  return backups
}
