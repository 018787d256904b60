import type { DepositReport, Sighting } from './deposit.js'
import type { Network } from './network.js'

/** A fact about an identity or a wallet, from the ledger gateway, the follower or the sandbox (decisions 8). */
export type LedgerFact =
  | { readonly type: 'identity.onboarded'; readonly identity: string }
  /** The keys that speak for an identity from now on, in place of all earlier ones: compressed, lower-case hex. */
  | {
      readonly type: 'identity.keys'
      readonly identity: string
      readonly keys: readonly string[]
      /** True for an imported record: an identity that already has pushed keys keeps those. */
      readonly keepsKeys?: true
    }
  | { readonly type: 'wallet.created'; readonly id: string; readonly address: string; readonly network: Network }
  | {
      readonly type: 'wallet.assigned'
      readonly id: string
      readonly address: string | null
      readonly network: Network | null
      readonly owner: string
      /** The ledger's date, Unix milliseconds on its clock. Absent if not reported. */
      readonly ledgerMs?: number
      /** True for an imported record: a wallet that already has another owner keeps that owner. */
      readonly keepsOwner?: true
    }
  /** A listed transaction has given the wallet away, and it is not believed to whom: it must not be handed out. */
  | {
      readonly type: 'wallet.withdrawn'
      readonly id: string
      readonly umid: string
      readonly ledgerMs: number
      /** Whether it counts for a wallet that has not been told yet, too. */
      readonly mayBeUnknown: boolean
    }

export type PushedKeys = Extract<LedgerFact, { readonly type: 'identity.keys' }>
export type WalletFact = Extract<LedgerFact, { readonly type: 'wallet.created' | 'wallet.assigned' }>

/** A report about a deposit from a gateway, a watcher or the sandbox. */
export interface DepositFact {
  readonly type: 'deposit'
  readonly report: DepositReport
  readonly sighting: Sighting
}

/** An event of which only the id is readable: it is rejected, and its id is used up. */
export interface UnreadableFact {
  readonly type: 'unreadable'
  readonly error: string
}

/** The outcome of an event. It may be a duplicate by its id or by its content; a bad event is rejected alone. */
export type EventOutcome =
  | { readonly status: 'applied' }
  | { readonly status: 'duplicate' }
  | { readonly status: 'rejected'; readonly error: string }
