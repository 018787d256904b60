import type { ErrorCode } from './api-types.js'
import { BillhookError } from './error.js'

const MS_PER_SECOND = 1000

/** An answer, read to its end. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A successful answer. */
export interface Reply {
  /** Parsed. */
  readonly body: unknown
  /** Where the next page of a list starts; null at its end. */
  readonly next: string | null
}

/**
 * Why a service refused a request, for a program that sends it in its own way; null for a success, whose body is not read. `url` names
 * the service in the message about an answer that is none of a service.
 */
export async function refusalOf(response: Response, url: string): Promise<BillhookError | null> {
  if (response.ok) return null
  return errorIn({ status: response.status, headers: response.headers, text: await response.text() }, url)
}

/** The refusal in an answer; null for a success. A browser hides the status of a redirect, and where it leads. */
export function errorIn({ status, headers, text }: Received, url: string): BillhookError | null {
  if (status === 0 || (status >= 300 && status < 400)) {
    const message = `${url} answered ${status || 'a redirect'} and sends clients to ${headers.get('location') ?? 'another place'}.`
    return new BillhookError(message, 'unexpected_answer', { status })
  }
  if (status < 400) return null
  const requestId = headers.get('x-request-id') ?? undefined
  const retryAfterMs = retryAfterIn(headers)
  const body = parsed(text) as { error?: unknown; code?: unknown; field?: unknown } | null | undefined
  if (typeof body?.error !== 'string' || typeof body.code !== 'string') {
    const message = `${url} answered ${status}, and not as this service does: see what else listens there.`
    return new BillhookError(message, 'unexpected_answer', { status, requestId, retryAfterMs })
  }
  const field = typeof body.field === 'string' ? body.field : undefined
  return new BillhookError(body.error, body.code as ErrorCode, { status, field, requestId, retryAfterMs })
}

export function replyIn({ status, headers, text }: Received, url: string): Reply {
  const body = parsed(text)
  if (typeof body !== 'object' || body === null) {
    throw new BillhookError(`${url} did not answer with JSON: see what else listens there.`, 'unexpected_answer', {
      status,
      requestId: headers.get('x-request-id') ?? undefined,
    })
  }
  const target = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  const query = new URLSearchParams(target?.split('?')[1])
  return { body, next: query.get('cursor') ?? query.get('after') }
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function retryAfterIn(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * MS_PER_SECOND : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
