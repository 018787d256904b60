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
