import type { Settings } from '../config.js'
import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import { originOf, parseFollowedContracts } from '../ledger/followed-contracts.js'
import { type FollowerOptions, LedgerFollower } from '../ledger/follower.js'
import type { ConfiguredLedger } from '../ledger/ledger-check.js'
import { LedgerNodes } from '../ledger/ledger-nodes.js'
import { OperatorError } from '../operator-error.js'
import { systemScheduler } from '../scheduler.js'
import type { CoreContext, WritingCore } from './core-context.js'

const MS_PER_SECOND = 1000

/** The client of the ledger's read API. */
export function startLedgerClient(
  { engine }: Pick<WritingCore, 'engine'>,
  { settings, shutdown }: CoreContext,
): LedgerNodes {
  const { ledgerUrls: urls, ledgerTimeoutMs: timeoutMs } = settings
  const client = new LedgerNodes({ storeUrls: [], urls, timeoutMs, engine })
  shutdown.add('ledger', () => client.close())
  return client
}

/** The ledger of the settings, to be asked whether it is what they say. The contracts of settings were checked. */
export function configuredLedger(settings: Settings): ConfiguredLedger {
  const { ledgerUrls: urls, ledgerStoreUrls: storeUrls, ledgerTimeoutMs: timeoutMs } = settings
  const [followed, told] = [settings.ledgerFollow, settings.ledgerContracts].map((entries) => {
    const contracts = parseFollowedContracts(entries)
    return 'flaw' in contracts ? [] : contracts
  })
  return { urls, storeUrls, timeoutMs, followed: followed ?? [], told: told ?? [] }
}

/** The common options of the follower and the comparison. */
export type Following = Pick<FollowerOptions, 'source' | 'followed' | 'origin' | 'fromMs' | 'overlapMs' | 'pollMs'>

/** Throws `OperatorError` when the contracts to follow cannot be used. */
export function followingOf(settings: Settings, engine: Secp256k1Engine): Following {
  const {
    ledgerStoreUrls: storeUrls,
    ledgerUrls: urls,
    ledgerTimeoutMs: timeoutMs,
    ledgerFollowFrom: fromMs,
  } = settings
  const contracts = parseFollowedContracts(settings.ledgerFollow)
  if ('flaw' in contracts) throw new OperatorError(`the contracts to follow cannot be used: ${contracts.flaw}`)
  const followed = { contracts, onboardingName: settings.onboardingName ?? '' }
  return {
    source: new LedgerNodes({ storeUrls, urls, timeoutMs, engine }),
    followed,
    origin: originOf(storeUrls, followed, fromMs),
    fromMs,
    overlapMs: settings.ledgerOverlapSeconds * MS_PER_SECOND,
    pollMs: settings.ledgerPollMs,
  }
}

/** Starts to follow the ledger at the configured stores. */
export function startFollower({ store, intake, engine }: WritingCore, context: CoreContext): LedgerFollower {
  const { settings, log, clock, shutdown } = context
  const follower = new LedgerFollower({
    ...followingOf(settings, engine),
    ledger: store.ledger,
    pool: { networks: store.networks.present, wallets: store.wallets },
    apply: (events) => intake.apply(events),
    engine,
    clock,
    scheduler: systemScheduler,
    random: () => Math.random(),
    log,
  })
  shutdown.add('ledger follower', () => follower.stop())
  follower.start()
  return follower
}
