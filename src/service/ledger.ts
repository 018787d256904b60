import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { originOf, parseFollowedContracts } from '../ledger/followed-contracts.js'
import { LedgerFollower } from '../ledger/follower.js'
import { createLedgerClient, type LedgerClient } from '../ledger/ledger-client.js'
import { createLedgerSource } from '../ledger/ledger-source.js'
import type { Logger } from '../log.js'
import { systemScheduler } from '../scheduler.js'
import { StartError } from '../start-error.js'
import type { Core } from './core.js'

/** Of the ledger's answer about an identity that is read. */
const ANSWER_LIMIT_BYTES = 1024 * 1024

/** Null when no ledger is configured. */
export function ledgerClientOf({ ledgerUrls, ledgerTimeoutMs }: Settings): LedgerClient | null {
  if (ledgerUrls.length === 0) return null
  return createLedgerClient({ urls: ledgerUrls, timeoutMs: ledgerTimeoutMs, answerLimitBytes: ANSWER_LIMIT_BYTES })
}

/** Null when no ledger is to be followed. */
export function ledgerFollowerOf(
  settings: Settings,
  { store, intake }: Pick<Core, 'store' | 'intake'>,
  log: Logger,
  clock: Clock,
): LedgerFollower | null {
  const { ledgerStoreUrl: storeUrl, ledgerUrls: urls, ledgerTimeoutMs: timeoutMs, ledgerFollowFrom: fromMs } = settings
  if (storeUrl === undefined) return null
  const contracts = parseFollowedContracts(settings.ledgerFollow)
  if ('flaw' in contracts) throw new StartError(`the contracts to follow cannot be used: ${contracts.flaw}`)
  const followed = { contracts, onboardingName: settings.onboardingName ?? '' }
  return new LedgerFollower({
    source: createLedgerSource({ storeUrl, urls, timeoutMs }),
    followed,
    origin: originOf(storeUrl, followed, fromMs),
    fromMs,
    pollMs: settings.ledgerPollMs,
    store,
    apply: (events) => intake.apply(events),
    clock,
    scheduler: systemScheduler,
    random: () => Math.random(),
    log,
  })
}
