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
  // A ledger that is followed tells who owns a wallet, and never its address.
  if (!settings.sandbox && settings.gatewaySecret === undefined) {
    warnings.push(
      'nothing tells this service the addresses of wallets, so nothing new can be invoiced on: set BILLHOOK_GATEWAY_SECRET, or use --sandbox',
    )
  }
  return warnings
}
