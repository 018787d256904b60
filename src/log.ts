import { type DestinationStream, destination, type Logger, type LoggerOptions, pino } from 'pino'

export type { Logger }

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

const STDERR = 2

/** The minimum with which sonic-boom, below pino, waits in `flush` for the write in progress. Every line is longer. */
const WRITE_LENGTH_MINIMUM_BYTES = 1

/** Maximum time that the end of the process waits for a log reader that has stopped reading. */
const FLUSH_TIMEOUT_MS = 1000

/** Names whose values are never logged: credentials, and signatures that can be used in their place. */
export const REDACTED_NAMES = [
  'authorization',
  'x-service-signature',
  'x-gateway-signature',
  'webhook-signature',
  'secret',
  'gatewaySecrets',
] as const

const CENSOR = '[redacted]'

/** The depths at which a redacted name is found: at the top, in an object, in an object of an object. */
const REDACTED_PREFIXES = ['', '*', '*.*']

const options: LoggerOptions = {
  // The collector knows machine and process, so the lines omit them.
  base: null,
  formatters: { level: (label) => ({ level: label }) },
  redact: {
    paths: REDACTED_PREFIXES.flatMap((prefix) => REDACTED_NAMES.map((name) => `${prefix}["${name}"]`)),
    censor: CENSOR,
  },
}

/**
 * The log of the process: JSON, one line per event, on standard error, so that standard output keeps the lines meant
 * for people. Lines are written asynchronously, so that a slow reader does not stop the service: await `flushLog`
 * before ending the process, or the last lines get lost. `to` is for tests.
 */
export function createLog(level: LogLevel, to: DestinationStream = stderrStream()): Logger {
  return pino({ ...options, level }, to)
}

/** The stream below a log on standard error. It can be moved to another descriptor. */
export interface LogStream extends DestinationStream {
  fd: number
}

export function stderrStream(): LogStream {
  return destination({ dest: STDERR, sync: false, minLength: WRITE_LENGTH_MINIMUM_BYTES }) as unknown as LogStream
}

/** Resolves with true when every line logged so far is written, with false when it cannot be within `FLUSH_TIMEOUT_MS`. */
export function flushLog(log: Logger): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), FLUSH_TIMEOUT_MS)
    log.flush((error: NodeJS.ErrnoException | null | undefined) => {
      clearTimeout(timer)
      // What was written is synchronized to the disk then, which a pipe has not.
      resolve(!error || error.syscall === 'fsync')
    })
  })
}
