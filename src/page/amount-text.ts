import { formatAmount, parseInvoiceAmount } from '../domain/amount.js'
import type { Invoice } from '../domain/invoice.js'

/** An amount as people write it: no leading zeros, a digit before the point, and a bounded number after it. */
const PLAIN_AMOUNT = /^(0|[1-9][0-9]*)(\.[0-9]{1,18})?$/

/**
 * The amount as the merchant wrote it, so that 25.00 stays 25.00. Unusual spellings are shown in their shortest form:
 * `.5` could be read as 5, and trailing zeros have no bound.
 */
export function amountText(invoice: Pick<Invoice, 'amount'>): string {
  if (PLAIN_AMOUNT.test(invoice.amount)) return invoice.amount
  const atoms = parseInvoiceAmount(invoice.amount)
  if (atoms === null) throw new Error('the amount of an invoice is not valid')
  return formatAmount(atoms)
}
