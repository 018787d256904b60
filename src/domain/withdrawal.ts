import { type Outcome, refuse } from './failure.js'
import type { LedgerFact } from './ledger-fact.js'
import { flawOfWalletId, type Wallet } from './wallet.js'

/** The end of a lease that never ends: the wallet is withdrawn from the pool. Any lease ends before. */
export const WITHDRAWN_UNTIL = 0xffff_ffff_ffff
/** The latest end of an ordinary lease. */
const LEASE_END_MAX = WITHDRAWN_UNTIL - 1

/** What is known of the last transaction of the ledger that took a wallet from the pool. */
export interface Withdrawal {
  /** The transaction, and the ledger's date of it, Unix milliseconds on its clock. */
  readonly umid: string
  readonly ledgerMs: number
  /** When it was noticed, Unix milliseconds. */
  readonly at: number
}

/** A wallet that is out of the pool although the service knows no owner of it. */
export interface WithdrawnWallet extends Wallet {
  readonly withdrawal: Withdrawal
}

export type WithdrawalFact = Extract<LedgerFact, { type: 'wallet.withdrawn' }>

/** What of a wallet decides: its owner, and the last withdrawal, which an operator may have taken back. */
interface KnownWallet {
  readonly owner: string | null
  readonly withdrawal: Withdrawal | null
}

/**
 * Decides whether a transaction withdraws a wallet; null when nothing is new. The transaction of the last withdrawal, and one
 * that is dated no later, were considered then: the operator who put the wallet back knew of them.
 */
export function decideWithdrawal(
  { id, umid, ledgerMs, mayBeUnknown }: WithdrawalFact,
  known: KnownWallet | null,
  nowMs: number,
): { readonly withdrawal: Withdrawal | null } | { readonly error: string } {
  const flaw = flawOfWalletId(id)
  if (flaw !== null) return { error: flaw }
  if (known === null ? !mayBeUnknown : known.owner !== null) return { withdrawal: null }
  const last = known?.withdrawal ?? null
  const wasConsidered = last !== null && (umid === last.umid || ledgerMs <= last.ledgerMs)
  return { withdrawal: wasConsidered ? null : { umid, ledgerMs, at: nowMs } }
}

/** When a lease ends that begins now. */
export function leaseEndOf(nowMs: number, leaseMs: number): number {
  return Math.min(nowMs + leaseMs, LEASE_END_MAX)
}

/**
 * When a wallet that is put back can be claimed. It may have been handed out right before it was withdrawn, and nobody else
 * may get it during that lease.
 */
export function leaseEndOfPutBack({ at }: Withdrawal, leaseMs: number): number {
  return leaseEndOf(at, leaseMs)
}

/** Whether a wallet can be put back into the pool: only one that was withdrawn and has no owner. */
export function decidePutBack(
  known: { readonly owner: string | null; readonly leasedUntil: number } | undefined,
): Outcome<null> {
  const isWithdrawn = known !== undefined && known.owner === null && known.leasedUntil === WITHDRAWN_UNTIL
  return isWithdrawn ? { ok: true, value: null } : refuse('not_found')
}
