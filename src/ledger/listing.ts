import type { ListedTransaction } from '../domain/ledger-progress.js'

/**
 * A merged page of all stores, each transaction once. `isFull`: there may be more behind it. `silent`: stores that did
 * not answer; transactions that only they list are missing.
 */
export interface ListingPage {
  readonly kind: 'rows'
  readonly rows: readonly ListedTransaction[]
  readonly isFull: boolean
  readonly silent: readonly { readonly store: string; readonly why: string }[]
}

/** `unclear`: no store answered. */
export type Listing = ListingPage | { readonly kind: 'unclear'; readonly why: string }

/** A store's answer: rows in order of time, or why there is none. */
export type StorePage =
  | { readonly rows: readonly ListedTransaction[] }
  | { readonly store: string; readonly why: string }

/**
 * Merges the pages of several stores. A full page says nothing about what follows its last row, so the merged page ends
 * with the earliest of their last times.
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
