import { withId, withoutId } from './ledger-verdict.js'

/** Why a node votes against a transaction. `own` and `shared` errors end in an id; only the last node has one for `shared`. */
export interface Refusal {
  readonly text: string
  readonly form: 'plain' | 'own' | 'shared'
}

export interface Round {
  /** The nodes that were asked, in order. */
  readonly asked: readonly number[]
  readonly inFavour: readonly number[]
  readonly against: ReadonlyMap<number, Refusal>
}

/** Asks nodes one after the other, from the one that was given the transaction, until enough are in favour. */
export function vote(ring: readonly number[], needed: number, refusalAt: (node: number) => Refusal | null): Round {
  const asked: number[] = []
  const inFavour: number[] = []
  const against = new Map<number, Refusal>()
  for (const node of ring) {
    if (inFavour.length === needed) break
    asked.push(node)
    const refusal = refusalAt(node)
    if (refusal === null) inFavour.push(node)
    else against.set(node, refusal)
  }
  return { asked, inFavour, against }
}

/** The errors of a round as its answer has them: those of the node that was asked last come first. */
export function errorsOf({ asked, inFavour, against }: Round, isAgreed: boolean): readonly string[] {
  return asked.toReversed().flatMap((node, position) => {
    const refusal = against.get(node)
    if (refusal === undefined) {
      return isAgreed || !inFavour.includes(node) ? [] : [withId('Failed Network Voting Round - Non Broadcast')]
    }
    const { text, form } = refusal
    if (form === 'plain') return [text]
    return [form === 'own' || position === 0 ? withId(text) : withoutId(text)]
  })
}
