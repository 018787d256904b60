import { signal } from '@preact/signals'
import type { Recorded } from './suspicion.js'

/** What was asked for, by the id of the invoice or order, oldest first. */
export type AskedById = readonly (readonly [id: string, asked: Recorded])[]

export interface AskedPlace {
  read(): Promise<AskedById>
  /** Changes what is kept in one step for all tabs, and answers it. */
  change(change: (kept: AskedById) => AskedById): Promise<AskedById>
}

/** So many of the newest are kept: others than these were paid, or are shown no more. */
const ASKED_MAX = 500

/** What this browser asked for. Whenever the record of it is shown, it is compared, also behind a reload. */
export class AskedBook {
  private readonly known = signal<ReadonlyMap<string, Recorded>>(new Map())

  constructor(private readonly place: AskedPlace) {}

  async load(): Promise<void> {
    this.known.value = new Map(await this.place.read())
  }

  /** Undefined for what was not asked for here. */
  find(id: string): Recorded | undefined {
    return this.known.value.get(id)
  }

  /** Keeps what was asked for first. Resolves when it is on the disk. */
  async keep(id: string, asked: Recorded): Promise<void> {
    const kept = await this.place.change((before) =>
      before.some(([one]) => one === id) ? before : [...before, [id, asked] as const].slice(-ASKED_MAX),
    )
    this.known.value = new Map(kept)
  }
}
