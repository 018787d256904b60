import { formatAmount, parseInvoiceAmount, roundedUp } from '../domain/amount.js'
import type { Invoice } from '../domain/invoice.js'

/** An amount as people write it: no leading zeros, a digit before the point, and a bounded number after it. */
const PLAIN_AMOUNT = /^(0|[1-9][0-9]*)(\.([0-9]{1,18}))?$/

/**
 * The amount as the merchant wrote it, so that 25.00 stays 25.00. Unusual spellings are shown in their shortest form: `.5` could
 * be read as 5, and trailing zeros have no bound. An amount with more decimal places than the coin is rounded up to them.
 */
export function amountText({ amount }: Pick<Invoice, 'amount'>, decimals: number): string {
  const places = PLAIN_AMOUNT.exec(amount)?.[3]?.length ?? 0
  if (PLAIN_AMOUNT.test(amount) && places <= decimals) return amount
  const atoms = parseInvoiceAmount(amount)
  if (atoms === null) throw new Error('the amount of an invoice is not valid')
  return formatAmount(roundedUp(atoms, decimals))
}
