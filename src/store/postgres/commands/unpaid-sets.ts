import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { RECEIVED } from '../payments/sums.js'
import { placeName } from './names.js'
import { type CrowdedColumns, isOpenNow, RIVAL, type Rival } from './rivals.js'

/** Open invoices of a set that are read at first: nearly every one is unpaid. */
const READ_FIRST = 1
/** How many times as many are read next where all were paid, and how many at most. */
const READ_GROWTH = 8
const READ_MAX = 64

/** A set that has open invoices, of which those up to `behind` were read and are not unpaid. */
interface Walk {
  /** Those of the places that are its, by `placeName`. */
  readonly places: readonly string[]
  /** One of these places: each has all invoices of the set. */
  readonly at: CrowdedColumns
  readonly setId: Buffer
  readonly behind: WalkedColumns | null
}

interface WalkedColumns extends Rival {
  /** Which walk it is of. */
  readonly no: number
  readonly currency: string
  readonly callback: number
}

/**
 * Of each place, the sets that have an unpaid invoice there. Of each set invoices are read until one is unpaid, so that what is read does not
 * grow with the invoices on a wallet.
 */
export async function unpaidSets(work: Work, places: readonly CrowdedColumns[]): Promise<Map<string, Set<string>>> {
  const sets = new Map(places.map(({ wallet_id, owner }) => [placeName(wallet_id, owner), new Set<string>()]))
  let walks = places.length === 0 ? [] : await openSets(work, places)
  for (let limit = READ_FIRST; walks.length > 0; limit = Math.min(limit * READ_GROWTH, READ_MAX)) {
    const read = await readOn(work, walks, limit)
    walks = walks.flatMap((walk, no): readonly Walk[] => {
      const rows = read.get(no) ?? []
      if (rows.some((row) => isOpenNow(row, work.nowMs))) {
        for (const place of walk.places) sets.get(place)?.add(walk.setId.toString('hex'))
        return []
      }
      const last = rows.at(-1)
      return last === undefined || rows.length < limit ? [] : [{ ...walk, behind: last }]
    })
  }
  return sets
}

/*
 * A statement is planned once, maybe while the table is small. So a seek names the columns of the key as one: then no other index is as
 * cheap, however few rows there are. What it finds may be of another place, and is left out.
 */

/** The sets that have open invoices at places, found one from the other, each once. */
async function openSets(work: Work, places: readonly CrowdedColumns[]): Promise<readonly Walk[]> {
  const firstBehind = (setId: Fragment) => sql`
    SELECT p.wallet_id, p.owner, p.set_id FROM open_places AS p
    WHERE (p.wallet_id, p.owner, p.set_id) > (place.wallet_id, place.owner, ${setId})
    ORDER BY p.wallet_id, p.owner, p.set_id LIMIT 1`
  const isHere = sql`next.wallet_id = place.wallet_id AND next.owner = place.owner`
  const rows = await work.rows<CrowdedColumns & { readonly set_id: Buffer }>(sql`
    SELECT place.wallet_id, place.owner, open.set_id
    FROM unnest(${places.map(({ wallet_id }) => wallet_id)}::text[], ${places.map(({ owner }) => owner)}::text[])
      AS place (wallet_id, owner)
    CROSS JOIN LATERAL (
      WITH RECURSIVE sets AS (
        SELECT next.set_id FROM (${firstBehind(sql`''::bytea`)}) AS next WHERE ${isHere}
        UNION ALL
        SELECT next.set_id FROM sets CROSS JOIN LATERAL (${firstBehind(sql`sets.set_id`)}) AS next WHERE ${isHere}
      )
      SELECT set_id FROM sets
    ) AS open`)
  const walks = new Map<string, Walk>()
  for (const { set_id: setId, ...at } of rows) {
    const name = `${setId.toString('hex')} ${at.owner}`
    const place = placeName(at.wallet_id, at.owner)
    walks.set(name, { at, setId, behind: null, places: [...(walks.get(name)?.places ?? []), place] })
  }
  return [...walks.values()]
}

/** The next open invoices of each walk, by its place in the list. All have begun, or none. */
async function readOn(
  work: Work,
  walks: readonly Walk[],
  limit: number,
): Promise<ReadonlyMap<number, readonly WalkedColumns[]>> {
  const column = <T>(of: (walk: Walk, no: number) => T) => walks.map(of)
  const order = sql`p.wallet_id DESC, p.owner DESC, p.set_id DESC, p.currency DESC, p.callback DESC, p.invoice_id DESC`
  const isBehind = walks.some(({ behind }) => behind !== null)
    ? sql`(p.wallet_id, p.owner, p.set_id, p.currency, p.callback, p.invoice_id)
        < (asked.wallet_id, asked.owner, asked.set_id, asked.currency, asked.callback, asked.invoice_id)`
    : sql`(p.wallet_id, p.owner, p.set_id) <= (asked.wallet_id, asked.owner, asked.set_id)`
  const rows = await work.rows<WalkedColumns>(sql`
    SELECT asked.no, p.currency, p.callback, p.atoms, ${RIVAL}
    FROM unnest(
      ${column((_, no) => no)}::bigint[], ${column(({ at }) => at.wallet_id)}::text[],
      ${column(({ at }) => at.owner)}::text[], ${column(({ setId }) => setId)}::bytea[],
      ${column(({ behind }) => behind?.currency ?? null)}::text[], ${column(({ behind }) => behind?.callback ?? null)}::smallint[],
      ${column(({ behind }) => behind?.invoice_id ?? null)}::uuid[]
    ) AS asked (no, wallet_id, owner, set_id, currency, callback, invoice_id)
    CROSS JOIN LATERAL (
      SELECT p.* FROM open_places AS p WHERE ${isBehind} ORDER BY ${order} LIMIT ${limit}::bigint
    ) AS p
    JOIN invoices AS i ON i.id = p.invoice_id ${RECEIVED}
    WHERE p.wallet_id = asked.wallet_id AND p.owner = asked.owner AND p.set_id = asked.set_id
    ORDER BY asked.no, ${order}`)
  const read = new Map<number, WalkedColumns[]>()
  for (const row of rows) {
    const known = read.get(row.no)
    if (known === undefined) read.set(row.no, [row])
    else known.push(row)
  }
  return read
}
