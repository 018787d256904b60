import { Random } from './random.js'
import { makeScript } from './script.js'
import { CONFLICTS, type FaultStep, type Script, type Step } from './steps.js'

const CLUSTER_STREAM = 4
/** Messages of several calls at once, and of one. */
const MANY_MESSAGES = 400
const FEW_MESSAGES = 30
/** Longer than a lease that nobody renews. */
const LEASE_OVER_MS = 6000

/** How often each comes, beside as many other steps. A script varies all of them by up to a factor of three, either way. */
const FAULTS: Readonly<Record<FaultStep['do'] | 'leave', number>> = {
  cut: 0.02,
  die: 0.004,
  slow: 0.004,
  conflict: 0.02,
  sleep: 0.005,
  wake: 0.02,
  /** Time passes in which a lease ends. */
  leave: 0.005,
}

/** The script of a seed for several processes, between whose steps something goes wrong. */
export function makeClusterScript(seed: number, stepCount: number): Script {
  const random = new Random(seed, CLUSTER_STREAM)
  const { steps, ...script } = makeScript(seed, stepCount)
  const processes = random.pick([2, 3])
  const often = random.pick([0, 1 / 3, 1, 1, 3])
  const withFaults = steps.flatMap((step): Step[] => {
    const placed = { ...step, at: random.below(processes) }
    const faults = Object.entries(FAULTS).filter(([, probability]) => random.chance(probability * often))
    // The entries of a record have its names.
    return [...faults.map(([name]) => fault(name as keyof typeof FAULTS, random, random.below(processes))), placed]
  })
  return { ...script, processes, steps: withFaults.slice(0, stepCount) }
}

function fault(name: keyof typeof FAULTS, random: Random, at: number): Step {
  switch (name) {
    case 'cut':
    case 'die':
      return { do: name, at, messages: random.below(random.pick([FEW_MESSAGES, MANY_MESSAGES])) }
    case 'slow':
      return { do: name, at, ms: random.pick([0, 1, 3]) }
    case 'conflict':
      return { do: name, commits: random.below(4), code: random.pick(CONFLICTS) }
    case 'sleep':
    case 'wake':
      return { do: name, at }
    case 'leave':
      return { do: 'wait', ms: LEASE_OVER_MS }
  }
}
