import type { Fragment } from './sql.js'

/** Effects of one kind on the rows of a table, which can be one statement together. */
export interface Effect<T> {
  readonly table: string
  /** Names the row that an effect is about. Null where effects on one row may be one statement, too. */
  readonly nameOf: ((effect: T) => string) | null
  /** Two effects on one row as one. Without it they are two statements. */
  readonly merge?: (earlier: T, later: T) => T
  readonly statement: (effects: readonly T[]) => Fragment
}

/** Where an effect waits. */
interface Place {
  readonly kind: Effect<unknown>
  readonly at: number
}

/** Effects of a unit of work that wait until something else is sent: those of one kind are one statement then. */
export class Effects {
  private readonly waiting = new Map<Effect<unknown>, unknown[]>()
  /** By table and row. */
  private readonly places = new Map<string, Place>()

  /** False when an effect on the same row waits already, and is to be sent before. */
  add<T>(kind: Effect<T>, effect: T): boolean {
    const list = this.listOf(kind)
    const name = kind.nameOf === null ? null : `${kind.table} ${kind.nameOf(effect)}`
    const known = name === null ? undefined : this.places.get(name)
    if (known === undefined) {
      if (name !== null) this.places.set(name, { kind: kind as Effect<unknown>, at: list.length })
      list.push(effect)
      return true
    }
    const earlier = known.kind === kind ? list[known.at] : undefined
    if (earlier === undefined || kind.merge === undefined) return false
    list[known.at] = kind.merge(earlier, effect)
    return true
  }

  /** The statements of those that wait, which wait no more. */
  take(): readonly Fragment[] {
    if (this.waiting.size === 0) return NONE
    const lists = [...this.waiting].filter(([, effects]) => effects.length > 0)
    this.waiting.clear()
    this.places.clear()
    return lists.map(([kind, effects]) => kind.statement(effects))
  }

  /** Those of a kind that wait. Only effects of that kind are kept under it. */
  private listOf<T>(kind: Effect<T>): T[] {
    const known = this.waiting.get(kind as Effect<unknown>)
    if (known !== undefined) return known as T[]
    const list: T[] = []
    this.waiting.set(kind as Effect<unknown>, list)
    return list
  }
}

const NONE: readonly Fragment[] = []
