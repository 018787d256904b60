import { type MakeEngine, onLmdb } from './engine.js'
import type { Disturb } from './session.js'
import type { Script } from './steps.js'
import { Violation } from './violation.js'
import { type Tally, World } from './world.js'

/** How a script went. */
export interface Run {
  /** Stands for all that happened; the same for the same script. */
  readonly digest: string
  readonly tally: Tally
  /** What has happened to orders, by name. */
  readonly seen: ReadonlySet<string>
  readonly violation: { readonly violation: Violation; readonly step: number } | null
}

/** Plays a script in a fresh world. `step` of a violation counts from zero; it is the number of steps after the last one. */
export async function play(
  script: Script,
  makeEngine: MakeEngine = onLmdb,
  disturb: Disturb = (store) => store,
): Promise<Run> {
  const world = await World.begin(script, makeEngine, disturb)
  // The core must not leave a rejection unhandled: in the service it would end the process.
  const onUnhandled = (reason: unknown) => world.report(new Violation('an unhandled rejection', describe(reason)))
  process.on('unhandledRejection', onUnhandled)
  let step = 0
  try {
    for (; step < script.steps.length; step += 1) {
      const next = script.steps[step]
      if (next !== undefined) await world.take(next)
    }
    await world.finish()
    return { digest: world.digest(), tally: world.tally, seen: world.seen, violation: null }
  } catch (error) {
    const violation = error instanceof Violation ? error : new Violation('an exception', describe(error))
    return { digest: world.digest(), tally: world.tally, seen: world.seen, violation: { violation, step } }
  } finally {
    process.off('unhandledRejection', onUnhandled)
    await world.discard()
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
