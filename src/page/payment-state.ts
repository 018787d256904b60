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

/** Whether the payment is expected to change, so that the page should reload. */
export function isAwaited({ status, pending }: Payment, isVoid: boolean): boolean {
  return pending !== '0' || (status !== 'paid' && !isVoid)
}

/** A state in the payer's words. */
export interface StatusWords {
  /** The CSS class of the box. */
  readonly tone: 'waiting' | 'paid' | 'closed'
  readonly headline: string
  /** Sentences after the headline. */
  readonly details: readonly string[]
}

const ASK_ABOUT_EXCESS = 'Ask the merchant about the difference.'

/** Describes the state of the payment to the payer. `coin` follows each figure. */
export function statusWords(state: PaymentState, coin: string): StatusWords {
  switch (state.kind) {
    case 'nothing_seen':
      return { tone: 'waiting', headline: 'No payment seen yet', details: [] }
    case 'partly_seen':
      return {
        tone: 'waiting',
        headline: `${state.seen} ${coin} seen, ${state.missing} ${coin} more to send`,
        details: state.isPending ? ['The network has not confirmed everything yet.'] : [],
      }
    case 'all_seen':
      return {
        tone: 'waiting',
        headline: `${state.seen} ${coin} seen, nothing more to send`,
        details: [
          'Waiting for the network to confirm it.',
          ...(state.excess === '0' ? [] : [`It is ${state.excess} ${coin} too much. ${ASK_ABOUT_EXCESS}`]),
        ],
      }
    case 'paid':
      return { tone: 'paid', headline: 'Paid. Nothing more is due.', details: [] }
    case 'overpaid':
      return {
        tone: 'paid',
        headline: `Paid. ${state.excess} ${coin} too much were ${state.isPending ? 'seen' : 'received'}.`,
        details: [ASK_ABOUT_EXCESS],
      }
    case 'closed':
      return { tone: 'closed', headline: 'This invoice is no longer payable.', details: closedDetails(state, coin) }
  }
}

function closedDetails(
  { received, pending }: Extract<PaymentState, { kind: 'closed' }>,
  coin: string,
): readonly string[] {
  if (received === '0' && pending === '0') return ['Nothing was received. Ask the merchant if you still want to pay.']
  return [
    ...(received === '0' ? [] : [`${received} ${coin} were received.`]),
    ...(pending === '0' ? [] : [`${pending} ${coin} were seen and wait for confirmation.`]),
    'Send nothing more, and ask the merchant about it.',
  ]
}
