import { systemClock } from '../clock.js'
import { createLog, flushLog, type LogLevel, stderrStream } from '../log.js'
import { systemScheduler, wakefulScheduler } from '../scheduler.js'
import { divertNativeErrors } from './native-errors.js'
import type { ReconcileIo } from './reconcile.js'
import type { ServeIo } from './serve.js'

/** Writes a line to standard output. */
export function out(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Writes a line to standard error. */
export function error(line: string): void {
  process.stderr.write(`${line}\n`)
}

type FromService = 'startService' | 'openReconciliation' | 'openLedgerReconciliation'

/** The process as the commands use it, without what they need of the service. */
export function processIo(level: LogLevel): Omit<ServeIo & ReconcileIo, FromService> {
  const stream = stderrStream()
  const log = createLog(level, stream)
  return {
    out,
    error,
    write: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    log,
    flush: () => flushLog(log),
    clock: systemClock,
    scheduler: wakefulScheduler,
    divertErrors: (directory) => divertNativeErrors({ directory, log, stream, scheduler: systemScheduler }),
    onUncaught: (uncaught) => process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught),
    onSignal: (signal, received) => process.on(signal, received),
    exit: (code) => process.exit(code),
  }
}
