import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import type { MigrationControl, MigrationPlan } from '../store/migration.js'

/** Pause between two lines about how far a migration is. */
const LINE_PAUSE_MS = 5000

/** Reports a migration at the start of the service to the log, and stops it when the service is to stop. */
export function migrationLog(log: Pick<Logger, 'info' | 'warn'>, clock: Clock, stop: AbortSignal): MigrationControl {
  let begun: MigrationPlan | null = null
  let beganMs = 0
  let writtenMs = 0
  return {
    begins(plan) {
      begun = plan
      beganMs = clock.now()
      writtenMs = beganMs
      log.warn(plan, 'migrating the data before anything is answered; only a backup made before leads back')
    },
    stepped(done) {
      const now = clock.now()
      // A clock that was put back must not silence it.
      if (now >= writtenMs && now - writtenMs < LINE_PAUSE_MS) return
      writtenMs = now
      log.info({ rows: begun?.rows, done }, 'migrating the data')
    },
    finished() {
      log.info({ version: begun?.to, ms: clock.now() - beganMs }, 'the data is migrated')
    },
    isStopping: () => stop.aborted,
  }
}
