import { setImmediate as otherWork } from 'node:timers/promises'
import type { Registry } from 'prom-client'

/** How long metrics may take of one turn of the event loop together; the last one is not interrupted. */
const TURN_MS = 1

/**
 * The metrics of a registry in the text format of Prometheus, one after the other: all at once they take several milliseconds, and
 * more the first time. For metrics that wait for nothing. `now`: milliseconds on a clock that does not jump.
 */
export async function exposed(registry: Registry, now: () => number = () => performance.now()): Promise<string> {
  const texts: string[] = []
  let startedMs = now()
  for (const { name } of registry.getMetricsAsArray()) {
    if (now() - startedMs >= TURN_MS) {
      await otherWork()
      startedMs = now()
    }
    texts.push(await registry.getSingleMetricAsString(name))
  }
  return texts.map((text) => `${text}\n`).join('\n')
}
