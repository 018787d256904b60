import { Argument, Option } from 'commander'
import { auditColumns } from '../listing/audit.js'
import type { Column } from '../listing/column.js'
import { deliveryColumns } from '../listing/deliveries.js'
import { depositColumns } from '../listing/deposits.js'
import { keyColumns } from '../listing/keys.js'
import { noteColumns } from '../listing/notes.js'
import { walletColumns, withdrawnColumns } from '../listing/wallets.js'
import { type Admin, decimalsOf, withAdmin } from './admin.js'
import type { BillhookCommand, Given, ProcessIo } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { jsonLine, onOneLine, printable } from './output.js'
import { csvWriter } from './record-csv.js'
import { TextTable } from './text-table.js'

const KINDS = [
  ...['invoices', 'orders', 'deposits', 'deliveries', 'keys', 'wallets', 'identities', 'events', 'notes', 'audit'],
  ...['withdrawn-wallets', 'set-aside-blocks', 'set-aside-deposits'],
] as const

type Item = Readonly<Record<string, unknown>>

/** `billhook export`, `billhook wallets list` and others: records of the store, for people and for programs. */
export function exportCommand(program: BillhookCommand): void {
  program
    .add('export', 'Write all records of a kind to standard output, as the API shows them.')
    .addArgument(new Argument('<kind>', 'What to write.').choices(KINDS))
    .onData()
    .option('--owner <id>', 'Only the records of this owner.')
    .addOption(
      new Option('--format <format>', 'A line of JSON for each record, or CSV.')
        .choices(['ndjson', 'csv'])
        .default('ndjson'),
    )
    .explain(
      'Events have their owner, too. A record events.removed stands for those of an owner that are older than BILLHOOK_EVENTS_DAYS. Webhook configurations with their secrets are not exported: only a backup has them. In CSV an apostrophe stands before whatever a spreadsheet would take for a formula, also behind a semicolon, a tab or blanks within a text, and control characters are written as in JSON, such as \\u001b; JSON has every text as it is.',
    )
    .runs((given) =>
      withAdmin(given, async (admin, io) => {
        const { owner, format } = given.options
        const [kind = ''] = given.args
        const write = format === 'csv' ? csvWriter(io, kind) : (item: Item) => io.print(`${jsonLine(item)}\n`)
        await read(admin, kind, { owner }, write, kind)
        return EXIT_SUCCESS
      }),
    )
}

/** The fields of a list that goes to another program, and the columns of one that people read on a terminal. */
const LISTS = {
  wallets: { fields: ['id', 'network', 'address', 'owner', 'assignedAt'], columns: () => walletColumns },
  'withdrawn-wallets': {
    fields: ['id', 'network', 'address', 'transaction', 'ledgerAt', 'withdrawnAt'],
    columns: () => withdrawnColumns,
  },
  deposits: {
    fields: ['network', 'txHash', 'index', 'toAddress', 'amount', 'currency', 'kind', 'receivedAt'],
    columns: async (admin: Admin) => depositColumns(await decimalsOf(admin)),
  },
  deliveries: {
    fields: [
      ...['id', 'owner', 'invoiceId', 'status', 'url', 'state', 'attempts', 'createdAt', 'attemptedAt'],
      ...['outcome', 'event'],
    ],
    columns: () => deliveryColumns,
  },
  audit: {
    fields: ['at', 'who', 'from', 'action', 'subject', 'outcome', 'detail', 'owner'],
    columns: () => auditColumns,
  },
  notes: {
    fields: ['at', 'invoiceId', 'who', 'text', 'id'],
    columns: () => noteColumns,
  },
  keys: {
    fields: ['id', 'owner', 'label', 'permissions', 'public_key', 'created_at', 'expires_at', 'revoked_at'],
    columns: () => keyColumns,
  },
} as const

/** The one field of a list that may have several lines. */
const WRITTEN = 'text'

/** `billhook audit list`. */
export function auditCommand(audit: BillhookCommand): void {
  const list = listCommand(audit, 'audit', 'List what operators did, newest first.')
  list
    .option('--since <time>', 'Only what was done at this time or later, such as 2026-11-26 or 2026-11-26T03:00:00Z.')
    .explain(
      'Shown are forms of the console, commands that change anything, imports and repairs: who did what on what, from where, and what came of it. An outcome that is unknown is that of something under way, or of a process that was killed meanwhile: a revocation, a redelivery or a voiding of which the outcome is unknown has not happened. Records are kept for 400 days.',
    )
}

