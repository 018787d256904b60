import { parseInvoiceAmount } from '../../../domain/amount.js'
import { flawForDeposits, flawOfOrder } from '../../../domain/invoice-flaw.js'
import { isNoteText } from '../../../domain/note.js'
import { metadataOfText } from '../../../domain/order-fields.js'
import { isAbsoluteHttpUrl } from '../../../domain/text.js'
import { RATES_DAMAGED, rateTableOf } from '../../rate-text.js'
import type { Violation } from '../../upkeep.js'
import { type Fragment, sql } from '../connection/sql.js'
import { type InvoiceColumns, STORED_COLUMNS, setIdOf, toInvoice } from '../invoices/invoice-rows.js'
import { ORDER_COLUMNS, type OrderColumns } from '../invoices/order-columns.js'
import type { Snapshot } from '../moving/snapshot.js'
import { type NetworkColumns, tokensOf } from '../networks.js'
import { laneOf } from '../outbox/new-deliveries.js'
import { rowsOf } from './rule.js'
import { checkOrders } from './trade-rules.js'

/** What only this program can tell of a row: each row is read. */
interface ReadRule<Columns> {
  readonly table: string
  readonly select: Fragment
  nameOf(columns: Columns): string
  /** What is wrong with the row; null when it is right. */
  flaw(columns: Columns): string | null
}

const nameOf = ({ id }: { readonly id: string }) => id

const amounts: ReadRule<{ readonly id: string; readonly amount: string; readonly atoms: bigint }> = {
  table: 'invoices',
  select: sql`SELECT id, amount, atoms FROM invoices`,
  nameOf,
  flaw: ({ amount, atoms }) => (parseInvoiceAmount(amount) === atoms ? null : 'its amount is not that in atoms'),
}

const payable: ReadRule<InvoiceColumns> = {
  table: 'invoices',
  select: sql`SELECT ${STORED_COLUMNS} FROM invoices AS i WHERE i.voided_at IS NULL`,
  nameOf,
  flaw: (columns) => {
    const flaw = flawForDeposits(toInvoice(columns))
    return flaw === null ? null : `a deposit would trip over it: ${flaw}`
  },
}

const orders: ReadRule<OrderColumns & { readonly id: string }> = {
  table: 'invoices',
  select: sql`
    SELECT i.id, ${ORDER_COLUMNS} FROM invoices AS i
    WHERE i.return_url IS NOT NULL OR i.order_number IS NOT NULL OR i.metadata IS NOT NULL`,
  nameOf,
  flaw: ({ return_url: returnUrl, order_number: orderNumber, metadata }) =>
    metadata !== null && metadataOfText(metadata) === undefined
      ? 'its metadata is none'
      : flawOfOrder({ returnUrl, orderNumber }),
}

const notes: ReadRule<{ readonly id: string; readonly content: string }> = {
  table: 'notes',
  select: sql`SELECT id, content FROM notes`,
  nameOf,
  flaw: ({ content }) => (isNoteText(content) ? null : 'its text is none'),
}

const networks: ReadRule<Pick<NetworkColumns, 'id' | 'token_symbol' | 'decimals' | 'tokens'>> = {
  table: 'networks',
  select: sql`SELECT id, token_symbol, decimals, tokens FROM networks`,
  nameOf,
  flaw: (columns) => (tokensOf(columns) === null ? 'its tokens are none' : null),
}

interface PlacedColumns {
  readonly id: string
  readonly wallet_ids: readonly string[]
  /** Hex, each once. */
  readonly set_ids: readonly string[] | null
}

const sets: ReadRule<PlacedColumns> = {
  table: 'open_places',
  select: sql`
    SELECT i.id, i.wallet_ids, p.set_ids FROM invoices AS i JOIN (
      SELECT invoice_id, array_agg(DISTINCT encode(set_id, 'hex')) AS set_ids FROM open_places GROUP BY invoice_id
    ) AS p ON p.invoice_id = i.id`,
  nameOf,
  flaw: ({ wallet_ids, set_ids }) =>
    set_ids?.join() === setIdOf(wallet_ids).toString('hex') ? null : 'it is of another set of wallets than its invoice',
}

const lanes: ReadRule<{ readonly id: string; readonly owner: string; readonly url: string; readonly lane: string }> = {
  table: 'deliveries',
  select: sql`SELECT id, owner, url, lane FROM deliveries`,
  nameOf,
  flaw: ({ owner, url, lane }) =>
    laneOf(owner, url) === lane ? null : 'its lane is not that of its owner and receiver',
}

