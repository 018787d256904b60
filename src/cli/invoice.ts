import { type InvoiceRecord, invoiceColumns, invoiceState } from '../listing/invoices.js'
import { onService } from './api.js'
import type { BillhookCommand, Given } from './billhook-command.js'
import { text } from './flags.js'
import { invoiceLines, paymentText } from './invoice-text.js'
import { endCommands, getCommand, listCommand, type Payable } from './payable.js'
import { checkCreation, create, creationFlags } from './payable-creation.js'
import { watchCommand } from './payable-watch.js'

const INVOICES: Payable<InvoiceRecord> = {
  noun: 'invoice',
  columns: invoiceColumns,
  pageSize: 500,
  query: { include: 'payment' },
  filters: ['status', 'currency', 'created-after', 'created-before', 'order-number'],
  paymentText,
  lines: invoiceLines,
  endOf: (invoice) => {
    const state = invoiceState(invoice)
    if (state === 'unpaid') return null
    return state === 'paid' ? 'paid' : 'not paid'
  },
}

export function invoiceCommands(program: BillhookCommand): void {
  const invoice = program.add('invoice', 'Create, read, accept, void and watch invoices.')
  createCommand(invoice)
  getCommand(invoice, INVOICES)
  listCommand(invoice, INVOICES)
    .option('--status <status>', 'Only invoices that are paid, or unpaid.')
    .option('--currency <currency>', 'Only invoices in USDT, or native.')
    .option('--created-after <ms>', 'Only invoices created after this time, Unix milliseconds.')
    .option('--created-before <ms>', 'Only invoices created before this time, Unix milliseconds.')
  endCommands(invoice, INVOICES)
  watchCommand(invoice, INVOICES)
}

function createCommand(invoice: BillhookCommand): void {
  const command = onService(invoice.add('create', 'Create an invoice.'))
    .option('--amount <amount>', 'The amount, a decimal number.')
    .option('--wallets <ids>', 'The wallets that it can be paid to, separated by commas.')
    .option('--currency <currency>', 'USDT or native. Default: native.')
  creationFlags(command, 'invoice').runs(createInvoice, checkCreation('invoice', ['amount', 'wallets']))
}

async function createInvoice(given: Given): Promise<number> {
  const { options } = given
  const body = {
    walletIds: text('wallets', options)?.split(','),
    amount: text('amount', options),
    currency: text('currency', options),
  }
  return await create(given, { noun: 'invoice', body, tell: () => [] })
}
