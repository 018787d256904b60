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
  /** Served calls for each refusal. */
  readonly perRefusal: number
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
/** Random refusals seldom come so close together: this many of them, with only a third of the expected served calls between them. */
const AMONG_OTHERS = { refusals: 7, part: 3 } as const
const KEPT = Math.max(AMONG_OTHERS.refusals, ...REPEATED.map(({ refusals }) => refusals))

/** The last refusals of a node, and whether they come close enough to each other to tell of a limit. */
export class RecentRefusals {
  private met: Met[] = []

  note(refusal: Met): void {
    this.met = [...this.met, refusal].slice(-KEPT)
  }

  /**
   * Null when they do not repeat. `expected`: how many calls are served between refusals that no limit explains, where the node
   * makes such.
   */
  servedWhileRepeated(expected: number | null): ServedBetween | null {
    const last = this.met.at(-1)
    for (const { refusals, served } of expected === null ? REPEATED : [amongOthers(expected)]) {
      const series = this.met.slice(-refusals)
      const [first] = series
      if (first === undefined || last === undefined || series.length < refusals) continue
      const count = last.served - first.served
      if (count > served) continue
      return {
        perSecond: (1000 * count) / Math.max(1, Math.abs(last.atMs - first.atMs)),
        atOnce: Math.max(...series.map(({ servedAtOnce }) => servedAtOnce)),
        perRefusal: count / (refusals - 1),
      }
    }
    return null
  }
}

function amongOthers(expected: number): Density {
  const { refusals, part } = AMONG_OTHERS
  return { refusals, served: Math.floor(((refusals - 1) * expected) / part) }
}
