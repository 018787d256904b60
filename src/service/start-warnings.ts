import { statSync } from 'node:fs'
import type { Settings } from '../config.js'
import type { Logger } from '../log.js'
import type { Store } from '../store/store.js'
import { isReported } from './catalogue.js'
import { isPrivateToMachine } from './exposure.js'

const PERMISSION_BITS = 0o777
/** Read and execute permission of the group and of others. */
const OPEN_TO_OTHERS = 0o055

/** Warnings about valid settings, one line each. `hasWallets`: the store has some, which the operator may have derived. */
export function startWarnings(settings: Settings, hasWallets: boolean): readonly string[] {
  const warnings: string[] = []
  // A strict service is never private to its machine, so the second check is about the other settings only.
  if (!settings.strict && !isPrivateToMachine(settings)) {
    warnings.push(
      'others can reach this service and strict mode is off: every client can read webhook secrets and register API keys; set BILLHOOK_STRICT=on, or let only your own systems reach it (docs/operating/exposing.md)',
    )
  }
  // A followed ledger has the owners of wallets, but not their addresses.
  const isLedgerless = settings.ledgerUrls.length === 0 && settings.ledgerStoreUrls.length === 0
  if (!settings.sandbox && settings.gatewaySecrets.length === 0 && !(isLedgerless && hasWallets)) {
    warnings.push(
      'nothing reports wallet addresses to this service, so no new wallet can be invoiced on: set BILLHOOK_GATEWAY_SECRET, derive wallets from a key of your own (docs/without-a-ledger.md), or use --sandbox',
    )
  }
  const plainNodes = settings.ledgerNodes.filter((node) => new URL(node).protocol === 'http:')
  if (isOverHttps(settings) && plainNodes.length > 0) {
    warnings.push(
      `browsers that reach this service over HTTPS post to no node over plain HTTP, so nobody onboards in the web wallet: name https URLs in BILLHOOK_LEDGER_NODES instead of ${plainNodes.join(', ')} (docs/ledger.md)`,
    )
  }
  if (settings.underpayment > 0 && settings.sharedWallets) {
    warnings.push(
      "BILLHOOK_UNDERPAYMENT accepts invoices by itself, and where several share a wallet, too small a payment may be taken for another customer's order: give each order a wallet of its own and set BILLHOOK_SHARED_WALLETS=off (docs/concepts.md)",
    )
  }
  const silent = settings.networkEntries.filter((entry) => !isReported(settings, entry)).map(({ id }) => id)
  if (silent.length > 0) {
    warnings.push(
      `nothing reports deposits of ${silent.join(', ')} to this service, so payments there are not seen: name nodes as urls in the file of BILLHOOK_NETWORKS, or set BILLHOOK_GATEWAY_SECRET`,
    )
  }
  if (settings.serviceLinks.length > 0) {
    warnings.push(
      `ignored what Kubernetes sets in every pod for Services whose names begin with billhook: ${settings.serviceLinks.join(', ')}; set enableServiceLinks: false in the pod`,
    )
  }
  return warnings
}

/** Whether browsers reach the service over HTTPS, as far as its settings tell. */
function isOverHttps({ publicUrl, tlsCert }: Settings): boolean {
  return publicUrl === undefined ? tlsCert !== undefined : new URL(publicUrl).protocol === 'https:'
}

/** Whether a store has wallets. */
export async function hasWallets({ overview }: Pick<Store, 'overview'>): Promise<boolean> {
  return (await overview.wallets({ after: null, limit: 1 })).items.length > 0
}

/** Warns when others can read or enter the data directory. It belongs to the operator, so its mode is left as it is. */
export function warnOfOpenDirectory(directory: string, log: Pick<Logger, 'warn'>): void {
  const mode = statSync(directory).mode & PERMISSION_BITS
  if ((mode & OPEN_TO_OTHERS) === 0) return
  log.warn({ directory, mode: mode.toString(8) }, 'other users can read or enter the data directory: chmod 700 it')
}

/**
 * Asks the configured ledger what the doctor asks, and logs what is wrong. A service starts meanwhile: its ledger may come
 * later. Each question has the time-out of the settings.
 */
export async function warnOfLedger(settings: Settings, log: Pick<Logger, 'warn'>, stop: AbortSignal): Promise<void> {
  if (settings.ledgerUrls.length === 0) return
  const [{ checkLedger }, { configuredLedger }] = await Promise.all([
    import('../ledger/ledger-check.js'),
    import('./ledger.js'),
  ])
  const findings = await checkLedger(configuredLedger(settings))
  // Questions that a stop has cut off say nothing.
  if (stop.aborted) return
  for (const { verdict, text, advice } of findings) {
    if (verdict !== 'ok') log.warn(`the ledger: ${text}${advice === null ? '' : ` ${advice}`}`)
  }
}
