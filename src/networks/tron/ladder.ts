import type { Clock } from '../../clock.js'
import { BadAnswer, HttpFailure, isMissingMethod, mayDoOtherwise, type NodeFailure, UnfitNode } from '../node/answer.js'
import { Shortcomings } from '../node/shortcomings.js'

/** A way to find something out, named by the path of the query that it depends on. */
export interface Rung<T> {
  readonly path: string
  readonly climb: () => Promise<T>
}

/** Finds a way to what a node has, and remembers which queries it does not answer. */
export class Ladder {
  private readonly shortcomings: Shortcomings<string>

  constructor(clock: Clock) {
    this.shortcomings = new Shortcomings(clock)
  }

  /** Whether a query is known not to be answered. */
  isClosed(path: string): boolean {
    return this.shortcomings.has(path)
  }

  close(path: string): void {
    this.shortcomings.note(path)
  }

  /**
   * Tries one way after another, best first, and passes over those that are known not to work. Whatever fails, the next
   * one is tried, unless the node turns its client away or cannot be reached. Rejects with what all of them say.
   */
  async first<T>(rungs: readonly Rung<T>[]): Promise<T> {
    const open = rungs.filter(({ path }) => !this.isClosed(path))
    const failed: { readonly path: string; readonly failure: NodeFailure }[] = []
    for (const { path, climb } of open.length === 0 ? rungs : open) {
      try {
        const found = await climb()
        this.shortcomings.succeeded(path)
        for (const { path, failure } of failed) this.note(path, failure)
        return found
      } catch (error) {
        if (!mayDoOtherwise(error)) throw error
        failed.push({ path, failure: error })
      }
    }
    // Nothing works now, so what did not work before deserves another try.
    for (const { path } of rungs) this.shortcomings.succeeded(path)
    throw together(failed.map(({ failure }) => failure))
  }

  /** A query failed where another one helped. */
  private note(path: string, failure: NodeFailure): void {
    // A slow answer says nothing of what the node can do.
    if (failure instanceof HttpFailure && failure.reason === 'timeout') return
    if (isNotServed(failure)) this.shortcomings.note(path)
    else this.shortcomings.failed(path)
  }
}

/** None of the ways to something is served. */
class NothingServed extends BadAnswer {}

/** Whether a node says that it does not serve a path. Proxies in front of it answer unknown paths with pages. */
export function isNotServed(failure: unknown): failure is NodeFailure {
  if (failure instanceof UnfitNode || failure instanceof NothingServed || isMissingMethod(failure)) return true
  return failure instanceof HttpFailure && failure.reason === 'not_json'
}

/** One failure that says what all say. It is a problem of the node when one of them is. */
function together(failures: readonly NodeFailure[]): NodeFailure {
  const [only] = failures
  if (only !== undefined && failures.length === 1) return only
  const message = [...new Set(failures.map((failure) => failure.message))].join('; ')
  const unfit = failures.find((failure) => failure instanceof UnfitNode)
  if (unfit !== undefined) return new UnfitNode(unfit.reason, message)
  return failures.every(isNotServed) ? new NothingServed(message) : new BadAnswer(message)
}
