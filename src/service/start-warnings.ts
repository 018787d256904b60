import type { Settings } from '../config.js'
import { isPrivateToMachine } from './private-service.js'

/** What an operator should know about settings that are valid, a line for each. */
export function startWarnings(settings: Settings): readonly string[] {
  const warnings: string[] = []
  // A strict service is never private, so only what else makes it reachable is asked.
  if (!settings.strict && !isPrivateToMachine(settings)) {
    warnings.push(
      'others can reach this service and strict mode is off: whoever does can read webhook secrets and register API keys; set BILLHOOK_STRICT=on, or let your own systems only reach it (docs/operating.md, What to expose)',
    )
  }
  if (!hasSourceOfWallets(settings)) {
    warnings.push(
      'nothing tells this service of wallets, so nothing new can be invoiced on: set BILLHOOK_GATEWAY_SECRET or BILLHOOK_LEDGER_STORE_URL, or use --sandbox',
    )
  } else if (!hasSourceOfDeposits(settings)) {
    warnings.push(
      'nothing tells this service of deposits, so no invoice can be paid: set BILLHOOK_GATEWAY_SECRET, BILLHOOK_SEP_URLS or BILLHOOK_TRX_NILE_URLS',
    )
  }
  return warnings
}

function hasSourceOfWallets({ sandbox, gatewaySecret, ledgerStoreUrl }: Settings): boolean {
  return sandbox || gatewaySecret !== undefined || ledgerStoreUrl !== undefined
}

function hasSourceOfDeposits({ sandbox, gatewaySecret, sepUrls, trxNileUrls }: Settings): boolean {
  return sandbox || gatewaySecret !== undefined || sepUrls.length > 0 || trxNileUrls.length > 0
}
