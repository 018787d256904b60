import { type MakeEngine, onLmdb } from './engine.js'
import type { Disturb } from './session.js'
import { play } from './simulate.js'
import type { Script, Step } from './steps.js'

/** Runs that shortening a script may take, and the time after which no further one begins. */
const RUNS_MAX = 1500
const DURATION_MAX_MS = 180_000

/**
 * Shortens a script that ends in a violation, and answers one that ends in a violation of the same kind (delta debugging:
 * leave out ever smaller chunks, and keep what still fails). First all steps of a kind are left out, which is often enough to
 * see what it is not about.
 */
export async function shrink(script: Script, makeEngine: MakeEngine = onLmdb, disturb?: Disturb): Promise<Script> {
  const first = await play(script, makeEngine, disturb)
  if (first.violation === null) return script
  const { kind } = first.violation.violation
  let steps = script.steps.slice(0, first.violation.step + 1)
  let runs = 0
  const startedMs = performance.now()
  const mayGoOn = () => runs < RUNS_MAX && performance.now() - startedMs < DURATION_MAX_MS
  const stillFails = async (candidate: readonly Step[]): Promise<boolean> => {
    runs += 1
    return (await play({ ...script, steps: candidate }, makeEngine, disturb)).violation?.violation.kind === kind
  }
  for (const kind of new Set(steps.map((step) => step.do))) {
    if (!mayGoOn()) break
    const candidate = steps.filter((step) => step.do !== kind)
    if (await stillFails(candidate)) steps = candidate
  }
  for (let chunk = Math.ceil(steps.length / 2); chunk >= 1; chunk = chunk === 1 ? 0 : Math.ceil(chunk / 2)) {
    for (let isShorter = true; isShorter && mayGoOn(); ) {
      isShorter = false
      for (let at = 0; at < steps.length && mayGoOn(); ) {
        const candidate = [...steps.slice(0, at), ...steps.slice(at + chunk)]
        if (await stillFails(candidate)) {
          steps = candidate
          isShorter = true
        } else at += chunk
      }
      // Only single steps are worth another round.
      if (chunk > 1) break
    }
  }
  return { ...script, steps }
}
