import { formatAmount, parseFormattedAmount } from '../domain/amount.js'
import type { Payment } from '../domain/payment.js'
import type { TextKey } from './languages/en.js'

/** No money, however amounts are written. */
export const NOTHING = '0'

/**
 * The state of a payment as the payer sees it. Figures are decimal strings in the invoice's currency, or `Amount`: an order may be paid
 * in several coins. "Seen" counts confirmed and pending deposits, so that a payer who has paid is not asked to pay again.
 */
export type PaymentState<Amount = string> =
  | { readonly kind: 'nothing_seen'; readonly missing: Amount }
  | { readonly kind: 'partly_seen'; readonly seen: Amount; readonly missing: Amount; readonly isPending: boolean }
  /** The deposits seen pay the invoice, but not all are confirmed. `excess` is what was seen beyond the amount. */
  | { readonly kind: 'all_seen'; readonly seen: Amount; readonly excess: Amount | typeof NOTHING }
  | { readonly kind: 'paid' }
  /** `isPending`: part of the excess is not confirmed. */
  | { readonly kind: 'overpaid'; readonly excess: Amount; readonly isPending: boolean }
  /** Void or expired, with what arrived nevertheless. */
  | {
      readonly kind: 'closed'
      readonly received: Amount | typeof NOTHING
      readonly pending: Amount | typeof NOTHING
    }

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
export function leftToSend<Amount>(state: PaymentState<Amount>): Amount | null {
  return state.kind === 'nothing_seen' || state.kind === 'partly_seen' ? state.missing : null
}

/** So long before the expiry nobody should send any more: what is seen after it is late. The script knows it, too. */
export const LAST_CALL_MS = 120_000

/**
 * What may still come, so that the page is live: a payment or its confirmation, or something late, for which the page of a void
 * invoice waits for `lateMs`. Null if nothing.
 */
export function awaitedBy(
  { status, pending }: Pick<Payment, 'status' | 'pending'>,
  voidedAt: number | null,
  { nowMs, lateMs }: { readonly nowMs: number; readonly lateMs: number },
): 'payment' | 'latecomer' | null {
  if (pending !== '0') return 'payment'
  if (voidedAt !== null) return nowMs < voidedAt + lateMs ? 'latecomer' : null
  return status === 'paid' ? null : 'payment'
}

export function isPaid({ kind }: Pick<PaymentState, 'kind'>): boolean {
  return kind === 'paid' || kind === 'overpaid'
}

/** Whether the payer is told to ask the merchant. */
export function asksMerchant<Amount>(state: PaymentState<Amount>): boolean {
  return state.kind === 'overpaid' || state.kind === 'closed' || (state.kind === 'all_seen' && state.excess !== NOTHING)
}

/** A text and the amounts in it. */
export interface Phrase<Amount = string> {
  readonly text: TextKey
  readonly amounts?: Readonly<Record<string, Amount>>
}

/** A state in the payer's words. */
export interface StatusWords<Amount = string> {
  /** The CSS class of the box. */
  readonly tone: 'waiting' | 'paid' | 'closed'
  readonly headline: Phrase<Amount>
  /** Sentences after the headline. */
  readonly details: readonly Phrase<Amount>[]
}

const ASK_ABOUT_EXCESS: Phrase<never> = { text: 'askAboutExcess' }

/** Describes the state of the payment to the payer, who may have sent another coin as well. */
export function statusWords<Amount>(state: PaymentState<Amount>, hasStrays: boolean): StatusWords<Amount> {
  switch (state.kind) {
    case 'nothing_seen':
      return { tone: 'waiting', headline: { text: 'nothingSeen' }, details: [] }
    case 'partly_seen': {
      const { seen, missing, isPending } = state
      return {
        tone: 'waiting',
        headline: { text: 'partlySeen', amounts: { seen, missing } },
        details: isPending ? [{ text: 'partlyPending' }] : [],
      }
    }
    case 'all_seen': {
      const { seen, excess } = state
      return {
        tone: 'waiting',
        headline: { text: 'allSeen', amounts: { seen } },
        details: [
          { text: 'allPending' },
          ...(excess === NOTHING ? [] : [{ text: 'excessSeen', amounts: { excess } } as const, ASK_ABOUT_EXCESS]),
        ],
      }
    }
    case 'paid':
      return { tone: 'paid', headline: { text: 'paid' }, details: [] }
    case 'overpaid': {
      const { excess, isPending } = state
      const text = isPending ? 'overpaidSeen' : 'overpaidReceived'
      return { tone: 'paid', headline: { text, amounts: { excess } }, details: [ASK_ABOUT_EXCESS] }
    }
    case 'closed':
      return { tone: 'closed', headline: { text: 'closed' }, details: closedDetails(state, hasStrays) }
  }
}

function closedDetails<Amount>(
  { received, pending }: Extract<PaymentState<Amount>, { kind: 'closed' }>,
  hasStrays: boolean,
): readonly Phrase<Amount>[] {
  // Who reads of another coin that arrived is not told that nothing did.
  if (received === NOTHING && pending === NOTHING) return hasStrays ? [] : [{ text: 'closedUnpaid' }]
  return [
    ...(received === NOTHING ? [] : [{ text: 'closedReceived', amounts: { received } } as const]),
    ...(pending === NOTHING ? [] : [{ text: 'closedPending', amounts: { pending } } as const]),
    { text: 'closedAsk' },
  ]
}
