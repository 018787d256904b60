import { Intake } from '../actors/intake.js'
import { WalletDirectory } from '../actors/wallet-directory.js'
import { createPooledRandom, IdGenerator, randomSecretHex } from '../crypto/id.js'
import { RateIntake } from '../rates/rate-intake.js'
import { systemScheduler } from '../scheduler.js'
import { AddressGuard } from '../webhooks/address-guard.js'
import { TestDeliveries } from '../webhooks/test-deliveries.js'
import type { CoreContext, WritingCore } from './core-context.js'
import { Duties } from './duties.js'
import { isPrivateToMachine } from './exposure.js'
import { LazySender } from './lazy-sender.js'
import { LeaderWork } from './leader-work.js'
import { rateTermsOf } from './rates.js'
import type { ScheduledBackups } from './scheduled-backups.js'

/** The parts that do the work, behind routes, watchers and commands. */
export interface Core extends WritingCore {
  readonly directory: WalletDirectory
  readonly duties: Duties
  readonly testDeliveries: TestDeliveries
  readonly rateIntake: RateIntake
  /** Null without a schedule. */
  readonly backups: ScheduledBackups | null
}

const HOUR_MS = 3_600_000

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

/** Builds the parts on an open store. The duties do not begin yet. */
export async function startCore(context: CoreContext): Promise<Core> {
  const { metrics, shutdown, store, verification } = context
  const { sender, testDeliveries } = startSender(context)
  const backups = await startBackups(context)
  const directory = new WalletDirectory(store)
  shutdown.add('wallets', () => directory.idle())
  const duties: Duties = new Duties(store.leadership, () => new LeaderWork(core, context, sender), context.log)
  const rateIntake = new RateIntake({
    rates: store.rates,
    terms: rateTermsOf(context.settings),
    log: context.log,
    ...(metrics === null ? {} : { onRefused: metrics.rateSetRefused }),
  })
  const intake = new Intake(store.ledger, directory, duties.notify, {
    ...metrics?.intake,
    setAside: (network, deposits) => {
      for (const { txHash, index, error } of deposits) {
        context.log.error({ network, txHash, index, err: error }, 'a deposit is SET ASIDE, because recording it failed')
      }
    },
  })
  const core: Core = { ...verification, store, directory, duties, testDeliveries, rateIntake, intake, backups }
  return core
}

async function startBackups(context: CoreContext): Promise<ScheduledBackups | null> {
  const { settings, clock, log, metrics, shutdown } = context
  if (settings.backupDir === undefined) return null
  const { ScheduledBackups } = await import('./scheduled-backups.js')
  const { assertBacksUp, openUpkeep } = await import('./upkeep.js')
  assertBacksUp(settings)
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
