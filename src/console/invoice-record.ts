import { withPayment } from '../http/routes/invoices.js'
import type { InvoiceRecord } from '../listing/invoices.js'
import type { InvoiceWithPayment } from '../store/reading.js'

/** An invoice as lists and pages show it. */
export function recordOf(found: InvoiceWithPayment): InvoiceRecord {
  return withPayment(found)
}
