import { smallestUnit } from '../../../domain/amount.js'
import type { InvoiceRequest } from '../../../domain/invoice.js'
import { type Quote, RAISE_EXAMINED_MAX, raiseSteps } from '../../../domain/order-price.js'
import type { InvoiceCommand, OrderCommand } from '../../commands.js'
import { mayBeRaised, optionRequests, raisedWallets } from '../../rules/create-order.js'
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

/** What an invoice may ask for which a batch was made: its amount, or up to the most to which that may be raised. */
interface Span {
  readonly lowest: bigint
  readonly highest: bigint
}

/** The invoices that a creation asks for. */
export type Wanted = readonly (readonly [InvoiceRequest, Quote | null])[]

/** The reference of an order without one is nobody else's, so that any id stands for its own. */
const NO_ID = '0'.repeat(32)

export function wantedBy(command: InvoiceCommand | OrderCommand): Wanted {
  if (command.type === 'invoice') return [[command.request, null]]
  return optionRequests(NO_ID, command).map(({ request, quote }) => [request, quote.ok ? quote.value : null])
}

/**
 * `amountName` of each amount that an invoice asks which may be unpaid, of those to which the creations of a batch may raise theirs.
 * `amounts`: those that unpaid invoices ask, likewise.
 */
export async function raisedAmountsAsked(
  work: Work,
  batch: readonly Wanted[],
  amounts: ReadonlySet<string>,
): Promise<readonly string[]> {
  const orders = placesToRaise(batch, amounts)
  const asked = await Promise.all(orders.map((places) => askedAt(work, places)))
  return asked.flat()
}

/**
 * Of each order that may have to raise amounts, the places of those. An amount is raised only where it is asked: by an unpaid invoice, or
 * by a creation before it in the batch. Such a one asks just its amount, unless that may have to be raised itself.
 */
export function placesToRaise(
  batch: readonly Wanted[],
  amounts: ReadonlySet<string>,
): readonly (readonly RaisedPlace[])[] {
  if (!batch.some((wanted) => wanted.some(([, quote]) => mayBeRaised(quote)))) return []
  const before = new Map<string, Span[]>()
  return batch.map((wanted) => placesOf(wanted, amounts, before)).filter((places) => places.length > 0)
}

/** The same of one creation, which is entered into what is `before` the next one: the spans of each `walletName`. */
function placesOf(wanted: Wanted, amounts: ReadonlySet<string>, before: Map<string, Span[]>): readonly RaisedPlace[] {
  const isAsked = ({ owner, currency, amount }: InvoiceRequest, walletId: string) =>
    amounts.has(amountName(walletId, owner, currency, amount)) ||
    before
      .get(walletName(walletId, owner, currency))
      ?.some(({ lowest, highest }) => lowest <= amount && amount <= highest) === true
  const steps = raiseSteps(raisedWallets(wanted))
  const spans: (readonly [string, Span])[] = []
  const places = wanted.flatMap(([request, quote]) => {
    const { owner, currency, amount, walletIds } = request
    const toRaise = mayBeRaised(quote) && walletIds.some((id) => isAsked(request, id)) ? quote : null
    const span = { lowest: amount, highest: toRaise?.highest ?? amount }
    for (const id of walletIds) spans.push([walletName(id, owner, currency), span])
    if (toRaise === null) return []
    const { highest, decimals } = toRaise
    const unit = smallestUnit(decimals)
    return walletIds.map((walletId) => ({ walletId, owner, currency, amount, unit, highest, steps }))
  })
  for (const [name, span] of spans) {
    const known = before.get(name)
    if (known === undefined) before.set(name, [span])
    else known.push(span)
  }
  return places
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
