import type { Page, PageOf } from '../../store.js'
import type { Snapshot } from '../commit/commit-loop.js'
import { endOf, NUMBER_BYTES, numberKey } from '../tables/keys.js'
import type { ReadTable } from '../tables/tables.js'
import { ownerNoOf } from './identities.js'

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
  const { keys, isLast } = keysOfOwner(at, table, tailBytes, owner, page)
  return itemsOf(keys, isLast, page, toItem, (key) => key.toString('hex', NUMBER_BYTES))
}

/** The cursor of the page behind a page of an owner's list; null when it is the last one. */
export function nextOfOwner(
  at: Snapshot,
  table: ReadTable,
  tailBytes: number,
  owner: string,
  page: Page,
): string | null {
  const { keys, isLast } = keysOfOwner(at, table, tailBytes, owner, page)
  return isLast ? null : (keys.at(-1)?.toString('hex', NUMBER_BYTES) ?? null)
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

function keysOfOwner(
  at: Snapshot,
  table: ReadTable,
  tailBytes: number,
  owner: string,
  page: Page,
): { readonly keys: readonly Buffer[]; readonly isLast: boolean } {
  const ownerNo = ownerNoOf(at, owner)
  const after = page.after === null ? null : Buffer.from(page.after, 'hex')
  if (ownerNo === undefined || (after !== null && after.length !== tailBytes)) return { keys: [], isLast: true }
  const prefix = numberKey(ownerNo)
  const start = after === null ? endOf(prefix, NUMBER_BYTES + tailBytes) : Buffer.concat([prefix, after])
  const found = [...table.getKeys({ reverse: true, start, end: prefix, limit: page.limit + 2 })]
  const keys = after === null ? found : found.filter((key) => !key.equals(start))
  return { keys: keys.slice(0, page.limit), isLast: keys.length <= page.limit }
}
