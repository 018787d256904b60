import type { Judgement } from './scheduler.js'
import { Violation } from './violation.js'

/** Judgements that are tried before the search for an order is given up. */
const TRIES_MAX = 20_000

/** What a search for an order needs of the world. */
export interface Judged {
  /** Keeps the model as it is now, and answers what puts it back. */
  capture(): () => void
  /** Throws when the model has done what the store has not, or in another order. */
  fits(): void
  /** Throws when the store holds something else than the model. */
  ends(): Promise<void>
}

/**
 * Finds an order in which the model answers like the store did to calls that it performed at once. What belongs to a call is in its
 * own order. The calls come in the order in which they were answered, which is nearly always the right one. Throws what is wrong with
 * that one when there is none.
 */
export async function judgeTogether(calls: readonly (readonly Judgement[])[], world: Judged): Promise<void> {
  const putBack = calls.length > 1 ? world.capture() : null
  let first: Violation
  try {
    for (const one of calls.flat()) {
      one()
      world.fits()
    }
    return await world.ends()
  } catch (error) {
    if (!(error instanceof Violation) || putBack === null) throw error
    first = error
  }
  putBack()
  if (!(await new Search(world).from(calls))) throw first
}

class Search {
  private tries = 0

  constructor(private readonly world: Judged) {}

  /** Whether there is an order. The model is then as it is behind it, and otherwise as it was. */
  async from(calls: readonly (readonly Judgement[])[]): Promise<boolean> {
    const left = calls.filter((judgements) => judgements.length > 0)
    if (left.length === 0) return holds(() => this.world.ends())
    const putBack = this.world.capture()
    for (const [i, [next, ...rest]] of left.entries()) {
      this.tries += 1
      if (this.tries > TRIES_MAX) return false
      const isGood = await holds(() => {
        next?.()
        this.world.fits()
      })
      if (isGood && (await this.from(left.with(i, rest)))) return true
      putBack()
    }
    return false
  }
}

async function holds(judge: () => void | Promise<void>): Promise<boolean> {
  try {
    await judge()
    return true
  } catch (error) {
    if (error instanceof Violation) return false
    throw error
  }
}
