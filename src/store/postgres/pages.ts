import { ID } from '../../domain/id.js'
import type { Page, PageOf } from '../reading.js'
import { type Fragment, sql } from './connection/sql.js'

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
  return pageOf(await read(conditionBehind(after), limit + 1), limit)
}

/**
 * The cursor that a page of such a list ends with; null when it is the last one. `read` is given the condition, and which rows to read
 * of the list: the last one of the page and the one behind it.
 */
export async function nextBehind(
  { after, limit }: Page,
  read: (behind: (column: Fragment) => Fragment, rows: Fragment) => Promise<readonly { readonly id: string }[]>,
): Promise<string | null> {
  if (after !== null && !ID.test(after)) return null
  const [last, further] = await read(conditionBehind(after), sql`LIMIT 2 OFFSET ${limit - 1}::bigint`)
  return further === undefined ? null : (last?.id ?? null)
}

function conditionBehind(after: string | null): (column: Fragment) => Fragment {
  return (column) => (after === null ? sql`` : sql`AND ${column} < ${after}::uuid`)
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
