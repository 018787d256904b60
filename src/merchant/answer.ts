import { isObject, parseJson } from '../base/json-object.js'
import { retryAfterMs } from '../base/retry-after.js'

/** The service refused a request. The message is its own. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
    /** A code of docs/errors.md. */
    readonly code: string,
    /** When to try again; null if the service does not say. */
    readonly retryAfterMs: number | null,
  ) {
    super(message)
  }
}

/** No answer of a service came: it may be down, or the address or the way there may be wrong. The message says which. */
export class Unreachable extends Error {}

/** A successful answer. */
export interface Reply {
  /** Parsed; null for an answer without a body. */
  readonly body: unknown
  /** Where the next page of a list starts; null at its end. */
  readonly next: string | null
}

interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** Reads an answer. Throws `Refused`, or `Unreachable` when it is no answer of the service; `where` names the address. */
export function readAnswer({ status, headers, text }: Received, where: string, nowMs: number): Reply {
  if (status >= 300 && status < 400) {
    throw new Unreachable(`${where} answered ${status} and sends clients to ${headers['location'] ?? 'another place'}`)
  }
  const body = text === '' ? null : parseJson(text)
  if (status >= 400) {
    if (!isObject(body) || typeof body['error'] !== 'string' || typeof body['code'] !== 'string') {
      throw new Unreachable(`${where} answered ${status}, and not as this service does: see what else listens there`)
    }
    throw new Refused(body['error'], status, body['code'], retryAfterMs(headers['retry-after'], nowMs))
  }
  if (text !== '' && body === null) {
    throw new Unreachable(`${where} did not answer with JSON: see what else listens there`)
  }
  return { body, next: cursorOf(headers['link']) }
}

function cursorOf(link: string | string[] | undefined): string | null {
  const target = /<([^>]*)>; rel="next"/.exec(String(link ?? ''))?.[1]
  if (target === undefined) return null
  const parameters = new URLSearchParams(target.split('?')[1])
  // A log is read behind an event, other lists behind a cursor.
  return parameters.get('cursor') ?? parameters.get('after')
}
