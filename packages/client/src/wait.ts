import { BillhookError } from './error.js'

export interface WaitOptions {
  /** Ends the wait with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** Ends the wait with the code `wait_timeout`. */
  readonly timeoutMs?: number | undefined
  /** The time between two looks. */
  readonly intervalMs?: number | undefined
}

/** Throws the reason of the signal when it is aborted first. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/**
 * Looks until there is something to see. A service that cannot answer for a while is waited for, once it has answered. `what`
 * names what is waited for.
 */
export async function poll<T>(
  what: string,
  look: (signal: AbortSignal | undefined) => Promise<T | null>,
  { signal, timeoutMs, intervalMs }: WaitOptions & { readonly intervalMs: number },
): Promise<T> {
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const stop = anyOf(signal, limit)
  try {
    return await looking(look, intervalMs, stop)
  } catch (error) {
    if (limit?.aborted !== true || error !== limit.reason) throw error
    throw new BillhookError(`${what} took longer than ${timeoutMs} ms.`, 'wait_timeout', { cause: error })
  }
}

async function looking<T>(
  look: (signal: AbortSignal | undefined) => Promise<T | null>,
  intervalMs: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  let hasAnswered = false
  for (;;) {
    let pauseMs = intervalMs
    try {
      const seen = await look(signal)
      if (seen !== null) return seen
      hasAnswered = true
    } catch (error) {
      if (!hasAnswered || !(error instanceof BillhookError) || !mayPass(error)) throw error
      pauseMs = Math.max(pauseMs, error.retryAfterMs ?? 0)
    }
    await sleep(pauseMs, signal)
  }
}

/** A signal that is aborted with the first of those given. */
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined)
  return given.length < 2 ? given[0] : AbortSignal.any(given)
}

/** Whether the service, or what stands before it, may answer otherwise in a while. */
export function mayPass({ status, code }: BillhookError): boolean {
  return code === 'unreachable' || (status !== undefined && RETRIED_STATUSES.includes(status))
}

const RETRIED_STATUSES = [429, 500, 502, 503, 504]
