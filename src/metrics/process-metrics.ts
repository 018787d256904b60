import { collectDefaultMetrics, Registry } from 'prom-client'

let registry: Registry | undefined

/**
 * What prom-client knows of any Node process: CPU, memory, garbage collection, event-loop lag. It watches the process for
 * as long as that lives, so it is asked to only once, whatever is started and stopped inside, and only by who shows it.
 */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  return registry
}
