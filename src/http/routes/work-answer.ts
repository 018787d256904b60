import { BASE_HEADERS } from '../json.js'
import type { Answer } from '../server.js'

/**
 * A record of long work. Every stream ends with `done` or `failed`; one that ends with neither was cut off, so the work
 * did not finish.
 */
export type WorkRecord =
  /** `total` is null while it is unknown. */
  | { readonly type: 'progress'; readonly done: number; readonly total: number | null; readonly what: string }
  | { readonly type: 'item'; readonly item: unknown }
  | { readonly type: 'done'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly type: 'failed'; readonly error: string }

/** Characters of items that are sent at once. */
const CHUNK_CHARACTERS = 65_536

/** The records as a streamed answer, a line of JSON for each. The iterator is returned when the client disconnects. */
export function workAnswer(records: AsyncIterable<WorkRecord>): Answer {
  const headers = {
    'Content-Type': 'application/x-ndjson; charset=utf-8',
    'Cache-Control': 'no-store',
    ...BASE_HEADERS,
  }
  return { status: 200, headers, body: linesOf(records) }
}

async function* linesOf(records: AsyncIterable<WorkRecord>): AsyncGenerator<string> {
  let items = ''
  try {
    for await (const record of records) {
      const line = `${JSON.stringify(record)}\n`
      // Items are sent together with the next progress: a write for each would take most of the time.
      if (record.type === 'item' && items.length < CHUNK_CHARACTERS) items += line
      else {
        yield items + line
        items = ''
      }
    }
  } catch (error) {
    // The head is sent, so the failure is part of the stream.
    yield `${items}${JSON.stringify({ type: 'failed', error: (error as Error).message } satisfies WorkRecord)}\n`
  }
}
