const KEY_BYTES = 16

/** An idempotency key. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

/** Resolves after a time, or as soon as the tab is looked at again or the connection comes back. */
export function untilLookedAt(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = new AbortController()
    const done = () => {
      clearTimeout(timer)
      stop.abort()
      resolve()
    }
    const timer = setTimeout(done, ms)
    const { signal } = stop
    const looked = () => document.visibilityState === 'visible' && done()
    document.addEventListener('visibilitychange', looked, { signal })
    addEventListener('online', done, { signal })
    ended.addEventListener('abort', done, { signal })
  })
}
