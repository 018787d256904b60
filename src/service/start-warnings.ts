import type { Settings } from '../config.js'
import { isPrivateToMachine } from './private-service.js'

/** Warnings about valid settings, one line each. */
export function startWarnings(settings: Settings): readonly string[] {
  const warnings: string[] = []
  // A strict service is never private to its machine, so the second check is about the other settings only.
  if (!settings.strict && !isPrivateToMachine(settings)) {
    warnings.push(
      'others can reach this service and strict mode is off: every client can read webhook secrets and register API keys; set BILLHOOK_STRICT=on, or let only your own systems reach it (docs/operating.md, What to expose)',
    )
  }
  // A followed ledger has the owners of wallets, but not their addresses.
  if (!settings.sandbox && settings.gatewaySecret === undefined) {
    warnings.push(
      'nothing reports wallet addresses to this service, so no new wallet can be invoiced on: set BILLHOOK_GATEWAY_SECRET, or use --sandbox',
    )
  }
  return warnings
}
