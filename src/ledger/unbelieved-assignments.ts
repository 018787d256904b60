import { isObject } from '../base/json-object.js'
import type { ListedTransaction } from '../domain/ledger-progress.js'
import { isStreamId } from '../domain/text.js'
import type { WithdrawalFact } from '../domain/withdrawal.js'
import type { Logger } from '../log.js'
import { type FollowedContracts, mayAssign, standingOf } from './followed-contracts.js'
import type { FollowerRecord } from './follower-state.js'
import type { ApplyEvents } from './gateway-events.js'
import { assignmentFact, readTransaction } from './ledger-transaction.js'

/** Outputs of one transaction that are looked at. */
const OUTPUTS_MAX = 100

export interface UnbelievedOptions {
  readonly followed: FollowedContracts
  readonly apply: ApplyEvents
  readonly record: FollowerRecord
  readonly log: Logger
}

/**
 * Withdraws wallets from the pool that the ledger has given away. A commit proves no signature, so the new owner is not believed.
 * The wallet is gone all the same, and a client that claimed it could not use it.
 */
export class UnbelievedAssignments {
  private readonly observed = new Map<string, WithdrawalFact>()

  constructor(private readonly options: UnbelievedOptions) {}

  /** Takes a committed transaction that is no believed fact, or not yet. */
  observe({ umid, timestampMs }: ListedTransaction, committed: Readonly<Record<string, unknown>>): void {
    const { wallets, mayBeUnknown } = walletsTakenBy(committed, this.options.followed)
    for (const id of wallets) {
      this.observed.set(`${umid} ${id}`, { type: 'wallet.withdrawn', id, umid, ledgerMs: timestampMs, mayBeUnknown })
    }
  }

  /** Resolves when what was observed is durable. */
  async apply(): Promise<void> {
    await withdrawAll([...this.observed.values()], this.options)
    this.observed.clear()
  }
}

/** Withdraws wallets from the pool, counts and logs them. Resolves when that is durable. */
export async function withdrawAll(
  facts: readonly WithdrawalFact[],
  { apply, record, log }: Omit<UnbelievedOptions, 'followed'>,
): Promise<void> {
  if (facts.length === 0) return
  // A withdrawal is known by its transaction, so it needs no id.
  const outcomes = await apply(facts.map((fact) => ({ eventId: null, fact })))
  for (const [i, { id, umid }] of facts.entries()) {
    if (outcomes[i]?.status !== 'applied') continue
    record.recorded.withdrawn += 1
    log.warn({ wallet: id, umid }, 'the ledger has given a wallet of the pool away; it is withdrawn')
  }
}

/** Whether a committed transaction that is known to have changed a wallet may have given it away. */
export function isTakenBy(
  wallet: string,
  committed: Readonly<Record<string, unknown>>,
  followed: FollowedContracts,
): boolean {
  const tx = committed['$tx']
  if (isObject(tx) && mayAssign(followed.contracts, tx['$namespace'], tx['$contract'])) return true
  return walletsTakenBy(committed, followed).wallets.includes(wallet)
}

/**
 * The wallets that a committed transaction may have given away. A contract that assigns, or may be one, has taken all of
 * its outputs, whatever its shape is. Another contract of a followed namespace, under whose name a label may run the
 * assigning one, has taken a wallet that is known when it has the shape of an assignment.
 */
function walletsTakenBy(
  committed: Readonly<Record<string, unknown>>,
  { contracts }: FollowedContracts,
): { readonly wallets: readonly string[]; readonly mayBeUnknown: boolean } {
  const tx = committed['$tx']
  const none = { wallets: [], mayBeUnknown: false }
  if (!isObject(tx)) return none
  const standing = standingOf(contracts, tx['$namespace'], tx['$contract'])
  // `$i` says nothing about what was taken; it is left out where it is malformed.
  const transaction = readTransaction({ ...committed, $tx: isObject(tx['$i']) ? tx : { ...tx, $i: {} } })
  if (transaction === null) return none
  if (standing.kind === 'neighbour') {
    const read = assignmentFact(transaction)
    return 'flaw' in read ? none : { wallets: [read.fact.id], mayBeUnknown: false }
  }
  if (!mayAssign(contracts, tx['$namespace'], tx['$contract'])) return none
  const streams = [...transaction.outputs.values()].map(({ stream }) => stream).filter(isStreamId)
  return { wallets: [...new Set(streams)].slice(0, OUTPUTS_MAX), mayBeUnknown: true }
}
