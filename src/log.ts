import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { LineStream } from './base/line-stream.js'
import { escaped } from './base/terminal-text.js'
import { unblocked } from './base/unblocked-descriptor.js'
import { writeFailure } from './base/write-failure.js'
import { systemClock } from './clock.js'
import { systemScheduler } from './scheduler.js'

export type { Logger }

/** The log of the process. */
export interface Log extends Logger {
  /** How many lines could not be written. */
  linesLost(): number
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

const STDERR = 2

/** Maximum time that the end of the process waits for a reader that has stopped reading. */
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
  // JSON escapes what ends a line. People read the log on terminals, which obey more, and it holds names that others chose.
  hooks: { streamWrite: escaped },
}

/**
 * The log of the process: JSON, one line per event, on standard error, so that standard output keeps the lines meant
 * for people. Lines are written asynchronously and may get lost, so that nothing that happens to standard error stops the
 * service: await `flushLog` before ending the process, or the last lines get lost, too. `to` is for tests.
 */
export function createLog(level: LogLevel, to: DestinationStream = stderrStream()): Log {
  return Object.assign(pino({ ...options, level }, to), {
    linesLost: () => (to instanceof LineStream ? to.lost : 0),
  })
}

/** The log of what operators do. Only silence leaves it out: a level that spares the disk is no reason to forget who did what. */
export function auditLog(log: Logger): Logger {
  return log.level === 'silent' ? log : log.child({}, { level: 'info' })
}

let ofStderr: LineStream | null = null

/** The stream below every log on standard error. */
export function stderrStream(): LineStream {
  ofStderr ??= logStream(unblocked(STDERR))
  return ofStderr
}

/** A stream below a log. It tells of lost lines itself, whatever the level of the log is. */
export function logStream(fd: number): LineStream {
  return new LineStream({ fd, scheduler: systemScheduler, aboutLost })
}

function aboutLost(lost: number, failure: Error | null): string {
  const reason = failure === null ? 'the reader was too slow' : writeFailure(failure)
  const msg = lost === 1 ? '1 line of the log was lost' : `${lost} lines of the log were lost`
  return `${JSON.stringify({ level: 'warn', time: systemClock.now(), lost, reason, msg })}\n`
}

/** Resolves with true when every line logged so far is written, with false when it cannot be within `FLUSH_TIMEOUT_MS`. */
export function flushLog(log: Logger): Promise<boolean> {
  return flushed((done) => log.flush(done))
}

/** The same of any stream of lines. */
export function flushed(flush: (done: (failure?: Error) => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), FLUSH_TIMEOUT_MS)
    flush((failure) => {
      clearTimeout(timer)
      resolve(failure === undefined)
    })
  })
}
