import { type InvoiceRecord, invoiceColumns } from '../listing/invoices.js'
import { type Api, checkList, checkOwner, checkService, isSigning, onService, withApi } from './api.js'
import type { BillhookCommand, Given, ProcessIo } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { checkPairs, checkWholeNumber, collected, needFlags, pairs, text, wholeNumber } from './flags.js'
import { invoiceLines } from './invoice-text.js'
import { invoiceWatchCommand } from './invoice-watch.js'
import { listOutput, printList } from './list-output.js'
import { fieldLines, jsonLine } from './output.js'

/** As the service takes it (decisions 4). */
const EXPIRES_IN = [60, 31_536_000] as const
/** Records in one request of a list. */
const PAGE_SIZE = 500

export function invoiceCommands(program: BillhookCommand): void {
  const invoice = program.add('invoice', 'Create, read, accept, void and watch invoices.')
  createCommand(invoice)
  onService(invoice.add('get', 'Show an invoice and what was paid.'))
    .argument('<invoice>', 'The id of the invoice.')
    .runs(get, checkService)
  listCommand(invoice)
  onService(invoice.add('accept', 'Take what has come to an invoice as enough.'))
    .argument('<invoice>', 'The id of the invoice.')
    .runs((given) => end(given, 'POST /api/invoices/:id/accept'), checkService)
  onService(invoice.add('void', 'End an invoice that should no longer be paid.'))
    .argument('<invoice>', 'The id of the invoice.')
    .runs((given) => end(given, 'POST /api/invoices/:id/void'), checkService)
  invoiceWatchCommand(invoice)
}

function createCommand(invoice: BillhookCommand): void {
  onService(invoice.add('create', 'Create an invoice.'))
    .option('--amount <amount>', 'The amount, a decimal number.')
    .option('--wallets <ids>', 'The wallets that it can be paid to, separated by commas.')
    .option('--name <text>', 'What the payer reads.')
    .option('--currency <currency>', 'USDT or native. Default: native.')
    .option('--description <text>', 'More for the payer to read.')
    .option('--reference <text>', 'Your own id, which nobody should guess. Webhooks need one.')
    .option('--expires-in <seconds>', 'The time after which the invoice can no longer be paid.')
    .option('--order-number <text>', 'What people call the order. It need not be unique.')
    .option('--return-url <url>', 'Where the payment page leads back to.')
    .option(
      '--metadata <key=value>',
      'A text of your own, which payers never see. May be given up to 20 times.',
      collected,
    )
    .option('--callback-url <url>', 'Where its webhooks go, instead of to the default of the identity.')
    .option('--idempotency-key <text>', 'Makes a repetition answer with the same invoice.')
    .explain(
      'A signed request acts for the owner of its key; without a key the owner is that of --owner. If no answer came, give the same command again with the same --reference or --idempotency-key: nothing is created twice.',
    )
    .runs(create, (given, problems) => {
      const { options } = given
      needFlags('invoice create', ['amount', 'wallets', 'name'], options, problems)
      checkWholeNumber('expires-in', EXPIRES_IN, options, problems)
      checkPairs('metadata', options, problems)
      checkService(given, problems)
      if (!isSigning(given)) checkOwner(given, problems)
    })
}

async function create(given: Given): Promise<number> {
  const { options, settings } = given
  const expiresIn = text('expires-in', options)
  const idempotencyKey = text('idempotency-key', options)
  return await withApi(given, async (api, io) => {
    const { body } = await api.call({
      tag: 'POST /api/invoices',
      idempotencyKey,
      body: {
        ...(api.isSigned ? {} : { owner: settings.owner }),
        walletIds: text('wallets', options)?.split(','),
        name: text('name', options),
        amount: text('amount', options),
        currency: text('currency', options),
        description: text('description', options),
        reference: text('reference', options),
        callbackUrl: text('callback-url', options),
        returnUrl: text('return-url', options),
        orderNumber: text('order-number', options),
        metadata: pairs('metadata', options),
        ...(expiresIn === undefined ? {} : { expiresInSeconds: Number(expiresIn) }),
      },
    })
    const { id, url } = body as { id: string; url: string }
    if (options['json'] === true) io.out(jsonLine(body))
    else {
      const lines = [
        ['Invoice', id],
        ['Page', `${await api.pages()}${url}`],
      ] as const
      for (const line of fieldLines(lines)) io.out(line)
    }
    return EXIT_SUCCESS
  })
}

