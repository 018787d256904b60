import type { ListedTransaction } from '../domain/ledger-progress.js'

/**
 * A page of all stores together, each transaction once. `isFull`: there may be more behind it. `silent`: stores that did
 * not answer, and what only they list is not in it.
 */
export interface ListingPage {
  readonly kind: 'rows'
  readonly rows: readonly ListedTransaction[]
  readonly isFull: boolean
  readonly silent: readonly { readonly store: string; readonly why: string }[]
}

/** `unclear`: no store answered. */
export type Listing = ListingPage | { readonly kind: 'unclear'; readonly why: string }

/** What one store answered: rows in order of time, or why it is silent. */
export type StorePage =
  | { readonly rows: readonly ListedTransaction[] }
  | { readonly store: string; readonly why: string }

/**
 * The pages of several stores as one. A full page says nothing of what comes behind its last row, so the merged page ends
 * with the last time that every store told of.
 */
export function mergePages(pages: readonly StorePage[], limit: number): Listing {
  const silent = pages.flatMap((page) => ('why' in page ? [page] : []))
  const told = pages.flatMap((page) => ('rows' in page ? [page.rows] : []))
  if (told.length === 0) return { kind: 'unclear', why: silent.map(({ why }) => why).join(', ') }
  const ends = told.filter((rows) => rows.length >= limit).map((rows) => rows.at(-1)?.timestampMs ?? 0)
  const endMs = Math.min(...ends)
  const rows = new Map<string, ListedTransaction>()
  for (const row of told.flat()) {
    if (row.timestampMs <= endMs && !rows.has(row.umid)) rows.set(row.umid, row)
  }
  const sorted = [...rows.values()].sort((a, b) => a.timestampMs - b.timestampMs)
  return { kind: 'rows', rows: sorted, isFull: ends.length > 0, silent }
}
