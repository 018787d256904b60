import type { DepositReport, Sighting } from './deposit.js'
import type { Network } from './network.js'

/** What the ledger gateway, a ledger follower or the sandbox tells about identities and wallets (decisions 8). */
export type LedgerFact =
  | { readonly type: 'identity.onboarded'; readonly identity: string }
  | { readonly type: 'wallet.created'; readonly id: string; readonly address: string; readonly network: Network }
  | {
      readonly type: 'wallet.assigned'
      readonly id: string
      readonly address: string | null
      readonly network: Network | null
      readonly owner: string
      /** When the ledger dates it, Unix milliseconds on its clock. Absent when nobody told. */
      readonly ledgerMs?: number
    }

/** A report about a deposit from a gateway, a watcher or the sandbox. */
export interface DepositFact {
  readonly type: 'deposit'
  readonly report: DepositReport
  readonly sighting: Sighting
}

/** An event whose id can be told and nothing else: it is rejected, and its id is used up. */
export interface UnreadableFact {
  readonly type: 'unreadable'
  readonly error: string
}

/** How an event was taken: by its id or by its content it may be a duplicate; a bad one is rejected alone. */
export type EventOutcome =
  | { readonly status: 'applied' }
  | { readonly status: 'duplicate' }
  | { readonly status: 'rejected'; readonly error: string }
