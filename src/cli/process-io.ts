import { systemClock } from '../clock.js'
import { createLog, flushLog, type LogLevel } from '../log.js'
import type { ReconcileIo } from './reconcile.js'
import type { ServeIo } from './serve.js'
import type { StopSignal } from './stop-signal.js'

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
  return {
    ...commonIo(level),
    startService,
    onUncaught: (uncaught) => process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught),
    after: (delayMs, elapsed) => {
      const timer = setTimeout(elapsed, delayMs)
      return { cancel: () => clearTimeout(timer) }
    },
  }
}

/** What `reconcile` needs, from the process that this is. */
export function reconcileIo(level: LogLevel, openReconciliation: ReconcileIo['openReconciliation']): ReconcileIo {
  return {
    ...commonIo(level),
    openReconciliation,
    write: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
  }
}

function commonIo(level: LogLevel) {
  const log = createLog(level)
  return {
    out,
    error,
    log,
    clock: systemClock,
    onSignal: (signal: StopSignal | 'SIGHUP', received: () => void) => process.on(signal, received),
    flush: () => flushLog(log),
    exit: (code: number) => process.exit(code),
  }
}
