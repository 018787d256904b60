import type { InvoiceWithPayment } from '@billhook/client'

/** How an invoice stands, for people. */
export type InvoiceState = 'open' | 'seen' | 'paid' | 'accepted' | 'expired' | 'void'

/** What of an invoice its state follows from. */
export type Standing = Pick<InvoiceWithPayment, 'voided_at' | 'accepted_at' | 'expires_at' | 'payment'>

/** `now` in milliseconds: an expiry is noted a second late, and a person should not see it open meanwhile. */
export function stateOf({ voided_at, accepted_at, expires_at, payment }: Standing, now: number): InvoiceState {
  if (payment.status === 'paid') return 'paid'
  if (accepted_at !== null) return 'accepted'
  if (voided_at !== null) return expires_at !== null && voided_at >= expires_at ? 'expired' : 'void'
  if (isSomething(payment.pending) || isSomething(payment.received)) return 'seen'
  return expires_at !== null && expires_at <= now ? 'expired' : 'open'
}

/** Whether somebody may still pay it. */
export function isOpen(invoice: Standing, now: number): boolean {
  const state = stateOf(invoice, now)
  return state === 'open' || state === 'seen'
}

function isSomething(amount: string): boolean {
  return /[1-9]/.test(amount)
}
