import { NodeFailure } from '../node/answer.js'

/** A block could not be read in any of the ways that there are. */
export class EveryWayFailed extends NodeFailure {
  override readonly name = 'EveryWayFailed'

  constructor(
    what: string,
    /** In the order in which the ways were tried, at least one. */
    readonly failures: readonly NodeFailure[],
  ) {
    super(`${what}: ${[...new Set(failures.map(({ message }) => message))].join('; ')}`)
    this.question = failures[0]?.question ?? null
  }
}
