import type { Currency } from '../../../domain/amount.js'
import type { Received, Sums } from '../../../domain/payment.js'
import type { MatchChange } from '../../rules/invoice-life.js'
import type { InvoiceRow } from './invoice-rows.js'

/** A deposit that is counted, or not any more. Amounts are atoms, and negative for what leaves. */
export interface CountedDeposit {
  readonly walletId: string
  readonly currency: Currency
  readonly receivedAt: number
  readonly seen: bigint
  readonly confirmed: bigint
  /** The same where the deposit is matched to no invoice. */
  readonly unmatchedSeen: bigint
  readonly unmatchedConfirmed: bigint
}

type Amounts = Pick<CountedDeposit, 'seen' | 'confirmed'>

/** Sums of an invoice when a deposit is counted, if that counts for it. */
export function counted(
  { invoice, walletIds }: Pick<InvoiceRow, 'invoice' | 'walletIds'>,
  sums: Sums,
  { walletId, currency, receivedAt, unmatchedSeen, unmatchedConfirmed, ...all }: CountedDeposit,
): Sums {
  if (invoice.currency !== currency || invoice.created_at >= receivedAt) return sums
  const times = BigInt(walletIds.filter((one) => one === walletId).length)
  const unmatched = { seen: unmatchedSeen, confirmed: unmatchedConfirmed }
  return { ...added(sums, all, times), own: added(sums.own, unmatched, times) }
}

/** Sums of an invoice when what is matched to it changes. */
export function matched(sums: Sums, { seen, confirmed }: MatchChange): Sums {
  return { ...sums, own: added(sums.own, { seen, confirmed }, 1n) }
}

/** The first sums without the second ones. */
export function without(sums: Sums, gone: Sums): Sums {
  return { ...difference(sums, gone), own: difference(sums.own, gone.own) }
}

function added(sums: Received, { seen, confirmed }: Amounts, times: bigint): Received {
  return { confirmed: sums.confirmed + times * confirmed, pending: sums.pending + times * (seen - confirmed) }
}

function difference(sums: Received, gone: Received): Received {
  return { confirmed: sums.confirmed - gone.confirmed, pending: sums.pending - gone.pending }
}
