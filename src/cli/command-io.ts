import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import type { SignalIo } from './stop-signal.js'

/** What every command needs from its process. */
export interface CommandIo extends SignalIo {
  /** Writes a line for people to standard output. */
  out(line: string): void
  /** Writes a line for people to standard error. */
  error(line: string): void
  readonly log: Logger
  readonly clock: Clock
  /** Resolves when the log is written. */
  flush(): Promise<void>
}
