import { BillhookError, type BillhookEvent } from '@billhook/client'

export interface FollowerParts {
  /** Events behind a cursor up to the last one so far. */
  readonly list: (after: string | undefined) => AsyncIterable<BillhookEvent>
  /** The cursor of an earlier visit. */
  readonly place: { read(): Promise<string | null>; write(cursor: string): Promise<void> }
  /** Called with news, oldest first. The cursor goes on when it has dealt with them. */
  readonly onNews: (events: readonly BillhookEvent[]) => Promise<void>
  /** Called when events behind the cursor are gone: what is shown must be read anew. */
  readonly onGap: () => Promise<void>
  /** Called when a look failed, and when the next one succeeds. */
  readonly onConnection: (isLost: boolean) => void
  readonly isVisible: () => boolean
  readonly now: () => number
  /** Resolves after the time, or earlier when somebody looks at the app again. */
  readonly pause: (ms: number) => Promise<void>
  readonly ended: AbortSignal
}

const VISIBLE_MS = 2000
const HIDDEN_MS = 15_000
const FAILED_MAX_MS = 30_000
/** News come in pieces of so many at most. */
const NEWS_MAX = 200
/** What an invoice list that was read when the app was opened may lack: the clocks of two machines differ. */
const OVERLAP_MS = 60_000

/** How long to wait before the next look. */
export function pauseMs(failures: number, isVisible: boolean): number {
  const usual = isVisible ? VISIBLE_MS : HIDDEN_MS
  return failures === 0 ? usual : Math.max(usual, Math.min(FAILED_MAX_MS, VISIBLE_MS * 2 ** Math.min(failures, 10)))
}

/** Follows the events of an owner until the end. Without a cursor it reads the log through first, and reports what is new since it began. */
export async function follow(parts: FollowerParts): Promise<void> {
  const { place, ended } = parts
  const begun = parts.now()
  let cursor = (await place.read()) ?? undefined
  let failures = 0
  /** Whether what is shown has to be read anew. */
  let isBehind = false
  while (!ended.aborted) {
    try {
      if (isBehind) await parts.onGap()
      isBehind = false
      const read = await readOn(parts, cursor, begun - OVERLAP_MS)
      if (failures > 0) parts.onConnection(false)
      failures = 0
      if (read !== cursor && read !== undefined) await place.write(read)
      cursor = read
    } catch (error) {
      if (ended.aborted) return
      if (error instanceof BillhookError && error.code === 'events_removed') {
        cursor = undefined
        isBehind = true
      }
      failures += 1
      parts.onConnection(true)
    }
    await parts.pause(pauseMs(failures, parts.isVisible()))
  }
}

async function readOn(
  { list, onNews }: FollowerParts,
  after: string | undefined,
  since: number,
): Promise<string | undefined> {
  let cursor = after
  let news: BillhookEvent[] = []
  for await (const event of list(after)) {
    cursor = event.id
    if (event.at >= since) news.push(event)
    if (news.length < NEWS_MAX) continue
    await onNews(news)
    news = []
  }
  if (news.length > 0) await onNews(news)
  return cursor
}
