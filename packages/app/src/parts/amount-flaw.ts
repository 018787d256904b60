import type { AmountFlaw } from '../invoices/amount-input.js'
import type { TextKey } from '../languages/en.js'

/** What is wrong with an amount, in words. */
export const FLAW_TEXTS: Readonly<Record<AmountFlaw, TextKey>> = {
  empty: 'amountEmpty',
  malformed: 'amountMalformed',
  ambiguous: 'amountAmbiguous',
  zero: 'amountZero',
  too_precise: 'amountTooPrecise',
  too_long: 'amountTooLong',
}
