/** A column of a table of records, which looks alike in the console and on a terminal. */
export interface Column<Item> {
  readonly title: string
  /** `id` is looked up and copied, `figure` is compared by size, `time` is in UTC, `word` is short, `lines` may be several. Any text if absent. */
  readonly kind?: 'id' | 'figure' | 'time' | 'word' | 'lines'
  /** What it says of a record; null for nothing. */
  readonly of: (item: Item) => string | null
}

/** The columns of a table by name, in order. */
export type Columns<Item> = Readonly<Record<string, Column<Item>>>

/** A time in ISO 8601, to the second. One that no calendar has, which an imported record may name, stays a number. */
export function timeText(unixMs: number): string {
  const date = new Date(unixMs)
  return Number.isNaN(date.getTime()) ? String(unixMs) : date.toISOString().replace(/\.\d+/, '')
}

export function timeOrNull(unixMs: number | null): string | null {
  return unixMs === null ? null : timeText(unixMs)
}
