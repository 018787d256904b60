/**
 * An answer that an engine may have at once. An engine that reads another process's data answers with a promise; one that
 * holds the data in this process may answer with the value. Callers `await` both. A hot path that cannot afford a turn of
 * the microtask queue for every request asks `isReady` first, and awaits otherwise: it is right on every engine.
 */
export type Awaitable<T> = T | Promise<T>

/** Whether the answer is there already. */
export function isReady<T>(answer: Awaitable<T>): answer is T {
  return !(answer instanceof Promise)
}
