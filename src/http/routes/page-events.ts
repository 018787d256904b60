import { failure } from '../../domain/failure.js'
import { newsOf } from '../../page/open-page.js'
import type { OpenPages } from '../../page/open-pages.js'
import type { PageName } from '../../page/page-name.js'
import type { awaitedBy } from '../../page/payment-state.js'
import type { ClientOf } from '../guards/client-address.js'
import { BASE_HEADERS, failureAnswer } from '../json.js'
import type { Answer, RequestHead } from '../server.js'

/** `X-Accel-Buffering`: nginx would hold events back. */
const EVENTS_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
  'Referrer-Policy': 'no-referrer',
  ...BASE_HEADERS,
})

/** The pause for a page that finds no room, which refreshes itself meanwhile. */
const NO_ROOM_HEADERS = { 'Retry-After': '30' }

/** What the events of a page need. */
export interface PageEventsParts {
  readonly openPages: Pick<OpenPages, 'open'>
  readonly clientOf: ClientOf
}

/** What a page shows now, and what may change it. */
export interface PageNow {
  readonly page: PageName
  readonly version: string
  readonly walletIds: readonly string[]
  readonly invoiceIds: readonly string[]
  /** Null if nothing more is expected. */
  readonly awaited: ReturnType<typeof awaitedBy>
}

/**
 * The changes of a page. A browser that connects again names the last one that it saw, and the script the one that the page
 * was made with. Where nothing more is expected, 204 tells a browser not to ask again (HTML, 9.2.3).
 */
export function eventsAnswer(
  { openPages, clientOf }: PageEventsParts,
  head: RequestHead,
  { page, version, walletIds, invoiceIds, awaited }: PageNow,
): Answer {
  const seen = head.header('last-event-id') ?? new URLSearchParams(head.query).get('after')
  if (awaited === null) {
    if (seen === version) return { status: 204, headers: BASE_HEADERS, body: '' }
    return { status: 200, headers: EVENTS_HEADERS, body: newsOf(version) }
  }
  const { key, isLoopback } = clientOf(head)
  const events = openPages.open({ page, walletIds, invoiceIds, seen, client: isLoopback ? null : key })
  if (events === null) return failureAnswer(failure('overloaded'), NO_ROOM_HEADERS)
  return { status: 200, headers: EVENTS_HEADERS, body: events }
}