/** `billhook wallets list`. */
export function walletsCommand(wallets: BillhookCommand): void {
  listCommand(wallets, 'wallets', 'List wallets, those without an owner included.', {
    flag: '--withdrawn',
    kind: 'withdrawn-wallets',
  })
    .option('--withdrawn', 'Only those that were withdrawn from the pool, because the ledger has given them away.')
    .explain(
      'A wallet is withdrawn when a transaction assigns it and the service does not believe to whom: its signature is not valid, it has another shape, or nobody can read it. It is never handed out; "billhook wallets put-back" puts it back.',
    )
}

/** Another kind of list that a flag asks for. */
interface OtherKind {
  readonly flag: `--${string}`
  readonly kind: keyof typeof LISTS
}

export function listCommand(
  parent: BillhookCommand,
  kind: keyof typeof LISTS,
  summary: string,
  other?: OtherKind,
): BillhookCommand {
  return parent
    .add('list', summary)
    .onData()
    .asJson()
    .option('--owner <id>', 'Only those of this owner.')
    .runs(
      (given) => {
        const isOther = other !== undefined && given.options[other.flag.slice(2)] === true
        return withAdmin(given, (admin, io) => list(given, isOther ? other.kind : kind, admin, io))
      },
      ({ options }, problems) => {
        const { since } = options
        if (since !== undefined && momentOf(since) === null) {
          problems.push(
            `--since must be a time such as 2026-11-26 or 2026-11-26T03:00:00Z, not ${JSON.stringify(since)}.`,
          )
        }
      },
    )
}

async function list(given: Given, kind: keyof typeof LISTS, admin: Admin, io: ProcessIo): Promise<number> {
  const { fields, columns } = LISTS[kind]
  const owner = given.options['owner']
  const { invoice } = given.options
  const since = momentOf(given.options['since'])
  const isJson = given.options['json'] === true
  if (io.isOutputTerminal && !isJson) {
    // The records of a kind have the shape that its columns read: the service shows them as the store has them.
    const table = new TextTable(Object.values<Column<never>>(await columns(admin)), io.print)
    await read(admin, kind, { owner, invoice, since, order: 'newest' }, (item) => table.add(item as never))
    await table.flush()
    return EXIT_SUCCESS
  }
  const line = (item: Item) => {
    const told = kind === 'deliveries' ? withOutcome(item) : item
    return fields.map((name) => shown(name, told[name])).join('\t')
  }
  if (!isJson) await io.print(`${fields.join('\t')}\n`)
  await read(admin, kind, { owner, invoice, since }, (item) => io.print(`${isJson ? jsonLine(item) : line(item)}\n`))
  return EXIT_SUCCESS
}

/** A delivery in the words that people have for how it went: the store knows only that no attempt is left. */
function withOutcome(item: Item): Item {
  // Records of this kind have the shape that the columns read, as in a table.
  const delivery = item as never
  const { state, outcome, told } = deliveryColumns
  const event = item['event'] === null ? null : told.of(delivery)
  return { ...item, state: state.of(delivery), outcome: outcome.of(delivery), event }
}

const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

/** The time that a text names, Unix ms; a day begins in UTC. Null if it names none. */
function momentOf(text: unknown): number | null {
  if (typeof text !== 'string' || !MOMENT.test(text)) return null
  const moment = Date.parse(text)
  return Number.isNaN(moment) ? null : moment
}

/** Which records of a kind to read. */
interface Asked {
  readonly owner: unknown
  readonly invoice?: unknown
  readonly since?: number | null
  readonly order?: 'newest'
}

async function read(
  admin: Admin,
  kind: string,
  { owner, invoice, order, since }: Asked,
  write: (item: Item) => Promise<void>,
  unit?: string,
): Promise<void> {
  const query = new URLSearchParams({
    ...(typeof owner === 'string' ? { owner } : {}),
    ...(typeof invoice === 'string' ? { invoice } : {}),
    ...(order === undefined ? {} : { order }),
    ...(since == null ? {} : { since: String(since) }),
  })
  await admin.work('GET', `/admin/records/${kind}?${query}`, {
    ...(unit === undefined ? {} : { unit }),
    onItem: (item) => write(item as Item),
  })
}

/** Text from others, such as a pushed hash, cannot send control characters to a terminal. */
function shown(name: string, value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (/^at$|At$|_at$/.test(name) && typeof value === 'number') return new Date(value).toISOString()
  return name === WRITTEN ? onOneLine(String(value)) : printable(String(value))
}
