import { type Outcome, succeed } from '../../domain/failure.js'
import type { EventPort } from '../../store/store.js'
import { handlers } from '../endpoints.js'
import { failureAnswer, jsonAnswer } from '../json.js'
import { readLimit, refuseParameter } from '../lists.js'
import type { Answer, Request } from '../server.js'

/** Events of one answer, if the request does not say how many. */
const EVENTS_LIMIT = 100

/** The id of an event. */
const CURSOR = /^[0-9a-f]{16}$/

export interface EventParts {
  readonly events: Pick<EventPort, 'page'>
  /** The path of the public URL, without a final slash. Link begins with it. */
  readonly basePath: string
}

export function eventHandlers(parts: EventParts) {
  return handlers({ 'GET /api/users/:id/events': (request, { id }) => list(parts, id, request) })
}

/** One page: a log that grows while it is read has no end to stream to. */
async function list({ events, basePath }: EventParts, owner: string, request: Request): Promise<Answer> {
  const page = readPage(new URLSearchParams(request.query))
  if (!page.ok) return failureAnswer(page.failure)
  const found = await events.page(owner, page.value)
  if (!found.ok) return failureAnswer(found.failure)
  const { items, next } = found.value
  if (next === null) return jsonAnswer(200, items)
  const path = `${basePath}/api/users/${encodeURIComponent(owner)}/events`
  return jsonAnswer(200, items, { Link: `<${path}?after=${next}&limit=${page.value.limit}>; rel="next"` })
}

function readPage(parameters: URLSearchParams): Outcome<{ readonly after: string | null; readonly limit: number }> {
  const limit = readLimit(parameters)
  if (!limit.ok) return limit
  const after = parameters.get('after')
  if (after !== null && !CURSOR.test(after)) return refuseParameter('after')
  return succeed({ after, limit: limit.value ?? EVENTS_LIMIT })
}
