import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { originOf, parseFollowedContracts } from '../ledger/followed-contracts.js'
import { type FollowerOptions, LedgerFollower } from '../ledger/follower.js'
import { LedgerClient } from '../ledger/ledger-client.js'
import { LedgerNodes } from '../ledger/ledger-source.js'
import type { Logger } from '../log.js'
import { systemScheduler } from '../scheduler.js'
import { StartError } from '../start-error.js'
import type { Core } from './core.js'

/** Maximum size of the ledger's answer about an identity, in bytes. */
const ANSWER_LIMIT_BYTES = 1024 * 1024
const MS_PER_SECOND = 1000

/** Builds the client of the ledger's read API; null if no ledger is configured. */
export function ledgerClientOf({ ledgerUrls, ledgerTimeoutMs }: Settings): LedgerClient | null {
  if (ledgerUrls.length === 0) return null
  return new LedgerClient({ urls: ledgerUrls, timeoutMs: ledgerTimeoutMs, answerLimitBytes: ANSWER_LIMIT_BYTES })
}

/** The common options of the follower and the comparison. */
export type Following = Pick<FollowerOptions, 'source' | 'followed' | 'origin' | 'fromMs' | 'overlapMs' | 'pollMs'>

/** Null when no ledger is to be followed. */
export function followingOf(settings: Settings): Following | null {
  const {
    ledgerStoreUrls: storeUrls,
    ledgerUrls: urls,
    ledgerTimeoutMs: timeoutMs,
    ledgerFollowFrom: fromMs,
  } = settings
  if (storeUrls.length === 0) return null
  const contracts = parseFollowedContracts(settings.ledgerFollow)
  if ('flaw' in contracts) throw new StartError(`the contracts to follow cannot be used: ${contracts.flaw}`)
  const followed = { contracts, onboardingName: settings.onboardingName ?? '' }
  return {
    source: new LedgerNodes({ storeUrls, urls, timeoutMs }),
    followed,
    origin: originOf(storeUrls, followed, fromMs),
    fromMs,
    overlapMs: settings.ledgerOverlapSeconds * MS_PER_SECOND,
    pollMs: settings.ledgerPollMs,
  }
}

/** Null when no ledger is to be followed. */
export function ledgerFollowerOf(
  settings: Settings,
  { store, intake, engine }: Pick<Core, 'store' | 'intake' | 'engine'>,
  log: Logger,
  clock: Clock,
): LedgerFollower | null {
  const following = followingOf(settings)
  if (following === null) return null
  return new LedgerFollower({
    ...following,
    ledger: store.ledger,
    apply: (events) => intake.apply(events),
    engine,
    clock,
    scheduler: systemScheduler,
    random: () => Math.random(),
    log,
  })
}
