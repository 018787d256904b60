import type { Outcome } from '../../../domain/failure.js'
import type { EventOutcome } from '../../../domain/ledger-fact.js'
import type { Network } from '../../../domain/network.js'
import type { Wallet } from '../../../domain/wallet.js'
import {
  decidePutBack,
  decideWithdrawal,
  leaseEndOfPutBack,
  WITHDRAWN_UNTIL,
  type Withdrawal,
  type WithdrawalFact,
  type WithdrawnWallet,
} from '../../../domain/withdrawal.js'
import type { Page, PageOf } from '../../store.js'
import type { Commit, Reader } from '../commit/commit-loop.js'
import { behindNetwork } from '../tables/keys.js'
import { integer, recordCodec, text } from '../tables/record-codec.js'
import { findWallet, freeKey, saveWallet, toWallet, type WalletRow } from './wallets.js'

export const withdrawalCodec = recordCodec<Withdrawal>('withdrawn-wallets', 1, {
  umid: text,
  ledgerMs: integer,
  at: integer,
})

/** Withdraws a wallet from the pool. One that is unknown gets a row, so that it never enters the pool when it is told. */
export function withdraw(commit: Commit, fact: WithdrawalFact): EventOutcome {
  const known = findWallet(commit, fact.id)
  const about = known === undefined ? null : { owner: known.owner, withdrawal: withdrawalOf(commit, fact.id) }
  const decision = decideWithdrawal(fact, about, commit.nowMs)
  if ('error' in decision) return { status: 'rejected', error: decision.error }
  if (decision.withdrawal === null) return { status: 'duplicate' }
  const row = known ?? unknownWallet(commit, fact.id)
  saveWallet(commit, { ...row, leasedUntil: WITHDRAWN_UNTIL }, known)
  putWithdrawal(commit, fact.id, decision.withdrawal)
  return { status: 'applied' }
}

/** The withdrawal stays known, so that its transaction does not withdraw the wallet again. */
export function putBack(commit: Commit, id: string, leaseMs: number): Outcome<Wallet> {
  const known = findWallet(commit, id)
  const decision = decidePutBack(known)
  if (!decision.ok) return decision
  const withdrawal = withdrawalOf(commit, id)
  if (known === undefined || withdrawal === null) throw new Error('a wallet was put back that was not withdrawn')
  saveWallet(commit, { ...known, leasedUntil: leaseEndOfPutBack(withdrawal, leaseMs) }, known)
  return { ok: true, value: toWallet(known) }
}

/** Cursors are wallet ids. */
export function withdrawnPage(at: Reader, { after, limit, slice }: Page): PageOf<WithdrawnWallet> {
  const items: WithdrawnWallet[] = []
  const start = after === null ? {} : { start: Buffer.from(after), exclusiveStart: true }
  let last: string | null = null
  for (const { key, value } of at.tables.withdrawnWallets.getRange(start)) {
    if (last !== null && (items.length >= limit || slice?.isOver === true)) return { items, next: last }
    last = key.toString()
    const row = findWallet(at, last)
    if (row !== undefined && isWithdrawn(row))
      items.push({ ...toWallet(row), withdrawal: withdrawalCodec.decode(value) })
  }
  return { items, next: null }
}

export function countWithdrawn({ tables }: Pick<Reader, 'tables'>, network: Network): number {
  const range = { start: freeKey(network, WITHDRAWN_UNTIL, 0), end: behindNetwork(network) }
  return tables.freeWallets.getKeysCount(range)
}

export function withdrawalOf({ tables }: Pick<Reader, 'tables'>, id: string): Withdrawal | null {
  const bytes = tables.withdrawnWallets.get(Buffer.from(id))
  return bytes === undefined ? null : withdrawalCodec.decode(bytes)
}

export function putWithdrawal({ tables }: Pick<Commit, 'tables'>, id: string, withdrawal: Withdrawal): void {
  tables.withdrawnWallets.putSync(Buffer.from(id), withdrawalCodec.encode(withdrawal))
}

function isWithdrawn({ owner, leasedUntil }: WalletRow): boolean {
  return owner === null && leasedUntil === WITHDRAWN_UNTIL
}

function unknownWallet(commit: Commit, id: string): WalletRow {
  const nothing = { network: null, address: null, addressNo: null, owner: null, ownerNo: null }
  const times = { assignedAt: null, assignmentNo: null, leasedUntil: 0 }
  return { id, no: commit.nextNo('wallet'), ...nothing, ...times }
}
