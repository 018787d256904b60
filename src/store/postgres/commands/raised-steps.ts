import { RAISE_EXAMINED_MAX } from '../../../domain/order-price.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { RECEIVED } from '../payments/sums.js'
import { amountName } from './names.js'
import { isOpenNow, RIVAL, type Rival } from './rivals.js'

/*
 * Finds which of the amounts to which those of new orders may be raised are asked. An amount is raised to the first one that is free, so
 * the steps are read from the lowest on, until one is free whatever the batch asks.
 */

/** Steps that are read first, and how many times as many are read next where none is free. */
const READ_FIRST = 64
const READ_GROWTH = 4

/** An option whose amount may be raised, at one of its wallets. */
export interface RaisedPlace {
  /** Which one of its order. */
  readonly option: number
  readonly walletId: string
  readonly owner: string
  readonly currency: string
  /** Atoms: what it asks, by what it is raised, and the most that it may be raised to. */
  readonly amount: bigint
  readonly unit: bigint
  readonly highest: bigint
  readonly steps: number
  /** Creations of the batch that may come to ask one of these amounts here: those before it, and the other options of its order. */
  readonly others: number
}

interface StepColumns {
  /** Which place it is at. */
  readonly place: number
  readonly step: number
  readonly invoice_id: string
  readonly wallet_id: string
  readonly owner: string
  readonly currency: string
  readonly atoms: bigint
}

/** An order, and the invoices that were found in its way, step by step. */
interface Climb {
  readonly places: readonly RaisedPlace[]
  readonly found: StepColumns[]
}

/**
 * `amountName` of each amount that an invoice asks which may be unpaid, at the steps of the places of each order, up to one that is free
 * for certain.
 */
export async function amountsAsked(
  work: Work,
  orders: readonly (readonly RaisedPlace[])[],
): Promise<readonly string[]> {
  const climbs = orders.map((places): Climb => ({ places, found: [] }))
  let below = climbs
  for (let [from, to] = [1, READ_FIRST]; below.length > 0; [from, to] = [to + 1, to * READ_GROWTH]) {
    const reached = to
    await readSteps(work, below, from, reached)
    below = below.filter((climb) => mayGoFurther(climb, reached))
  }
  const examined = climbs.map(({ found }) => new Set(examinedOf(found)))
  const gone = await goneAmong(work, [...new Set(examined.flatMap((ids) => [...ids]))])
  return climbs.flatMap(({ found }, i) =>
    found
      .filter(({ invoice_id }) => !(gone.has(invoice_id) && examined[i]?.has(invoice_id)))
      .map(({ wallet_id, owner, currency, atoms }) => amountName(wallet_id, owner, currency, atoms)),
  )
}

/** Adds what is asked at some steps of orders to what was found for them, in one statement. */
async function readSteps(work: Work, climbs: readonly Climb[], from: number, to: number): Promise<void> {
  const all = climbs.flatMap((climb) => climb.places.map((place, no) => ({ climb, place, no })))
  const column = <T>(of: (place: RaisedPlace) => T) => all.map(({ place }) => of(place))
  const rows = await work.rows<StepColumns>(sql`
    SELECT asked.place, step, p.invoice_id, p.wallet_id, p.owner, p.currency, p.atoms
    FROM unnest(
      ${all.map((_, i) => i)}::bigint[], ${column(({ walletId }) => walletId)}::text[], ${column(({ owner }) => owner)}::text[],
      ${column(({ currency }) => currency)}::text[], ${column(({ amount }) => amount)}::numeric[],
      ${column(({ unit }) => unit)}::numeric[], ${column((place) => Math.min(to, stepsOf(place)))}::bigint[]
    ) AS asked (place, wallet_id, owner, currency, atoms, unit, steps)
    CROSS JOIN LATERAL generate_series(${from}::bigint, asked.steps) AS step
    JOIN open_places AS p ON p.wallet_id = asked.wallet_id AND p.owner = asked.owner AND p.currency = asked.currency
      AND p.atoms = asked.atoms + step * asked.unit
    ORDER BY step, p.invoice_id`)
  for (const row of rows) {
    const { climb, no } = all[row.place] ?? { climb: undefined, no: 0 }
    climb?.found.push({ ...row, place: no })
  }
}

/** Whether an option may have to be raised beyond the steps that were read: so many are asked, and may be by the batch. */
function mayGoFurther({ places, found }: Climb, reached: number): boolean {
  const asked = new Map<number, Set<number>>()
  for (const { place, step } of found) {
    const option = places[place]?.option ?? 0
    const steps = asked.get(option)
    if (steps === undefined) asked.set(option, new Set([step]))
    else steps.add(step)
  }
  const others = new Map<number, number>()
  for (const place of places) {
    if (stepsOf(place) > reached) others.set(place.option, (others.get(place.option) ?? 0) + place.others)
  }
  return [...others].some(([option, sum]) => (asked.get(option)?.size ?? 0) + sum >= reached)
}

/** The steps to which an amount may be raised. */
function stepsOf({ amount, unit, highest, steps }: RaisedPlace): number {
  return Math.min(steps, Number((highest - amount) / unit))
}

/** The invoices in the way of an order of which it is found out whether they are unpaid. */
function examinedOf(found: readonly StepColumns[]): readonly string[] {
  return [...new Set(found.map(({ invoice_id }) => invoice_id))].slice(0, RAISE_EXAMINED_MAX)
}

/** Those of some open invoices that are paid or void by now. */
async function goneAmong(work: Work, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await work.rows<Rival>(sql`
    SELECT i.atoms, ${RIVAL} FROM unnest(${ids}::uuid[]) AS p (invoice_id) JOIN invoices AS i ON i.id = p.invoice_id ${RECEIVED}`)
  return new Set(rows.filter((row) => !isOpenNow(row, work.nowMs)).map(({ invoice_id }) => invoice_id))
}
