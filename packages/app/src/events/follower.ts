import { BillhookError, type BillhookEvent } from '@billhook/client'
import { EMPTY_TALLY, type Tally } from './day-totals.js'

/** How far a log was read, and what was counted up to there: written together, so that nothing counts twice. */
export interface Followed {
  readonly cursor: string
  readonly tally: Tally
}

export interface FollowerParts {
  /** Events behind a cursor up to the last one so far. */
  readonly list: (after: string | undefined) => AsyncIterable<BillhookEvent>
  /** Where an earlier visit stopped. */
  readonly place: { read(): Promise<Followed | null>; write(followed: Followed): Promise<void> }
  /** The tally with one event more. */
  readonly count: (tally: Tally, event: BillhookEvent) => Tally
  /** Called with what was counted so far. */
  readonly onTally: (tally: Tally) => void
  /** Called with news, oldest first. The cursor goes on when it has dealt with them. */
  readonly onNews: (events: readonly BillhookEvent[]) => Promise<void>
  /** Called when what is shown must be read anew: events behind the cursor are gone, or many came before this visit. */
  readonly onGap: () => Promise<void>
  /** Called when a look failed, and when the next one succeeds. */
  readonly onConnection: (isLost: boolean) => void
  readonly isVisible: () => boolean
  /** Resolves after the time, or earlier when somebody looks at the app again. */
  readonly pause: (ms: number) => Promise<void>
  readonly ended: AbortSignal
}

const VISIBLE_MS = 2000
const HIDDEN_MS = 15_000
const FAILED_MAX_MS = 30_000
/** News come in pieces of so many at most. */
const NEWS_MAX = 200
/** So many events of the log that is read first are news in any case. */
const FIRST_NEWS_MAX = 20

/** How long to wait before the next look. */
export function pauseMs(failures: number, isVisible: boolean): number {
  const usual = isVisible ? VISIBLE_MS : HIDDEN_MS
  return failures === 0 ? usual : Math.max(usual, Math.min(FAILED_MAX_MS, VISIBLE_MS * 2 ** Math.min(failures, 10)))
}

/**
 * Follows the events of an owner until the end. First it reads the log to its end. Which of that the lists had already, only clocks could
 * tell, and the one of this device may be wrong: the last few are news, and where there were more, the lists are read anew. What comes
 * later is all news.
 */
export async function follow(parts: FollowerParts): Promise<void> {
  const { place, ended } = parts
  let followed = await place.read()
  if (followed !== null) parts.onTally(followed.tally)
  let failures = 0
  /** Whether what is shown has to be read anew. */
  let isBehind = false
  /** Whether the log was read to its end. */
  let isAtEnd = false
  while (!ended.aborted) {
    try {
      if (isBehind) await parts.onGap()
      isBehind = false
      const read = await readOn(parts, followed, isAtEnd)
      isAtEnd = true
      if (failures > 0) parts.onConnection(false)
      failures = 0
      if (read !== null && read !== followed) {
        await place.write(read)
        parts.onTally(read.tally)
      }
      followed = read
    } catch (error) {
      if (ended.aborted) return
      if (error instanceof BillhookError && error.code === 'events_removed') {
        followed = null
        isBehind = true
        isAtEnd = false
      }
      failures += 1
      parts.onConnection(true)
    }
    await parts.pause(pauseMs(failures, parts.isVisible()))
  }
}

async function readOn(
  { list, onNews, onGap, count }: FollowerParts,
  from: Followed | null,
  isAtEnd: boolean,
): Promise<Followed | null> {
  let followed = from
  let news: BillhookEvent[] = []
  let isTooMuch = false
  for await (const event of list(from?.cursor)) {
    followed = { cursor: event.id, tally: count(followed?.tally ?? EMPTY_TALLY, event) }
    news.push(event)
    if (isAtEnd && news.length >= NEWS_MAX) {
      await onNews(news)
      news = []
    } else if (!isAtEnd && news.length > FIRST_NEWS_MAX) {
      news.shift()
      isTooMuch = true
    }
  }
  if (isTooMuch) await onGap()
  if (news.length > 0) await onNews(news)
  return followed
}
