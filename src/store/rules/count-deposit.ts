import type { DepositReport } from '../../domain/deposit.js'
import { qualifies } from '../../domain/qualification.js'
import type { Asking } from './asking.js'
import type { CountChange, DepositRecord, DepositWork, MatchedInvoice, Payee } from './deposit-work.js'
import type { DepositChange } from './judge-report.js'

/** How a deposit stood before a change. */
export interface Before {
  readonly from: DepositChange['from']
  readonly wasMatched: boolean
}

/** How a change of a deposit changes sums, of which it is a part, or is not, before and behind the change. */
function changeOf(
  before: { readonly kind: DepositChange['from']; readonly isIn: boolean },
  after: { readonly kind: DepositReport; readonly isIn: boolean },
): CountChange {
  const isSeen = ({ kind, isIn }: typeof before) => Number(isIn && (kind === 'pending' || kind === 'confirmed'))
  const isConfirmed = ({ kind, isIn }: typeof before) => Number(isIn && kind === 'confirmed')
  return { seen: isSeen(after) - isSeen(before), confirmed: isConfirmed(after) - isConfirmed(before) }
}

/**
 * Brings the match of an invoice up to date. A deposit that came back as another one than was dropped keeps its match, and may not
 * qualify for that invoice any more: then it is no money of it.
 */
export function changeMatch<P extends Payee, I extends MatchedInvoice<Id>, R extends DepositRecord<Id>, Id>(
  work: DepositWork<P, I, R, Id>,
  invoice: I,
  row: R,
  { wallet }: P,
  { from, wasMatched }: Before,
): void {
  const walletId = wallet?.id ?? null
  const { deposit, countedAs, atoms } = row
  const { kind, receivedAt } = deposit
  const { seen: matches, confirmed } = changeOf({ kind: from, isIn: wasMatched }, { kind, isIn: true })
  const counts = qualifies(invoice.invoice, { walletId, currency: countedAs, receivedAt })
  const worth = counts ? atoms : 0n
  work.changeMatch(invoice, row, {
    matches,
    seen: BigInt(matches) * worth,
    confirmed: BigInt(confirmed) * worth,
  })
}

/** Brings the sums from one kind to the other. What is in no currency counts in none. */
export function* count<P extends Payee, I extends MatchedInvoice<Id>, R extends DepositRecord<Id>, Id>(
  work: DepositWork<P, I, R, Id>,
  row: R,
  { wallet }: P,
  { from, wasMatched }: Before,
): Asking<void> {
  const { countedAs: currency, deposit } = row
  if (currency === null) return
  const { kind } = deposit
  const all = changeOf({ kind: from, isIn: true }, { kind, isIn: true })
  const unmatched = changeOf({ kind: from, isIn: !wasMatched }, { kind, isIn: row.invoiceId === null })
  work.count({ row, currency, wallet }, all, unmatched)
  if (all.confirmed < 0 && wallet !== null) yield* work.reopen({ row, currency, wallet })
}
