import { systemClock } from '../clock.js'
import { createLog, flushLog, type LogLevel } from '../log.js'
import type { ServeIo } from './serve.js'

/** Writes a line to standard output. */
export function out(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Writes a line to standard error. */
export function error(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** What `serve` needs, from the process that this is. */
export function processIo(level: LogLevel, startService: ServeIo['startService']): ServeIo {
  const log = createLog(level)
  return {
    out,
    error,
    log,
    clock: systemClock,
    startService,
    onSignal: (signal, received) => process.on(signal, received),
    onUncaught: (uncaught) => process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught),
    after: (delayMs, elapsed) => {
      const timer = setTimeout(elapsed, delayMs)
      return { cancel: () => clearTimeout(timer) }
    },
    flush: () => flushLog(log),
    exit: (code) => process.exit(code),
  }
}
