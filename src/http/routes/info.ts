import type { Network } from '../../domain/network.js'
import { handlers } from '../endpoints.js'
import type { UnsignedMode } from '../guards/browsers.js'
import { jsonAnswer } from '../json.js'

/** What clients must know of the service (decisions 14). Nothing in it is secret. */
export interface ServiceInfo {
  readonly version: string
  readonly strict: boolean
  /** Whether a request without a signature may create and void invoices. */
  readonly unsigned: UnsignedMode
  readonly networks: readonly NetworkInfo[]
  /** Null if the operator has not set what clients of the ledger need. */
  readonly ledger: LedgerInfo | null
}

export interface NetworkInfo {
  readonly id: Network
  readonly name: string
  /** The word for the coin of the network, such as ETH. */
  readonly symbol: string
  /** The address of the contract of the token that invoices in USDT are paid in, or of the first one where there is none such; null if it is not configured. */
  readonly token: string | null
  /** How many decimal places that token has. */
  readonly decimals: number
  readonly tokens: readonly TokenInfo[]
  /** The end of the path at which a wallet is claimed. */
  readonly claim: string
  readonly testnet: boolean
}

export interface TokenInfo {
  /** What an invoice in it has as its currency. */
  readonly symbol: string
  /** The address of its contract; null if it is not configured. */
  readonly contract: string | null
  readonly decimals: number
}

export interface LedgerInfo {
  readonly namespace: string
  readonly contracts: { readonly onboard: string; readonly assignOwner: string }
  readonly onboardingName: string
  /** Where clients post their transactions, each followed by a slash. */
  readonly nodes: readonly string[]
}

/** `info` is called for each request: the sandbox knows its address only when it listens. */
export function infoHandlers(info: () => ServiceInfo) {
  return handlers({ 'GET /api/info': () => jsonAnswer(200, info()) })
}
