import type { LedgerTemper, OnboardingOutcome } from './ledger-temper.js'

/** How an onboarding ends that the nodes agreed on. `again`: the identity existed before it came. */
export interface Ending {
  readonly answer: OnboardingOutcome | 'again'
  /** Whether the identity is made by it, whatever the answer says. */
  readonly isSaved: boolean
}

interface Race {
  /** Where each of them was posted, in order of arrival. */
  readonly nodes: number[]
  outcomes: readonly OnboardingOutcome[]
  ended: number
  left: number
}

/** Simultaneous onboardings of one key, all of which the nodes agree on before any of them is saved. */
export class OnboardingRaces {
  private readonly races = new Map<string, Race>()

  constructor(private readonly temper: Pick<LedgerTemper, 'onboardings'>) {}

  /** An onboarding of an identity that does not exist. Call what it answers when it has ended. */
  enter(identity: string, node: number): () => void {
    const race = this.races.get(identity) ?? { nodes: [], outcomes: [], ended: 0, left: 0 }
    this.races.set(identity, race)
    race.nodes.push(node)
    return () => {
      race.left += 1
      if (race.left === race.nodes.length) this.races.delete(identity)
    }
  }

  /** How the next one ends that entered. */
  end(identity: string): Ending {
    const race = this.races.get(identity)
    if (race === undefined) throw new Error('an onboarding ends that never entered')
    const { nodes } = race
    if (race.outcomes.length === 0) {
      race.outcomes = nodes.length === 1 ? ['committed'] : this.temper.onboardings(nodes[0] === nodes[1])
    }
    const place = race.ended
    race.ended += 1
    const answer = race.outcomes[place] ?? 'unsaved'
    // Who is told that the stream exists is told so because it does.
    const maker = race.outcomes[0] === 'exists' ? 0 : Math.max(race.outcomes.indexOf('committed'), 0)
    return { answer, isSaved: answer === 'committed' || place === maker }
  }
}
