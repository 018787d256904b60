import { computed, type Signal, signal } from '@preact/signals'

/** Rows that are added at once. */
const ROWS = 50
/** Records that one search looks at before it asks whether to go on. */
const LOOKED_AT_MAX = 2000

/** What all records of a list have. */
export interface Listed {
  readonly id: string
  readonly created_at: number
}

/** The records of one kind that are known, live, and a list of those that fit a filter. */
export abstract class LiveList<T extends Listed, F> {
  protected readonly known = signal<ReadonlyMap<string, T>>(new Map())
  private source: AsyncGenerator<T, void> | null = null
  readonly filter: Signal<F>
  /** Whether there may be more rows. */
  readonly hasMore = signal(true)
  /** Those that fit the filter, newest first. */
  readonly rows = computed(() => {
    const { value: filter } = this.filter
    const fitting = [...this.known.value.values()].filter((record) => this.fits(record, filter))
    return fitting.sort((a, b) => b.created_at - a.created_at)
  })

  /** `everything`: the filter that leaves out nothing. */
  constructor(everything: F) {
    this.filter = signal(everything)
  }

  /** What the service lists for a filter, newest first. There may be records among them that do not fit. */
  protected abstract list(filter: F): AsyncGenerator<T, void>
  protected abstract fits(record: T, filter: F): boolean

  /** What is known of one, live. */
  find(id: string): T | undefined {
    return this.known.value.get(id)
  }

  /** Shows what fits another filter. */
  async choose(filter: F): Promise<void> {
    this.filter.value = filter
    this.source = this.list(filter)
    this.hasMore.value = true
    await this.more()
  }

  /** Adds rows. */
  async more(): Promise<void> {
    const { source } = this
    const { value: filter } = this.filter
    const found: T[] = []
    for (let looked = 0; source !== null && looked < LOOKED_AT_MAX && found.length < ROWS; looked++) {
      const { value, done } = await source.next()
      if (this.source !== source) return
      if (done === true || value === undefined) {
        this.hasMore.value = false
        break
      }
      if (this.fits(value, filter)) found.push(value)
    }
    this.take(found)
  }

  /** Notes records as they are now. */
  take(records: readonly T[]): void {
    if (records.length === 0) return
    this.known.value = new Map([...this.known.value, ...records.map((record) => [record.id, record] as const)])
  }
}
