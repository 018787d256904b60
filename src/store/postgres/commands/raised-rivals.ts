import { smallestUnit } from '../../../domain/amount.js'
import { RAISE_EXAMINED_MAX, raiseSteps } from '../../../domain/order-price.js'
import type { InvoiceCommand, OrderCommand } from '../../commands.js'
import { optionRequests, raisedWallets } from '../../rules/create-order.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { RECEIVED } from '../payments/sums.js'
import { amountName, walletName } from './names.js'
import { isOpenNow, RIVAL, type Rival } from './rivals.js'

/*
 * The open invoices that stand in the way of the amounts to which those of new orders may be raised. They are read only for orders that
 * meet one at the amount itself, or others of their own batch.
 */

/** An option whose amount may be raised, at one of its wallets. */
interface RaisedPlace {
  readonly walletId: string
  readonly owner: string
  readonly currency: string
  /** Atoms: what it asks, by what it is raised, and the most that it may be raised to. */
  readonly amount: bigint
  readonly unit: bigint
  readonly highest: bigint
  readonly steps: number
}

interface RaisedColumns {
  readonly invoice_id: string
  readonly wallet_id: string
  readonly owner: string
  readonly currency: string
  readonly atoms: bigint
}

type Batch = readonly (InvoiceCommand | OrderCommand)[]

/**
 * `amountName` of each amount that an invoice asks which may be unpaid, of those to which the orders of a batch may raise theirs.
 * `amounts`: those that unpaid invoices ask, likewise.
 */
export async function raisedAmountsAsked(
  work: Work,
  batch: Batch,
  amounts: ReadonlySet<string>,
): Promise<readonly string[]> {
  const orders = batch.map(raisedPlaces).filter((places) => places.length > 0)
  if (orders.length === 0) return []
  const crowded = crowdedWallets(batch)
  const isMet = ({ walletId, owner, currency, amount }: RaisedPlace) =>
    crowded.has(walletName(walletId, owner, currency)) || amounts.has(amountName(walletId, owner, currency, amount))
  const asked = await Promise.all(orders.filter((places) => places.some(isMet)).map((places) => askedAt(work, places)))
  return asked.flat()
}

/** `walletName` of each wallet on which a batch has more than one invoice of a currency. */
function crowdedWallets(batch: Batch): ReadonlySet<string> {
  const once = new Set<string>()
  const more = new Set<string>()
  for (const command of batch) {
    const requests =
      command.type === 'invoice' ? [command.request] : optionRequests(NO_ID, command).map(({ request }) => request)
    for (const { owner, currency, walletIds } of requests) {
      for (const id of walletIds) {
        const name = walletName(id, owner, currency)
        if (once.has(name)) more.add(name)
        once.add(name)
      }
    }
  }
  return more
}

/** Stands for the id of a new order, which only names the references of its invoices. */
const NO_ID = '0'.repeat(32)

function raisedPlaces(command: InvoiceCommand | OrderCommand): readonly RaisedPlace[] {
  if (command.type === 'invoice') return []
  const priced = optionRequests(NO_ID, command).flatMap(({ request, quote }) =>
    quote.ok ? [{ request, quote: quote.value }] : [],
  )
  const steps = raiseSteps(raisedWallets(priced))
  return priced
    .filter(({ quote }) => !quote.isFixed)
    .flatMap(({ request: { owner, currency, walletIds }, quote: { amount, highest, decimals } }) => {
      const unit = smallestUnit(decimals)
      return walletIds.map((walletId) => ({ walletId, owner, currency, amount, unit, highest, steps }))
    })
}

/** The amounts that are asked on the wallets of an order, at every step, in one statement. */
async function askedAt(work: Work, places: readonly RaisedPlace[]): Promise<readonly string[]> {
  const column = <T>(of: (place: RaisedPlace) => T) => places.map(of)
  const rows = await work.rows<RaisedColumns>(sql`
    SELECT p.invoice_id, p.wallet_id, p.owner, p.currency, p.atoms
    FROM unnest(
      ${column(({ walletId }) => walletId)}::text[], ${column(({ owner }) => owner)}::text[], ${column(({ currency }) => currency)}::text[],
      ${column(({ amount }) => amount)}::numeric[], ${column(({ unit }) => unit)}::numeric[], ${column(({ highest }) => highest)}::numeric[],
      ${column(({ steps }) => steps)}::bigint[]
    ) AS asked (wallet_id, owner, currency, atoms, unit, highest, steps)
    CROSS JOIN LATERAL generate_series(1, asked.steps) AS step
    JOIN open_places AS p ON p.wallet_id = asked.wallet_id AND p.owner = asked.owner AND p.currency = asked.currency
      AND p.atoms = asked.atoms + step * asked.unit AND p.atoms <= asked.highest
    ORDER BY step, p.invoice_id`)
  const gone = await goneAmong(
    work,
    [...new Set(rows.map(({ invoice_id }) => invoice_id))].slice(0, RAISE_EXAMINED_MAX),
  )
  return rows
    .filter(({ invoice_id }) => !gone.has(invoice_id))
    .map(({ wallet_id, owner, currency, atoms }) => amountName(wallet_id, owner, currency, atoms))
}

/** Those of some open invoices that are paid or void by now. */
async function goneAmong(work: Work, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await work.rows<Rival>(sql`
    SELECT i.atoms, ${RIVAL} FROM unnest(${ids}::uuid[]) AS p (invoice_id) JOIN invoices AS i ON i.id = p.invoice_id ${RECEIVED}`)
  return new Set(rows.filter((row) => !isOpenNow(row, work.nowMs)).map(({ invoice_id }) => invoice_id))
}
