import type { Deposit, DepositReport, Sighting } from './deposit.js'
import type { DepositFact } from './ledger-fact.js'
import type { Network } from './network.js'

/*
 * What is set aside so that a network goes on without it: blocks, and transactions within blocks, that no node can give, and
 * deposits whose recording fails.
 * Nothing of it is lost: each is kept here, shown to the operator, and tried again.
 */

/** Names a deposit within its network. */
export type NameInNetwork = Pick<Deposit, 'txHash' | 'index'>

/** A text for a name, to compare it with others. An index has no colon. */
export function nameOf({ txHash, index }: NameInNetwork): string {
  return `${index}:${txHash}`
}

/** Transactions of a block of which no node tells what contracts send in them. */
export interface UntoldTransactions {
  /** At least one, each once. */
  readonly txHashes: readonly string[]
  /** What the nodes answered. */
  readonly reason: string
}

/** A block that no node can give, although nodes answer otherwise. */
export interface BlockAside {
  readonly network: Network
  readonly height: number
  /** Null while the network still waits for the block; the hash of the block as soon as the network goes on without it. */
  readonly hash: string | null
  /** What the nodes answered last. */
  readonly reason: string
  /** When they failed first, Unix ms. */
  readonly since: number
  /** For how long they were asked in vain. What nothing is known of does not count, such as an outage or a restart. */
  readonly failedForMs: number
  /** When they failed last, Unix ms. */
  readonly failedAt: number
  /** The deposits that were read from it before. They stay pending until it is read again. */
  readonly deposits: readonly NameInNetwork[]
}

/**
 * What is set aside of a confirmed block whose other deposits are recorded; null when nothing is. `known`: what was set aside of
 * it before. `before`: the deposits that it was read to hold then.
 */
export function asideOfUntold(
  { height, hash, untold }: { readonly height: number; readonly hash: string; readonly untold?: UntoldTransactions },
  {
    network,
    known,
    before,
    nowMs,
  }: {
    readonly network: Network
    readonly known: BlockAside | undefined
    readonly before: readonly NameInNetwork[]
    readonly nowMs: number
  },
): BlockAside | null {
  if (untold === undefined) return null
  const { txHashes } = untold
  const count = txHashes.length === 1 ? `transaction ${txHashes[0]}` : `${txHashes.length} transactions`
  const reason = shortened(`only what contracts send in ${count} is not known: ${untold.reason}`)
  const deposits = before.filter((name) => isUntold(untold, name))
  return { network, height, hash, reason, since: known?.since ?? nowMs, failedForMs: 0, failedAt: nowMs, deposits }
}

/** Whether it is not known of a deposit that a block does not tell if it is still in the block. */
export function isUntold(untold: UntoldTransactions | undefined, { txHash }: NameInNetwork): boolean {
  return untold?.txHashes.includes(txHash) === true
}

/** A deposit whose recording fails. A later report of it may take its place. */
export interface DepositAside {
  readonly sighting: Sighting
  /** What is to be recorded of it. */
  readonly report: DepositReport
  /** The block that the report came from; null when it is not of a block, or when its block has left the chain. */
  readonly height: number | null
  readonly error: string
  /** When its recording failed first, Unix ms. */
  readonly since: number
}

/**
 * The error of a deposit whose recording did not fail: it waits until the invoices on its wallet are settled that an earlier one has paid.
 * A program that does not know this shows it as an error, and records the deposit when it tries it again.
 */
export const WAITS = 'it waits until the invoices that earlier deposits have paid are settled'

/** How long waiting is nothing that an operator has to know of. */
const WAITING_QUIET_MS = 60_000

export function isWaiting({ error }: Pick<DepositAside, 'error'>): boolean {
  return error === WAITS
}

/** Whether a deposit is aside for a cause that somebody should look into. */
export function isTrouble(aside: DepositAside, nowMs: number): boolean {
  return !isWaiting(aside) || nowMs - aside.since >= WAITING_QUIET_MS
}

/** How the event of a deposit that is set aside is answered. Why is only in the log: senders need not know the inside. */
export const SET_ASIDE = {
  status: 'rejected',
  error: 'recording it failed: it is set aside, and is tried again',
} as const

/** A report that was no step of a watcher, as it is set aside. */
export function asideOf({ report, sighting }: DepositFact, error: string, nowMs: number): DepositAside {
  return { sighting, report, height: null, error, since: nowMs }
}

/** Deposits that are kept aside at the most because recording them fails. When there are more, something else is wrong, and networks stop as before. */
export const DEPOSITS_ASIDE_MAX = 1000

/** Characters of a reason or an error. Nodes may answer anything. */
const REASON_LENGTH_MAX = 500

/**
 * Between two failures at most this time counts. Retries are less than a minute apart, so a longer time was an outage, in
 * which nobody asked for the block.
 */
const FAILURE_GAP_MAX_MS = 120_000

/** What is known of a block that has just failed to be read; `known` is what was known of it before. */
export function failedAgain(
  known: BlockAside | undefined,
  { network, height, reason }: Pick<BlockAside, 'network' | 'height' | 'reason'>,
  nowMs: number,
): BlockAside {
  const shown = shortened(reason)
  if (known === undefined) {
    return { network, height, hash: null, reason: shown, since: nowMs, failedForMs: 0, failedAt: nowMs, deposits: [] }
  }
  // A clock that was set back adds nothing.
  const sinceLastMs = Math.min(Math.max(0, nowMs - known.failedAt), FAILURE_GAP_MAX_MS)
  return { ...known, reason: shown, failedForMs: known.failedForMs + sinceLastMs, failedAt: nowMs }
}

/** Whether the network has waited long enough for a block; it waits for ever when `skipAfterMs` is 0. */
export function isToBeSetAside({ failedForMs }: BlockAside, skipAfterMs: number): boolean {
  return skipAfterMs > 0 && failedForMs >= skipAfterMs
}

/** Whether a later report of a deposit makes the one pointless that was set aside. A pending one says nothing of a confirmation. */
export function supersedes(later: DepositReport, aside: DepositReport): boolean {
  return later !== 'pending' || aside !== 'confirmed'
}

/**
 * What stays aside of a deposit when a report of it, or another one, fails. `count`: deposits that are set aside already. Throws when
 * they are too many.
 */
export function mergedAside(known: DepositAside | undefined, later: DepositAside, count: number): DepositAside {
  if (known === undefined && count >= DEPOSITS_ASIDE_MAX && !isWaiting(later))
    throw new Error('too many deposits are set aside')
  const shown = { ...later, error: shortened(later.error) }
  if (known === undefined) return shown
  const { since } = known
  const isReplaced = supersedes(later.report, known.report) && !isOfLowerBlock(known, later)
  return isReplaced ? { ...shown, since } : { ...known, error: shown.error }
}

/** Whether a deposit that is set aside is in a lower block than the one that says the same of it again: it is the lower one's. */
function isOfLowerBlock(known: DepositAside, later: DepositAside): boolean {
  return known.report === later.report && known.height !== null && known.height < (later.height ?? known.height)
}

function shortened(text: string): string {
  // Half of a surrogate pair is no text.
  return text.slice(0, REASON_LENGTH_MAX).toWellFormed()
}
