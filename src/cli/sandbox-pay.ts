import { setTimeout as sleep } from 'node:timers/promises'
import type { InvoiceRecord } from '../listing/invoices.js'
import { type Api, checkService, onService, withApi } from './api.js'
import type { BillhookCommand, Given, ProcessIo } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { text } from './flags.js'
import { paymentText } from './invoice-text.js'
import { fieldLines, jsonLine } from './output.js'
import { isRefusal } from './refusal.js'

/** Only a running service has simulated networks. */
const ONLY_SERVED = true
/** A simulated deposit is confirmed after about a second. */
const LOOK_PAUSE_MS = 200

/** A deposit, as the API answers it. */
interface DepositRecord {
  readonly network: string
  readonly txHash: string
  readonly toAddress: string
  readonly amount: string
  readonly currency: string | null
  readonly kind: string
}

export function sandboxCommands(program: BillhookCommand): void {
  const sandbox = program.add('sandbox', 'Simulate what happens on the networks.')
  onService(sandbox.add('pay', 'Pay an invoice with a simulated deposit.'))
    .argument('<invoice>', 'The id of the invoice.')
    .option('--amount <amount>', 'The amount, in the currency of the invoice. Default: what is missing.')
    .option('--wait', 'Wait until nothing of the invoice is pending any more.')
    .explain(
      'Only a service with --sandbox has simulated networks. The deposit is pending at once, and confirmed about a second later.',
    )
    .runs(pay, checkService)
}

async function pay(given: Given): Promise<number> {
  const { args, options } = given
  const [invoiceId = ''] = args
  const work = async (api: Api, io: ProcessIo, stop: AbortSignal) => {
    const deposit = await deposited(api, { invoiceId, amount: text('amount', options) })
    const invoice = options['wait'] === true ? await settled(api, invoiceId, stop) : null
    const lines = fieldLines([
      ['Deposit', deposit.txHash],
      ['Network', deposit.network],
      ['To', deposit.toAddress],
      ['Amount', `${deposit.amount} ${deposit.currency ?? '#native'}, as the network shows it`],
      ['Invoice', invoice === null ? null : paymentText(invoice)],
    ])
    for (const line of options['json'] === true ? [jsonLine({ deposit, invoice })] : lines) io.out(line)
    return EXIT_SUCCESS
  }
  return await withApi(given, work, ONLY_SERVED)
}

async function deposited(api: Api, body: { invoiceId: string; amount: string | undefined }): Promise<DepositRecord> {
  try {
    return (await api.call({ tag: 'POST /sandbox/deposits', body })).body as DepositRecord
  } catch (error) {
    const isMissing = isRefusal(error) && error.code === 'not_found'
    throw isMissing ? new Error('the service has no sandbox: it runs without --sandbox') : error
  }
}

/** The invoice once nothing of it is pending. */
async function settled(api: Api, id: string, stop: AbortSignal): Promise<InvoiceRecord> {
  for (;;) {
    const invoice = (await api.call({ tag: 'GET /api/invoices/:id', params: { id } })).body as InvoiceRecord
    if (invoice.payment.pending === '0') return invoice
    await sleep(LOOK_PAUSE_MS, undefined, { signal: stop })
  }
}
