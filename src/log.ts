import { type DestinationStream, destination, type Logger, type LoggerOptions, pino } from 'pino'

export type { Logger }

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

const STDERR = 2

/** The least that makes sonic-boom, below pino, wait in `flush` for what is being written; every line is longer. */
const WRITE_LENGTH_MINIMUM_BYTES = 1

/** How long the end of the process waits for a reader of the log that has stopped reading. */
const FLUSH_TIMEOUT_MS = 1000

/** Names whose values are never written to the log, whoever logs them: credentials, and signatures that stand for them. */
export const REDACTED_NAMES = [
  'authorization',
  'x-service-signature',
  'x-gateway-signature',
  'webhook-signature',
  'secret',
  'gatewaySecret',
] as const

const CENSOR = '[redacted]'

/** How deep in a logged object a redacted name is found: on its own, in an object, in an object of an object. */
const REDACTED_PREFIXES = ['', '*', '*.*']

const options: LoggerOptions = {
  // The collector knows the machine and the process; they would only make each line longer.
  base: null,
  formatters: { level: (label) => ({ level: label }) },
  redact: {
    paths: REDACTED_PREFIXES.flatMap((prefix) => REDACTED_NAMES.map((name) => `${prefix}["${name}"]`)),
    censor: CENSOR,
  },
}

/**
 * The log of the process: JSON, one line per event, on standard error, so that standard output keeps the lines meant for
 * people. Lines are written asynchronously, so that a slow reader does not stop the service: await `flushLog` before
 * ending the process, or the last lines get lost. `to` is for tests.
 */
export function createLog(level: LogLevel, to: DestinationStream = stderrStream()): Logger {
  return pino({ ...options, level }, to)
}

/** The stream below a log on standard error, which can be moved to another descriptor. */
export interface LogStream extends DestinationStream {
  fd: number
}

export function stderrStream(): LogStream {
  return destination({ dest: STDERR, sync: false, minLength: WRITE_LENGTH_MINIMUM_BYTES }) as unknown as LogStream
}

/** Resolves when every line logged so far is written, or cannot be within `FLUSH_TIMEOUT_MS`. */
export function flushLog(log: Logger): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, FLUSH_TIMEOUT_MS)
    // An error means that nobody reads the log any more: there is nowhere left to report it.
    log.flush(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