const webhooks: ReadRule<{ readonly owner: string; readonly callback_url: string }> = {
  table: 'webhooks',
  select: sql`SELECT owner, callback_url FROM webhooks WHERE callback_url IS NOT NULL`,
  nameOf: ({ owner }) => owner,
  flaw: ({ callback_url }) => (isAbsoluteHttpUrl(callback_url) ? null : 'no webhook can be sent to its URL'),
}

interface EventColumns {
  readonly owner: string
  readonly number: bigint
  readonly data: string
}

interface NamedDeposit {
  readonly network: string
  readonly txHash: string
  readonly index: number
}

const rates: ReadRule<{ readonly content: string }> = {
  table: 'rates',
  select: sql`SELECT content FROM rates`,
  nameOf: () => 'rates',
  flaw: ({ content }) => (rateTableOf(content) === null ? RATES_DAMAGED : null),
}

/** A check of one table, which has rows. */
interface TableCheck {
  readonly table: string
  readonly check: (snapshot: Snapshot) => AsyncGenerator<Violation>
}

const CHECKS: readonly TableCheck[] = [
  byEach(amounts),
  byEach(payable),
  byEach(orders),
  byEach(notes),
  byEach(networks),
  byEach(rates),
  byEach(webhooks),
  byEach(sets),
  byEach(lanes),
  { table: 'owner_events', check: checkEventsOfDeposits },
  { table: 'orders', check: checkOrders },
]

export async function* checkRead(snapshot: Snapshot): AsyncGenerator<Violation> {
  const filled = await snapshot.counts(CHECKS.map(({ table }) => sql`${rowsOf(table)} LIMIT 1`))
  for (const { check } of CHECKS.filter((_, place) => filled[place] !== 0)) yield* check(snapshot)
}

function byEach<Columns>(rule: ReadRule<Columns>): TableCheck {
  return { table: rule.table, check: (snapshot) => checkEach(snapshot, rule) }
}

async function* checkEach<Columns>(
  snapshot: Snapshot,
  { table, select, nameOf, flaw }: ReadRule<Columns>,
): AsyncGenerator<Violation> {
  for await (const rows of snapshot.batches<Columns>(select)) {
    for (const columns of rows) {
      const what = flaw(columns)
      if (what !== null) yield { table, row: nameOf(columns), what }
    }
  }
}

/** What an event of a deposit names is there: a deposit is never removed. */
async function* checkEventsOfDeposits(snapshot: Snapshot): AsyncGenerator<Violation> {
  const select = sql`SELECT owner, number::numeric, data FROM owner_events WHERE type LIKE 'deposit.%' AND data IS NOT NULL`
  for await (const rows of snapshot.batches<EventColumns>(select)) {
    const named = rows.map((row) => ({ row, deposit: readDeposit(row.data) }))
    const readable = named.flatMap(({ row, deposit }) => (deposit === null ? [] : [{ row, deposit }]))
    const missing = await snapshot.all<{ place: number }>(sql`
      SELECT m.place FROM unnest(
        ${readable.map(({ deposit }) => deposit.network)}::text[], ${readable.map(({ deposit }) => deposit.txHash)}::text[],
        ${readable.map(({ deposit }) => deposit.index)}::bigint[]
      ) WITH ORDINALITY AS m (network, tx_hash, index, place)
      LEFT JOIN deposits AS d ON d.network = m.network AND d.tx_hash = m.tx_hash AND d.index = m.index WHERE d.network IS NULL`)
    const wrong = named.filter(({ deposit }) => deposit === null).map(({ row }) => row)
    for (const { place } of missing) {
      const one = readable[place - 1]
      if (one !== undefined) wrong.push(one.row)
    }
    for (const { owner, number } of wrong) {
      const id = number.toString(16).padStart(16, '0')
      yield { table: 'owner_events', row: `${owner} ${id}`, what: 'deposits does not have its deposit' }
    }
  }
}

function readDeposit(data: string): NamedDeposit | null {
  try {
    const { network, txHash, index }: Partial<Record<keyof NamedDeposit, unknown>> = JSON.parse(data)
    const isRead = typeof network === 'string' && typeof txHash === 'string' && Number.isSafeInteger(index)
    return isRead ? { network, txHash, index: index as number } : null
  } catch {
    return null
  }
}
