import { setImmediate } from 'node:timers/promises'
import { type Outcome, refuseField, succeed } from '../domain/failure.js'
import type { Awaitable, Page, PageOf } from '../store/store.js'
import { jsonAnswer } from './json.js'
import type { Answer, BodyStream } from './server.js'

/** Largest `limit` that a client may ask for (decisions 4). */
const PAGE_LIMIT_MAX = 1000

/** Records read and encoded at once. They delay other requests by about a millisecond. */
const LIST_PAGE_RECORDS = 100

const LIMIT = /^[1-9][0-9]{0,3}$/
/** Cursors are ids of records; clients take them from the Link header. */
const CURSOR = /^[0-9a-f]{32}$/

export const LIST_PARAMETERS = ['limit', 'cursor'] as const

export interface ListQuery {
  /** Null: the whole list. */
  readonly limit: number | null
  /** Null: from the newest. */
  readonly cursor: string | null
}

const EVERYTHING: ListQuery = { limit: null, cursor: null }

/** Reads `limit`, null if it is absent; refuses with `invalid_query`. */
export function readLimit(parameters: URLSearchParams): Outcome<number | null> {
  const limit = parameters.get('limit')
  if (limit !== null && (!LIMIT.test(limit) || Number(limit) > PAGE_LIMIT_MAX)) return refuseParameter('limit')
  return succeed(limit === null ? null : Number(limit))
}

/** Reads `limit` and `cursor`; refuses with `invalid_query`. */
export function readListQuery(parameters: URLSearchParams): Outcome<ListQuery> {
  const limit = readLimit(parameters)
  if (!limit.ok) return limit
  const cursor = parameters.get('cursor')
  if (cursor !== null && !CURSOR.test(cursor)) return refuseParameter('cursor')
  return succeed({ limit: limit.value, cursor })
}

export function refuseParameter(parameter: string) {
  return refuseField('invalid_query', parameter, { parameter })
}

type ReadPage = (page: Page) => Awaitable<PageOf<unknown>>

/**
 * Answers a list as a JSON array: one page, with a Link to the next one (RFC 8288), or everything if the query sets no
 * limit. `path` is that of the list, for the Link; `filter` follows its parameters.
 */
export async function listAnswer(read: ReadPage, query = EVERYTHING, path = '', filter = ''): Promise<Answer> {
  const { limit, cursor } = query
  const first = await read({ after: cursor, limit: limit ?? LIST_PAGE_RECORDS })
  const { items, next } = first
  if (next === null) return jsonAnswer(200, items)
  if (limit === null) return { ...jsonAnswer(200, []), body: stream(read, first) }
  return jsonAnswer(200, items, { Link: `<${path}?limit=${limit}&cursor=${next}${filter}>; rel="next"` })
}

/**
 * The next page is read when the client has taken the last one, so memory stays bounded whatever the length of the
 * list. Between two pages other requests have their turn.
 */
async function* stream(read: ReadPage, first: PageOf<unknown>): BodyStream {
  let page = first
  yield `[${encode(page)}`
  while (page.next !== null) {
    await setImmediate()
    page = await read({ after: page.next, limit: LIST_PAGE_RECORDS })
    if (page.items.length > 0) yield `,${encode(page)}`
  }
  yield ']'
}

/** The records of a page, comma-separated, without the brackets. */
function encode(page: PageOf<unknown>): string {
  return JSON.stringify(page.items).slice(1, -1)
}
