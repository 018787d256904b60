import type { Page, PageOf } from '../../reading.js'
import type { Snapshot } from '../commit/commit.js'
import { endOf, numberKey } from '../tables/keys.js'
import type { ReadTable } from '../tables/tables.js'
import { ownerNoOf } from './identities.js'

const NO_ITEMS = { items: [], next: null }

/**
 * A page of an owner's list, newest first. `table` is its index, whose keys are the owner's number and `tailBytes` bytes
 * that sort by age. The cursor is the tail of the last key read, in hex; a cursor of another form reads nothing.
 */
export function pageOfOwner<T>(
  at: Snapshot,
  table: ReadTable,
  tailBytes: number,
  owner: string,
  page: Page,
  toItem: (key: Buffer) => T,
): PageOf<T> {
  const ownerNo = ownerNoOf(at, owner)
  return ownerNo === undefined ? NO_ITEMS : pageUnder(table, numberKey(ownerNo), tailBytes, page, toItem)
}

/** The cursor of the page behind a page of an owner's list; null when it is the last one. */
export function nextOfOwner(
  at: Snapshot,
  table: ReadTable,
  tailBytes: number,
  owner: string,
  page: Page,
): string | null {
  const ownerNo = ownerNoOf(at, owner)
  return ownerNo === undefined ? null : nextUnder(table, numberKey(ownerNo), tailBytes, page)
}

/** The same for keys that begin with `prefix`, of whatever length. */
export function pageUnder<T>(
  table: ReadTable,
  prefix: Buffer,
  tailBytes: number,
  page: Page,
  toItem: (key: Buffer) => T,
): PageOf<T> {
  const { keys, isLast } = keysUnder(table, prefix, tailBytes, page)
  return itemsOf(keys, isLast, page, toItem, (key) => key.toString('hex', prefix.length))
}

/** The cursor of the page behind a page of such a list; null when it is the last one. */
export function nextUnder(table: ReadTable, prefix: Buffer, tailBytes: number, page: Page): string | null {
  const { keys, isLast } = keysUnder(table, prefix, tailBytes, page)
  return isLast ? null : (keys.at(-1)?.toString('hex', prefix.length) ?? null)
}

/** The items of `keys`, as many as the page's slice has time for; `isLast`: no key follows them. */
export function itemsOf<T>(
  keys: readonly Buffer[],
  isLast: boolean,
  { slice }: Page,
  toItem: (key: Buffer) => T,
  toCursor: (key: Buffer) => string,
): PageOf<T> {
  const items: T[] = []
  for (const key of keys) {
    items.push(toItem(key))
    slice?.touch(1)
    const isLastKey = items.length === keys.length
    if (isLastKey || slice?.isOver === true) return { items, next: isLastKey && isLast ? null : toCursor(key) }
  }
  return { items, next: null }
}

function keysUnder(
  table: ReadTable,
  prefix: Buffer,
  tailBytes: number,
  page: Page,
): { readonly keys: readonly Buffer[]; readonly isLast: boolean } {
  const after = page.after === null ? null : Buffer.from(page.after, 'hex')
  if (after !== null && after.length !== tailBytes) return { keys: [], isLast: true }
  const start = after === null ? endOf(prefix, prefix.length + tailBytes) : Buffer.concat([prefix, after])
  const found = [...table.getKeys({ reverse: true, start, end: prefix, limit: page.limit + 2 })]
  const keys = after === null ? found : found.filter((key) => !key.equals(start))
  return { keys: keys.slice(0, page.limit), isLast: keys.length <= page.limit }
}
