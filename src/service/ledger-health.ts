import type { Degradation, DegradedReason } from '../domain/degradation.js'
import type { FollowerState } from '../ledger/follower-state.js'

/** A single failed poll may be a moment's; the next one comes soon. */
const FAILED_POLLS_MAX = 1
/**
 * Transactions that are listed and that no read API has, or whose signers cannot be decided. Anyone can cause one of the first (`Failed
 * to save`), and an identity one of the others, and it stays so for good, so a few are no degradation.
 */
const OPEN_FEW = 10

/** What impairs following the ledger, besides its lag. */
export function ledgerComplaints(state: Omit<FollowerState, 'lagMs' | 'wasRead'>): readonly Degradation[] {
  const { stores, silentStores, readApis, silentReadApis, failuresInARow } = state
  const { failed } = state.setAside
  const complaints: Degradation[] = []
  const complain = (reason: DegradedReason, text: string) => complaints.push({ reason, text })
  const isAnswered = silentStores < stores && silentReadApis < readApis
  if (silentStores > 0) complain('ledger_store_silent', `${silentOf(silentStores, stores, 'store')}.`)
  if (silentReadApis > 0) complain('ledger_read_api_silent', `${silentOf(silentReadApis, readApis, 'read API')}.`)
  if (isAnswered && failuresInARow > FAILED_POLLS_MAX) {
    complain('ledger_failing', `The last ${failuresInARow} polls of the ledger failed; see the log.`)
  }
  if (failed > 0 || openCount(state.setAside) > OPEN_FEW) {
    complain('ledger_set_aside', `${asideText(state.setAside)}: what they say is not known here; see the log.`)
  }
  return complaints
}

/** What cannot be known, or is not a fault. */
export function ledgerNotes(state: Pick<FollowerState, 'stores' | 'setAside' | 'withdrawn'>): readonly string[] {
  const { stores, setAside, withdrawn } = state
  const open = openCount(setAside)
  const notes: string[] = []
  if (stores === 1) notes.push('The ledger is followed at one store: what its node misses is not seen.')
  if (open > 0 && open <= OPEN_FEW && setAside.failed === 0) notes.push(`${asideText(setAside)}.`)
  if (withdrawn > 0) {
    const what = withdrawn === 1 ? '1 wallet' : `${withdrawn} wallets`
    notes.push(`The ledger has given ${what} of the pool away since the start: withdrawn, and not handed out.`)
  }
  return notes
}

/** How many transactions are set aside. */
export function asideTotal({ missing, failed, undecided, unasked }: FollowerState['setAside']): number {
  return missing + failed + undecided + unasked
}

function openCount({ missing, undecided }: FollowerState['setAside']): number {
  return missing + undecided
}

/** How many transactions are set aside, and why, such as `3 transactions of the ledger are set aside (no read API has 3)`. */
function asideText(counts: FollowerState['setAside']): string {
  const total = asideTotal(counts)
  const what = total === 1 ? '1 transaction of the ledger is' : `${total} transactions of the ledger are`
  return `${what} set aside (${asideWhy(counts)})`
}

/** Why transactions are set aside, in words; empty when none is. */
export function asideWhy({ missing, failed, undecided, unasked }: FollowerState['setAside']): string {
  const parts = [
    missing > 0 ? `no read API has ${missing}` : null,
    failed > 0 ? `read APIs fail to answer for ${failed}` : null,
    undecided > 0 ? `the signers of ${undecided} cannot be decided` : null,
    unasked > 0 ? `${unasked} were not asked for since the start` : null,
  ]
  return parts.filter((part) => part !== null).join(', ')
}

function silentOf(silent: number, all: number, what: string): string {
  return `${silent} of ${all} ${what}s of the ledger ${silent === 1 ? 'does' : 'do'} not answer`
}
