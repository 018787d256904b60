import type { Cancel, Scheduler } from '../scheduler.js'
import type { Service } from '../service/assembly.js'
import type { Supervisor } from './supervisor.js'

/** Signs of life in the time that the watchdog waits for one. */
const SIGNS_PER_PATIENCE = 2

/**
 * Gives the watchdog its signs of life while the service answers for itself. The timer turns with the main loop, so a loop
 * that is stuck gives none, and neither does a service whose answer does not come.
 */
export function keepWatchdog(
  service: Pick<Service, 'isAlive'>,
  supervisor: Pick<Supervisor, 'alive' | 'patienceMs'>,
  scheduler: Scheduler,
): Cancel {
  const { patienceMs } = supervisor
  if (patienceMs === null) return () => undefined
  let isOver = false
  let cancel: Cancel = () => undefined
  const beat = async () => {
    const isAlive = await service.isAlive()
    if (isOver) return
    if (isAlive) supervisor.alive()
    cancel = scheduler.after(patienceMs / SIGNS_PER_PATIENCE, () => void beat())
  }
  void beat()
  return () => {
    isOver = true
    cancel()
  }
}
