import { setImmediate } from 'node:timers/promises'
import type { Awaitable } from '../store/awaitable.js'
import type { Page, PageOf } from '../store/pages.js'
import { jsonAnswer } from './failure-response.js'
import type { Answer, BodyStream } from './server.js'

/** Records read and encoded at a time: what a long list adds to the wait of other requests, about a millisecond. */
const LIST_PAGE_RECORDS = 100

/** Reads one page of a list. */
export type ReadPage = (page: Page) => Awaitable<PageOf<unknown>>

/**
 * Answers a whole list as a JSON array. A list longer than a page is streamed: the next page is read when the client has
 * taken the last one, so memory stays bounded whatever the length, and between two pages other requests have their turn.
 */
export async function listAnswer(read: ReadPage, after: string | null = null): Promise<Answer> {
  const first = await read({ after, limit: LIST_PAGE_RECORDS })
  const answer = jsonAnswer(200, first.items)
  return first.next === null ? answer : { ...answer, body: stream(read, first) }
}

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
