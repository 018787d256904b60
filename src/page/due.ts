import { formatAmount, parseFormattedAmount, roundedUp } from '../domain/amount.js'
import type { Invoice } from '../domain/invoice.js'
import type { Payment } from '../domain/payment.js'
import { amountText } from './amount-text.js'
import { leftToSend, type PaymentState, paymentStateOf } from './payment-state.js'

/** Where a payment stands in a coin, and what it still takes. */
export interface Due {
  readonly state: PaymentState
  /** What is left to send, as people write it; null if nothing. */
  readonly left: string | null
}

/** The same in a coin with so many decimal places: nobody is asked for what it cannot carry (decisions 4). */
export function dueIn(decimals: number, invoice: Pick<Invoice, 'amount'>, payment: Payment, isVoid: boolean): Due {
  const state = paymentStateOf(carried(payment, decimals), isVoid)
  return { state, left: state.kind === 'nothing_seen' ? amountText(invoice, decimals) : leftToSend(state) }
}

/** What is missing rounded up, and what is beyond it rounded down, so that what was rounded up is no excess. */
function carried(payment: Payment, decimals: number): Payment {
  const pending = parseFormattedAmount(payment.pending)
  const missing = roundedUp(parseFormattedAmount(payment.remaining) - pending, decimals)
  return {
    ...payment,
    remaining: formatAmount(payment.status === 'paid' ? 0n : pending + missing),
    overpaid: formatAmount(-roundedUp(-parseFormattedAmount(payment.overpaid), decimals)),
  }
}
