import { type Outcome, succeed } from '../../domain/failure.js'
import type { EventOutcome } from '../../domain/ledger-fact.js'
import type { Network } from '../../domain/network.js'
import type { ClaimedWallet, Wallet } from '../../domain/wallet.js'
import {
  decidePutBack,
  decideWithdrawal,
  leaseEndOf,
  leaseEndOfPutBack,
  type Withdrawal,
  type WithdrawalFact,
} from '../../domain/withdrawal.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'

/** A wallet, and what the pool knows of it. */
export interface PoolWallet {
  readonly wallet: Wallet
  /** Unix ms; 0 when it was never handed out. */
  readonly leasedUntil: number
  /** The last one, which stays known when the wallet is put back. */
  readonly withdrawal: Withdrawal | null
}

/** What an engine does for the pool of wallets without an owner, inside a transaction. */
export interface PoolWork {
  readClock(): Awaitable<number>
  /** The wallet of the pool of a network whose lease ended first, if it has ended by then. Nobody else claims it until the commit. */
  longestFree(network: Network, nowMs: number): Awaitable<Wallet | undefined>
  /** A wallet, which nobody else changes until the commit. */
  wallet(id: string): Awaitable<PoolWallet | undefined>
  /** Moves a wallet that is known to its place in the pool. */
  lease(id: string, endMs: number): void
  /** Takes a wallet from the pool for good, and keeps why. One that is unknown gets a row, so that it never enters the pool. */
  withdraw(id: string, withdrawal: Withdrawal, isKnown: boolean): void
}

/** Hands out the wallet that has been free the longest. */
export function* claimWallet(pool: PoolWork, network: Network, leaseMs: number): Asking<ClaimedWallet | null> {
  const nowMs = yield* ask(pool.readClock())
  const wallet = yield* ask(pool.longestFree(network, nowMs))
  if (wallet === undefined) return null
  const { id, address } = wallet
  if (address === null) throw new Error('the pool of wallets names one that has no address')
  pool.lease(id, leaseEndOf(nowMs, leaseMs))
  return { id, address }
}

export function* withdrawWallet(pool: PoolWork, fact: WithdrawalFact): Asking<EventOutcome> {
  const known = yield* ask(pool.wallet(fact.id))
  const about = known === undefined ? null : { owner: known.wallet.owner, withdrawal: known.withdrawal }
  const decision = decideWithdrawal(fact, about, yield* ask(pool.readClock()))
  if ('error' in decision) return { status: 'rejected', error: decision.error }
  if (decision.withdrawal === null) return { status: 'duplicate' }
  pool.withdraw(fact.id, decision.withdrawal, known !== undefined)
  return { status: 'applied' }
}

/** The withdrawal stays known, so that its transaction does not withdraw the wallet again. */
export function* putWalletBack(pool: PoolWork, id: string, leaseMs: number): Asking<Outcome<Wallet>> {
  const known = yield* ask(pool.wallet(id))
  const decision = decidePutBack(
    known === undefined ? undefined : { owner: known.wallet.owner, leasedUntil: known.leasedUntil },
  )
  if (!decision.ok) return decision
  if (known === undefined || known.withdrawal === null) throw new Error('a withdrawn wallet has nothing that says why')
  pool.lease(id, leaseEndOfPutBack(known.withdrawal, leaseMs))
  return succeed(known.wallet)
}
