import type { Measurement, Results } from '../results.js'
import { judgeTargets } from '../targets.js'

/**
 * The pieces of a run that was made in several, as one: samples of a measurement are put together. Throws unless all
 * pieces are of one commit on one machine.
 */
export function mergeResults(pieces: readonly Results[]): Results {
  const [first, ...others] = pieces.toSorted((a, b) => a.startedAt.localeCompare(b.startedAt))
  if (first === undefined) throw new Error('there are no results')
  for (const other of others) assertSameMachine(first, other)
  const measurements = new Map<string, Measurement>()
  for (const measurement of pieces.flatMap((piece) => piece.measurements)) {
    const key = JSON.stringify([measurement.group, measurement.name, measurement.x, measurement.unit])
    const samples = measurements.get(key)?.samples ?? []
    measurements.set(key, { ...measurement, samples: [...samples, ...measurement.samples] })
  }
  const merged = {
    ...first,
    durationSeconds: pieces.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0),
    machine: { ...first.machine, versions: Object.assign({}, ...pieces.map(({ machine }) => machine.versions)) },
    parameters: commonParameters(pieces),
    measurements: [...measurements.values()],
    skipped: [...new Set(pieces.flatMap(({ skipped }) => skipped))],
  }
  return { ...merged, targets: judgeTargets(merged) }
}

/** What differs between the pieces, the number of rounds for instance, is no parameter of the whole. */
function commonParameters(pieces: readonly Results[]): Results['parameters'] {
  const [first, ...others] = pieces.map(({ parameters }) => parameters)
  const common = Object.entries(first ?? {}).filter(([name, value]) => others.every((one) => one[name] === value))
  return Object.fromEntries(common)
}

function assertSameMachine(a: Results, b: Results): void {
  const differing = (['cpu', 'cores', 'os', 'node', 'commit'] as const).find(
    (fact) => a.machine[fact] !== b.machine[fact],
  )
  if (differing !== undefined) {
    throw new Error(`the results differ in ${differing}: ${a.machine[differing]} and ${b.machine[differing]}`)
  }
}
