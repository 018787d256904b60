import { scan } from '../base/scan.js'
import type { Turns } from '../base/turns.js'
import { type Markup, markup } from '../page/markup.js'
import type { Awaitable, Page, PageOf } from '../store/reading.js'

/** Whom the long work of the console counts for. */
export const CONSOLE = 'console'

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

/** A page of the records that are wanted, or of all, in turns. */
export async function search<T>(
  turns: Turns,
  read: (page: Page) => Awaitable<PageOf<T>>,
  isWanted: ((item: T) => Awaitable<boolean>) | null,
  after: string | null,
): Promise<Found<T>> {
  const items: T[] = []
  let next: string | null = null
  let searched = 0
  const readPiece = (behind: string | null) => {
    // No more than fit are read, so that the next page begins behind the last one that was looked at.
    const piece = { after: behind, limit: PAGE_RECORDS - items.length }
    return turns.run(CONSOLE, (slice) => read({ ...piece, slice }))
  }
  for await (const page of scan(readPiece, after)) {
    for (const item of page.items) if (isWanted === null || (await isWanted(item))) items.push(item)
    searched += page.items.length
    next = page.next
    if (items.length >= PAGE_RECORDS || searched >= SEARCHED_MAX) break
  }
  return { items, next, searched: isWanted === null ? null : searched }
}

/** Those of a few known records that are wanted. */
export async function kept<T>(
  known: readonly T[],
  isWanted: ((item: T) => Awaitable<boolean>) | null,
): Promise<Found<T>> {
  const items: T[] = []
  for (const item of known) if (isWanted === null || (await isWanted(item))) items.push(item)
  return { items, next: null, searched: null }
}

/** What is said instead of an empty table of `what`, in the singular. */
export function noneText({ next }: Found<unknown>, query: URLSearchParams, what: string): string {
  if (next !== null) return `No ${what} found so far.`
  const isNarrowed = [...query].some(([name, value]) => name !== 'done' && value.trim() !== '')
  return isNarrowed ? `No ${what} found.` : `There is no ${what} yet.`
}

/** How far a search went, and the links to the first and to the next page. */
export function moreLink({ next, searched }: Found<unknown>, path: string, query: URLSearchParams): Markup {
  const first = cursorOf(query) === null ? null : pageLink(path, query, null, 'First page')
  const further = next === null ? null : pageLink(path, query, next, searched === null ? 'Next page' : 'Search on')
  const steps = first === null && further === null ? null : markup`<ul class="links">${first}${further}</ul>`
  return markup`<div class="more">${searchedText(searched, next)}${steps}</div>`
}

function searchedText(searched: number | null, next: string | null): Markup | null {
  if (searched === null || searched === 0) return null
  const records = `${searched.toLocaleString('en')} ${searched === 1 ? 'record' : 'records'}`
  return markup`<p class="quiet">Searched ${records}${next === null ? ', to the end of the list.' : ' so far.'}</p>`
}

/** A link to a page of the same list; null is its first. */
function pageLink(path: string, query: URLSearchParams, cursor: string | null, label: string): Markup {
  const wanted = new URLSearchParams(
    [...query].filter(([name, value]) => value !== '' && !['cursor', 'done'].includes(name)),
  )
  if (cursor !== null) wanted.set('cursor', cursor)
  const asked = wanted.toString()
  return markup`<li><a href="${asked === '' ? path : `${path}?${asked}`}">${label}</a></li>
`
}
