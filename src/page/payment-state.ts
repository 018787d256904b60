import { formatAmount, parseFormattedAmount } from '../domain/amount.js'
import type { Payment } from '../domain/payment.js'

/**
 * The state of a payment as the payer sees it. Figures are decimal strings in the invoice's currency. "Seen" counts
 * confirmed and pending deposits, so that a payer who has paid is not asked to pay again.
 */
export type PaymentState =
  | { readonly kind: 'nothing_seen'; readonly missing: string }
  | { readonly kind: 'partly_seen'; readonly seen: string; readonly missing: string; readonly isPending: boolean }
  /** The deposits seen pay the invoice, but not all are confirmed. `excess` is what was seen beyond the amount. */
  | { readonly kind: 'all_seen'; readonly seen: string; readonly excess: string }
  | { readonly kind: 'paid' }
  /** `isPending`: part of the excess is not confirmed. */
  | { readonly kind: 'overpaid'; readonly excess: string; readonly isPending: boolean }
  /** Void or expired, with what arrived nevertheless. */
  | { readonly kind: 'closed'; readonly received: string; readonly pending: string }

export function paymentStateOf(payment: Payment, isVoid: boolean): PaymentState {
  if (isVoid) return { kind: 'closed', received: payment.received, pending: payment.pending }
  const pending = parseFormattedAmount(payment.pending)
  const isPending = pending > 0n
  if (payment.status === 'paid') {
    const excess = parseFormattedAmount(payment.overpaid) + pending
    return excess === 0n ? { kind: 'paid' } : { kind: 'overpaid', excess: formatAmount(excess), isPending }
  }
  const remaining = parseFormattedAmount(payment.remaining)
  const seen = formatAmount(parseFormattedAmount(payment.received) + pending)
  if (pending >= remaining) return { kind: 'all_seen', seen, excess: formatAmount(pending - remaining) }
  const missing = formatAmount(remaining - pending)
  return seen === '0' ? { kind: 'nothing_seen', missing } : { kind: 'partly_seen', seen, missing, isPending }
}

/** What the payer still has to send; null if nothing. */
export function leftToSend(state: PaymentState): string | null {
  return state.kind === 'nothing_seen' || state.kind === 'partly_seen' ? state.missing : null
}

/** Whether the state is expected to change, so that the page should reload. */
export function isAwaited(state: PaymentState): boolean {
  switch (state.kind) {
    case 'nothing_seen':
    case 'partly_seen':
    case 'all_seen':
      return true
    case 'paid':
      return false
    case 'overpaid':
      return state.isPending
    case 'closed':
      return state.pending !== '0'
  }
}
