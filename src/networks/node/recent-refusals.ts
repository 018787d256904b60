/** A refusal, by how many calls had been served before it in total. */
interface Met {
  readonly served: number
  readonly atMs: number
}

/** So many refusals while at most so many calls were served. */
interface Density {
  readonly refusals: number
  readonly served: number
}

/** A limit that a client exceeds only a little refuses it as seldom as the last of these says. */
const REPEATED: readonly Density[] = [
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

  /**
   * Calls a second that were served while the refusals repeated, their pauses included; null when they do not repeat. A limit
   * allows just this pace. `isWhimsical`: the node also refuses calls now and then without a limit.
   */
  servedWhileRepeated(isWhimsical: boolean): number | null {
    const last = this.met.at(-1)
    for (const { refusals, served } of isWhimsical ? REPEATED_AMONG_OTHERS : REPEATED) {
      const first = this.met.at(-refusals)
      if (first === undefined || last === undefined || last.served - first.served > served) continue
      return (1000 * (last.served - first.served)) / Math.max(1, Math.abs(last.atMs - first.atMs))
    }
    return null
  }
}
