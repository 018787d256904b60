/**
 * What a read answers. An engine that reads another process's data answers with a promise; one that holds the data in this
 * process may answer with the value. Callers `await` both. A hot path that cannot afford a turn of the microtask queue for
 * every request awaits only an `instanceof Promise`.
 */
export type Awaitable<T> = T | Promise<T>

/** Which part of a list to read, newest record first. */
export interface Page {
  /** The cursor that the page before ended with; null for the first page. */
  readonly after: string | null
  readonly limit: number
}

export interface PageOf<T> {
  readonly items: readonly T[]
  /** The cursor of the next page; null when this is the last one. */
  readonly next: string | null
}
