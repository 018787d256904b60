import type { Page, PageOf } from '../../pages.js'
import { endOf } from './bytes.js'
import type { ReadTable } from './tables.js'

/**
 * A page of an index whose keys are `prefix` + `tailBytes` bytes, newest (greatest) first. The cursor is the tail of the
 * last key read, in hex; a cursor of another form reads nothing.
 */
export function pageKeys<T>(
  table: ReadTable,
  prefix: Buffer,
  tailBytes: number,
  page: Page,
  toItem: (key: Buffer) => T,
): PageOf<T> {
  const keyBytes = prefix.length + tailBytes
  let start = endOf(prefix, keyBytes)
  if (page.after !== null) {
    const tail = Buffer.from(page.after, 'hex')
    if (tail.length !== tailBytes) return { items: [], next: null }
    start = Buffer.concat([prefix, tail])
  }
  const items: T[] = []
  let next: string | null = null
  const keys = [...table.getKeys({ reverse: true, start, end: prefix, limit: page.limit + 2 })]
  let last: Buffer | undefined
  for (const key of keys) {
    if (page.after !== null && key.equals(start)) continue
    if (items.length === page.limit) {
      next = last === undefined ? null : last.subarray(prefix.length).toString('hex')
      break
    }
    items.push(toItem(key))
    last = key
  }
  return { items, next }
}
