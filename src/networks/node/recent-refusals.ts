/** A refusal, by how many calls had been served before it in total. */
interface Met {
  readonly served: number
  /** Calls that were served in the second before. */
  readonly servedAtOnce: number
  readonly atMs: number
}

/** What was served while refusals repeated. */
interface ServedBetween {
  /** Calls a second, their pauses included. A limit allows just this pace, or more where calls are not saved up for long. */
  readonly perSecond: number
  /** The most calls that were served within a second before one of them. */
  readonly atOnce: number
}

/** So many refusals while at most so many calls were served. */
interface Density {
  readonly refusals: number
  readonly served: number
}

/** A limit that a client exceeds only a little refuses it as seldom as the last of these says. */
const REPEATED: readonly Density[] = [
  { refusals: 2, served: 3 },
  { refusals: 3, served: 8 },
  { refusals: 4, served: 16 },
  { refusals: 6, served: 250 },
]
/** What one call in twenty that is refused at random seldom amounts to. */
const REPEATED_AMONG_OTHERS: readonly Density[] = [{ refusals: 7, served: 30 }]
const KEPT = Math.max(...[...REPEATED, ...REPEATED_AMONG_OTHERS].map(({ refusals }) => refusals))

/** The last refusals of a node, and whether they come close enough to each other to tell of a limit. */
export class RecentRefusals {
  private met: Met[] = []

  note(refusal: Met): void {
    this.met = [...this.met, refusal].slice(-KEPT)
  }

  /** Null when they do not repeat. `isWhimsical`: the node also refuses calls now and then without a limit. */
  servedWhileRepeated(isWhimsical: boolean): ServedBetween | null {
    const last = this.met.at(-1)
    for (const { refusals, served } of isWhimsical ? REPEATED_AMONG_OTHERS : REPEATED) {
      const series = this.met.slice(-refusals)
      const [first] = series
      if (first === undefined || last === undefined || series.length < refusals) continue
      const count = last.served - first.served
      if (count > served) continue
      return {
        perSecond: (1000 * count) / Math.max(1, Math.abs(last.atMs - first.atMs)),
        atOnce: Math.max(...series.map(({ servedAtOnce }) => servedAtOnce)),
      }
    }
    return null
  }
}
