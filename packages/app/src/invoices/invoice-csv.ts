import type { InvoiceWithPayment } from '@billhook/client'
import { csvOf } from '../csv/csv-text.js'
import { stateOf } from './state.js'

const HEAD = ['id', 'name', 'orderNumber', 'reference', 'amount', 'currency', 'received', 'state', 'created', 'expires']

/** Invoices as CSV, with times as they are in UTC. */
export function invoicesAsCsv(invoices: readonly InvoiceWithPayment[]): string {
  const rows = invoices.map((invoice) => {
    const { id, name, orderNumber, reference, amount, currency, payment, created_at, expires_at } = invoice
    const times = [timeOf(created_at), timeOf(expires_at)]
    return [id, name, orderNumber, reference, amount, currency, payment.own, stateOf(invoice), ...times]
  })
  return csvOf([HEAD, ...rows])
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
