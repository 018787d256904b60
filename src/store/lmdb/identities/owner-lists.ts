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
  const ownerNo = ownerNoOf(at, owner)
  const after = page.after === null ? null : Buffer.from(page.after, 'hex')
  if (ownerNo === undefined || (after !== null && after.length !== tailBytes)) return { items: [], next: null }
  const prefix = numberKey(ownerNo)
  const start = after === null ? endOf(prefix, NUMBER_BYTES + tailBytes) : Buffer.concat([prefix, after])
  const found = [...table.getKeys({ reverse: true, start, end: prefix, limit: page.limit + 2 })]
  const keys = after === null ? found : found.filter((key) => !key.equals(start))
  const items = keys.slice(0, page.limit).map(toItem)
  const last = keys.length > page.limit ? keys[page.limit - 1] : undefined
  return { items, next: last?.toString('hex', NUMBER_BYTES) ?? null }
}
