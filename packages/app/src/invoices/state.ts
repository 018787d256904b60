import type { InvoiceWithPayment } from '@billhook/client'

/** How an invoice stands, for people. */
export type InvoiceState = 'open' | 'seen' | 'paid' | 'accepted' | 'expired' | 'void'

/** What of an invoice its state follows from. */
export type Standing = Pick<InvoiceWithPayment, 'voided_at' | 'accepted_at' | 'expires_at' | 'payment'>

/**
 * By what the service says alone: the clock of this device may be wrong, and a person would send a customer away. Voiding at the time of its
 * expiry, or later, is expiry.
 */
export function stateOf({ voided_at, accepted_at, expires_at, payment }: Standing): InvoiceState {
  if (payment.status === 'paid') return 'paid'
  if (accepted_at !== null) return 'accepted'
  if (voided_at !== null) return expires_at !== null && voided_at >= expires_at ? 'expired' : 'void'
  return isSomething(payment.pending) || isSomething(payment.received) ? 'seen' : 'open'
}

/** Whether somebody may still pay it. */
export function isOpen(invoice: Standing): boolean {
  const state = stateOf(invoice)
  return state === 'open' || state === 'seen'
}

function isSomething(amount: string): boolean {
  return /[1-9]/.test(amount)
}
