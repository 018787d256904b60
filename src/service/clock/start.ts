import { systemScheduler } from '../../scheduler.js'
import type { Core } from '../core.js'
import type { CoreContext } from '../core-context.js'
import { ClockWatch } from './clock-watch.js'
import { DatabaseClock } from './database-clock.js'
import { NearHosts } from './near-hosts.js'

export function startClockWatch({ duties }: Core, { clock, log, shutdown }: CoreContext): ClockWatch {
  const near = new NearHosts()
  const watch = new ClockWatch({
    watched: duties,
    clock,
    scheduler: systemScheduler,
    log,
    isNear: (origin) => near.isNear(origin),
  })
  shutdown.add('clock', () => watch.stop())
  watch.start()
  return watch
}

/** Null where the records have the time of this machine. */
export function startDatabaseClock({ settings, store, clock, log, shutdown }: CoreContext): DatabaseClock | null {
  if (settings.store === 'lmdb') return null
  const watch = new DatabaseClock({ store, clock, scheduler: systemScheduler, log })
  shutdown.add('clock of the database', () => watch.stop())
  watch.start()
  return watch
}
