import type { OrderFields } from '../domain/order-fields.js'
import type { Columns } from '../listing/column.js'
import { type Api, checkList, checkService, onService, withApi } from './api.js'
import type { BillhookCommand, Given, ProcessIo } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { queryOf, text, wholeNumber } from './flags.js'
import { listOutput, printList } from './list-output.js'
import { jsonLine } from './output.js'

/** What the records of invoices and of orders have in common. Times are Unix milliseconds. */
export interface PayableRecord extends OrderFields {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly description: string | null
  readonly reference: string | null
  readonly created_at: number
  readonly voided_at: number | null
  readonly accepted_at: number | null
  readonly expires_at: number | null
}

/** What a payer can pay, an invoice or an order, as the commands know it that both have. */
export interface Payable<Item extends PayableRecord> {
  /** As endpoints and people call it. */
  readonly noun: PayableNoun
  readonly columns: Columns<Item>
  /** Records in one request of a list. */
  readonly pageSize: number
  /** Parameters that every request of a list has. */
  readonly query: Readonly<Record<string, string>>
  /** Flags of a list that choose among the records. Their names in camel case are parameters. */
  readonly filters: readonly string[]
  /** What has come for it, in words on one line. */
  readonly paymentText: (item: Item) => string
  /** In lines for people; `pages` is where its page is. */
  readonly lines: (item: Item, pages: string) => string[]
  /** How it ended; null while it can be paid. */
  readonly endOf: (item: Item) => 'paid' | 'not paid' | null
}

export type PayableNoun = 'invoice' | 'order'

export function getCommand<Item extends PayableRecord>(parent: BillhookCommand, payable: Payable<Item>): void {
  const { noun } = payable
  onService(parent.add('get', `Show an ${noun} and what was paid.`))
    .argument(`<${noun}>`, `The id of the ${noun}.`)
    .runs((given) => get(given, payable), checkService)
}

export function endCommands<Item extends PayableRecord>(parent: BillhookCommand, payable: Payable<Item>): void {
  const { noun } = payable
  onService(parent.add('accept', `Take what has come for an ${noun} as enough.`))
    .argument(`<${noun}>`, `The id of the ${noun}.`)
    .runs((given) => end(given, payable, 'accept'), checkService)
  onService(parent.add('void', `End an ${noun} that should no longer be paid.`))
    .argument(`<${noun}>`, `The id of the ${noun}.`)
    .runs((given) => end(given, payable, 'void'), checkService)
}

/** Adds the list. The flags that only one kind has are the caller's to add. */
export function listCommand<Item extends PayableRecord>(
  parent: BillhookCommand,
  payable: Payable<Item>,
): BillhookCommand {
  const { noun } = payable
  return onService(parent.add('list', `List the ${noun}s of an identity, newest first.`))
    .option('--limit <number>', 'How many at most. Default: all.')
    .option('--reference <text>', `Only the ${noun} with this reference.`)
    .option('--order-number <text>', `Only ${noun}s with exactly this order number.`)
    .runs((given) => list(given, payable), checkList)
}

async function get<Item extends PayableRecord>(given: Given, payable: Payable<Item>): Promise<number> {
  const [id = ''] = given.args
  return await withApi(given, async (api, io) => {
    await show(given, payable, api, await readPayable(api, payable, id), io)
    return EXIT_SUCCESS
  })
}

/** Ends it one way or the other, and shows it. */
async function end<Item extends PayableRecord>(
  given: Given,
  payable: Payable<Item>,
  how: 'accept' | 'void',
): Promise<number> {
  const [id = ''] = given.args
  return await withApi(given, async (api, io) => {
    // Without a signature the command acts for the owner that is named, or for its own one.
    const owner = api.isSigned ? undefined : (given.settings.owner ?? (await readPayable(api, payable, id)).owner)
    const { body } = await api.call({
      tag: `POST /api/${payable.noun}s/:id/${how}`,
      params: { id },
      ...(owner === undefined ? {} : { body: { owner } }),
    })
    await show(given, payable, api, body as Item, io)
    return EXIT_SUCCESS
  })
}

export async function readPayable<Item extends PayableRecord>(
  api: Api,
  { noun }: Payable<Item>,
  id: string,
): Promise<Item> {
  return (await api.call({ tag: `GET /api/${noun}s/:id`, params: { id } })).body as Item
}

async function show<Item extends PayableRecord>(
  { options }: Given,
  { lines }: Payable<Item>,
  api: Api,
  item: Item,
  io: ProcessIo,
): Promise<void> {
  if (options['json'] === true) io.out(jsonLine(item))
  else for (const line of lines(item, await api.pages())) io.out(line)
}

async function list<Item extends PayableRecord>(given: Given, payable: Payable<Item>): Promise<number> {
  const { options, settings } = given
  const { noun, columns, filters, pageSize, query } = payable
  // A reference is unique: what it leads to is no list of pages.
  const reference = text('reference', options)
  const pageQuery = (limit: number, cursor: string | null): Readonly<Record<string, string>> =>
    reference === undefined ? { limit: String(limit), ...(cursor === null ? {} : { cursor }) } : { reference }
  return await withApi(given, async (api, io) => {
    const output = listOutput<Item>(io, options['json'] === true, columns)
    const read = (after: string | null, left: number) =>
      api.call({
        tag: `GET /api/users/:id/${noun}s`,
        params: { id: settings.owner ?? '' },
        // The service refuses what it does not know.
        query: { ...queryOf(filters, options), ...query, ...pageQuery(Math.min(left, pageSize), after) },
      })
    await printList(output, read, wholeNumber('limit', Number.POSITIVE_INFINITY, options))
    return EXIT_SUCCESS
  })
}
