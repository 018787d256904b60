import type { Judgement } from './scheduler.js'
import { Violation } from './violation.js'

/** Judgements that are tried before the search for an order is given up. */
const TRIES_MAX = 20_000

/** A call that was performed at the same time as others, and what is to be judged of it, in order. */
export interface CallAtOnce {
  /** For people. */
  readonly name: () => string
  readonly judgements: readonly Judgement[]
}

/** What a search for an order needs of the world. */
export interface Judged {
  /** Keeps the model as it is now, and answers what puts it back. */
  capture(): () => void
  /** Throws when the model has done what the store has not, or in another order. */
  fits(): void
  /** Throws when the store holds something else than the model. */
  ends(): Promise<void>
  /** What else of the store tells in which order it has performed the calls, for people. */
  traces(): readonly string[]
}

/**
 * Finds an order in which the model answers like the store did to calls that it performed at once. What belongs to a call is in its
 * own order. The calls come in the order in which they were answered, which is nearly always the right one. Throws what is wrong with
 * that one when there is none, and how far the others have come.
 */
export async function judgeTogether(calls: readonly CallAtOnce[], world: Judged): Promise<void> {
  const putBack = calls.length > 1 ? world.capture() : null
  let first: Violation
  try {
    for (const one of calls.flatMap(({ judgements }) => judgements)) {
      one()
      world.fits()
    }
    return await world.ends()
  } catch (error) {
    if (!(error instanceof Violation) || putBack === null) throw error
    first = error
  }
  putBack()
  const search = new Search(world)
  if (await search.from(calls.map((call, at) => ({ at, judgements: call.judgements })))) return
  throw first.with([
    `performed at once, in the order of their answers (${search.judged} judgements tried):`,
    ...calls.map(({ name }, at) => `  ${at + 1}  ${name()}`),
    `an order that comes as far as any: ${search.furthest.map((at) => at + 1).join(' ')}, until ${search.end?.message === first.message ? 'the same' : search.end?.message}`,
    ...world.traces(),
  ])
}

interface CallLeft {
  /** Its place in the order of the answers. */
  readonly at: number
  readonly judgements: readonly Judgement[]
}

class Search {
  private tries = 0
  /** The longest order that was tried, by the places of the calls, and what was wrong with it. */
  furthest: readonly number[] = []
  end: Violation | null = null

  constructor(private readonly world: Judged) {}

  get judged(): number {
    return this.tries
  }

  /** Whether there is an order. The model is then as it is behind it, and otherwise as it was. */
  async from(calls: readonly CallLeft[], before: readonly number[] = []): Promise<boolean> {
    const left = calls.filter(({ judgements }) => judgements.length > 0)
    if (left.length === 0) return this.holds(() => this.world.ends(), before)
    const putBack = this.world.capture()
    for (const [i, { at, judgements }] of left.entries()) {
      const [next, ...rest] = judgements
      this.tries += 1
      if (this.tries > TRIES_MAX) return false
      const order = [...before, at]
      const judge = () => {
        next?.()
        this.world.fits()
      }
      if ((await this.holds(judge, order)) && (await this.from(left.with(i, { at, judgements: rest }), order)))
        return true
      putBack()
    }
    return false
  }

  private async holds(judge: () => void | Promise<void>, order: readonly number[]): Promise<boolean> {
    try {
      await judge()
      return true
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      if (this.end === null || order.length > this.furthest.length) {
        this.furthest = order
        this.end = error
      }
      return false
    }
  }
}
