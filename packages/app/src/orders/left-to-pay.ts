import type { Order } from '@billhook/client'
import { decimalOf, unitsOf } from '../invoices/units.js'

/** What matters of an option of an order. */
export interface LeftOption {
  readonly invoice: Pick<Order['options'][number]['invoice'], 'amount'>
  readonly payment: Pick<Order['options'][number]['payment'], 'pending'>
  readonly remaining: string
}

/**
 * What a customer still has to send in the coin of an option. The service counts what is confirmed; what was only seen is taken off here, in
 * whichever coin it came, so that nobody is asked for it twice. `0` when all of it was seen.
 */
export function leftToPay(options: readonly LeftOption[], option: LeftOption): string {
  const amount = unitsOf(option.invoice.amount)
  const seen = options.reduce((sum, { invoice, payment }) => {
    const pending = unitsOf(payment.pending)
    return pending === 0n ? sum : sum + (pending * amount) / unitsOf(invoice.amount)
  }, 0n)
  if (seen === 0n) return option.remaining
  const left = unitsOf(option.remaining) - seen
  return left > 0n ? decimalOf(left) : '0'
}