async function get(given: Given): Promise<number> {
  const [id = ''] = given.args
  return await withApi(given, async (api, io) => {
    await show(given, api, await readInvoice(api, id), io)
    return EXIT_SUCCESS
  })
}

/** Ends an invoice one way or the other, and shows it. */
async function end(
  given: Given,
  tag: 'POST /api/invoices/:id/accept' | 'POST /api/invoices/:id/void',
): Promise<number> {
  const [id = ''] = given.args
  return await withApi(given, async (api, io) => {
    // Without a signature the command acts for the owner that is named, or for the invoice's own.
    const owner = api.isSigned ? undefined : (given.settings.owner ?? (await readInvoice(api, id)).owner)
    const { body } = await api.call({
      tag,
      params: { id },
      ...(owner === undefined ? {} : { body: { owner } }),
    })
    await show(given, api, body as InvoiceRecord, io)
    return EXIT_SUCCESS
  })
}

async function readInvoice(api: Api, id: string): Promise<InvoiceRecord> {
  return (await api.call({ tag: 'GET /api/invoices/:id', params: { id } })).body as InvoiceRecord
}

async function show({ options }: Given, api: Api, invoice: InvoiceRecord, io: ProcessIo): Promise<void> {
  if (options['json'] === true) io.out(jsonLine(invoice))
  else for (const line of invoiceLines(invoice, await api.pages())) io.out(line)
}

function listCommand(invoice: BillhookCommand): void {
  onService(invoice.add('list', 'List the invoices of an identity, newest first.'))
    .option('--limit <number>', 'How many at most. Default: all.')
    .option('--reference <text>', 'Only the invoice with this reference.')
    .option('--order-number <text>', 'Only invoices with exactly this order number.')
    .option('--status <status>', 'Only invoices that are paid, or unpaid.')
    .option('--currency <currency>', 'Only invoices in USDT, or native.')
    .option('--created-after <ms>', 'Only invoices created after this time, Unix milliseconds.')
    .option('--created-before <ms>', 'Only invoices created before this time, Unix milliseconds.')
    .runs(list, checkList)
}

async function list(given: Given): Promise<number> {
  const { options, settings } = given
  return await withApi(given, async (api, io) => {
    const output = listOutput<InvoiceRecord>(io, options['json'] === true, invoiceColumns)
    const read = (after: string | null, left: number) =>
      api.call({
        tag: 'GET /api/users/:id/invoices',
        params: { id: settings.owner ?? '' },
        query: { ...filterQuery(options), ...pageQuery(text('reference', options), Math.min(left, PAGE_SIZE), after) },
      })
    await printList(output, read, wholeNumber('limit', Number.POSITIVE_INFINITY, options))
    return EXIT_SUCCESS
  })
}

/** The flags that choose among invoices, as the service takes them; it refuses what it does not know. */
function filterQuery(options: Given['options']): Record<string, string> {
  const wanted = {
    status: text('status', options),
    currency: text('currency', options),
    createdAfter: text('created-after', options),
    createdBefore: text('created-before', options),
    orderNumber: text('order-number', options),
  }
  return Object.fromEntries(Object.entries(wanted).filter((one): one is [string, string] => one[1] !== undefined))
}

function pageQuery(reference: string | undefined, limit: number, cursor: string | null): Record<string, string> {
  if (reference !== undefined) return { include: 'payment', reference }
  return { include: 'payment', limit: String(limit), ...(cursor === null ? {} : { cursor }) }
}
