import type { Page, PageOf } from '../store.js'
import { type Fragment, sql } from './connection/sql.js'

const ID = /^[0-9a-f]{32}$/

/** An item of a page and the id that it is listed by. */
interface Listed<T> {
  readonly item: T
  readonly id: string
}

/**
 * A page of a list, newest first; cursors are ids. `read` is given a condition on the column of the ids, which begins with `AND`,
 * and how many rows to read. A cursor of another form reads nothing.
 */
export async function pageBehind<T>(
  { after, limit }: Page,
  read: (behind: (column: Fragment) => Fragment, limit: number) => Promise<readonly Listed<T>[]>,
): Promise<PageOf<T>> {
  if (after !== null && !ID.test(after)) return { items: [], next: null }
  const behind = (column: Fragment) => (after === null ? sql`` : sql`AND ${column} < ${after}::uuid`)
  return pageOf(await read(behind, limit + 1), limit)
}

/** The page of rows of which one more than `limit` was asked for. */
export function pageOf<T>(rows: readonly Listed<T>[], limit: number): PageOf<T> {
  const items = rows.slice(0, limit)
  return {
    items: items.map(({ item }) => item),
    next: rows.length > limit ? (items.at(-1)?.id ?? null) : null,
  }
}

const NUMBER = /^[0-9]{1,15}$/

/** The number that a cursor is; null at the beginning, undefined for a cursor of another form. */
export function numberOfCursor(after: string | null): number | null | undefined {
  if (after === null) return null
  return NUMBER.test(after) ? Number(after) : undefined
}
