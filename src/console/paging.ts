import { setImmediate } from 'node:timers/promises'
import { type Markup, markup } from '../page/markup.js'
import type { Awaitable, Page, PageOf } from '../store/store.js'

/** Records on one page. */
const PAGE_RECORDS = 50

/**
 * Records that one page looks at. A page that has found fewer than it may hold by then ends all the same, and offers to go
 * on; so a search that nothing matches costs no more than one that all match.
 */
const SEARCHED_MAX = 5000

/** Cursors are keys of the store in hex. */
const CURSOR = /^(?:[0-9a-f]{2}){1,640}$/

/** The cursor that a page was asked for; null for the first page. What cannot be a cursor is none. */
export function cursorOf(query: URLSearchParams): string | null {
  const cursor = query.get('cursor') ?? ''
  return CURSOR.test(cursor) ? cursor : null
}

/** A parameter that a form may leave empty. */
export function given(query: URLSearchParams, name: string): string | null {
  const text = (query.get(name) ?? '').trim()
  return text === '' ? null : text
}

/** A parameter that is one of `values`; null for any of them. */
export function oneOf<const Value extends string>(
  query: URLSearchParams,
  name: string,
  values: readonly Value[],
): Value | null {
  const text = query.get(name)
  return values.find((value) => value === text) ?? null
}

export interface Found<T> extends PageOf<T> {
  /** How many records were looked at; null if all that were are shown. */
  readonly searched: number | null
}

/** A page of the records that are wanted. Other requests have their turn between the reads. */
export async function search<T>(
  read: (page: Page) => Awaitable<PageOf<T>>,
  isWanted: ((item: T) => Awaitable<boolean>) | null,
  after: string | null,
): Promise<Found<T>> {
  if (isWanted === null) return { ...(await read({ after, limit: PAGE_RECORDS })), searched: null }
  const items: T[] = []
  let next = after
  let searched = 0
  do {
    if (searched > 0) await setImmediate()
    // No more than fit are read, so that the next page begins behind the last one that was looked at.
    const page: PageOf<T> = await read({ after: next, limit: PAGE_RECORDS - items.length })
    for (const item of page.items) if (await isWanted(item)) items.push(item)
    searched += page.items.length
    next = page.next
  } while (next !== null && items.length < PAGE_RECORDS && searched < SEARCHED_MAX)
  return { items, next, searched }
}

/** The link to the next page, and how far a search went. */
export function moreLink({ next, searched }: Found<unknown>, path: string, query: URLSearchParams): Markup {
  const told =
    searched === null ? null : markup`<p class="quiet">Searched ${searched.toLocaleString('en')} records.</p>`
  if (next === null) return markup`<div class="more">${told}</div>`
  const further = new URLSearchParams(query)
  further.set('cursor', next)
  for (const [name, value] of query) if (value === '') further.delete(name)
  return markup`<div class="more">${told}<p><a href="${path}?${further.toString()}">${searched === null ? 'Next page' : 'Search on'}</a></p></div>`
}
