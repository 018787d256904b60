import { type Outcome, succeed } from '../../domain/failure.js'
import type { EventPort } from '../../store/events.js'
import { handlers } from '../endpoints.js'
import { failureAnswer, jsonTextAnswer } from '../json.js'
import { readLimit, refuseParameter } from '../list-query.js'
import type { Lists } from '../lists.js'
import type { Answer, Request } from '../server.js'

/** Events of one answer, if the request does not say how many. */
const EVENTS_LIMIT = 100

/** Events that one piece of an answer reads at most. */
const PIECE_EVENTS = 100

/** About what an answer may hold as JSON before it ends early: an event may carry metadata of many kilobytes. */
const ANSWER_BYTES = 1_048_576

/** The id of an event. */
const CURSOR = /^[0-9a-f]{16}$/

export interface EventParts {
  readonly events: Pick<EventPort, 'page'>
  readonly lists: Lists
  /** The path of the public URL, without a final slash. Link begins with it. */
  readonly basePath: string
}

export function eventHandlers(parts: EventParts) {
  return handlers({ 'GET /api/users/:id/events': (request, { id }) => list(parts, id, request) })
}

/** One page: a log that grows while it is read has no end to stream to. It ends early, with a `Link`, where its events are large. */
async function list({ events, lists, basePath }: EventParts, owner: string, request: Request): Promise<Answer> {
  const page = readPage(new URLSearchParams(request.query))
  if (!page.ok) return failureAnswer(page.failure)
  const { after, limit } = page.value
  return lists.admit(request, owner, async (work) => {
    const texts: string[] = []
    let next = after
    let left = limit
    let bytes = 0
    do {
      const piece = { after: next, limit: Math.min(left, PIECE_EVENTS) }
      const found = await work.run((slice) => events.page(owner, { ...piece, slice }))
      // What was removed meanwhile is behind what was read: the next request says so.
      if (!found.ok && texts.length > 0) break
      if (!found.ok) return failureAnswer(found.failure)
      next = found.value.next
      for (const [at, event] of found.value.items.entries()) {
        const text = JSON.stringify(event)
        texts.push(text)
        bytes += text.length
        if (bytes < ANSWER_BYTES || at === found.value.items.length - 1) continue
        next = event.id
        break
      }
      left = limit - texts.length
    } while (next !== null && left > 0 && bytes < ANSWER_BYTES)
    const path = `${basePath}/api/users/${encodeURIComponent(owner)}/events`
    const headers = next === null ? undefined : { Link: `<${path}?after=${next}&limit=${limit}>; rel="next"` }
    return jsonTextAnswer(200, `[${texts.join(',')}]`, headers)
  })
}

function readPage(parameters: URLSearchParams): Outcome<{ readonly after: string | null; readonly limit: number }> {
  const limit = readLimit(parameters)
  if (!limit.ok) return limit
  const after = parameters.get('after')
  if (after !== null && !CURSOR.test(after)) return refuseParameter('after')
  return succeed({ after, limit: limit.value ?? EVENTS_LIMIT })
}
