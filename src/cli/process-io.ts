import { systemClock } from '../clock.js'
import { createLog, flushLog, type LogLevel, stderrStream } from '../log.js'
import { systemScheduler, wakefulScheduler } from '../scheduler.js'
import { divertNativeErrors } from './native-errors.js'
import type { ReconcileIo } from './reconcile.js'
import type { ReconcileLedgerIo } from './reconcile-ledger.js'
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

/** The process as `serve` uses it. */
export function processIo(level: LogLevel, startService: ServeIo['startService']): ServeIo {
  const { moveLog, ...common } = commonIo(level)
  const { log } = common
  return {
    ...common,
    startService,
    divertErrors: (directory) => divertNativeErrors({ directory, log, moveLog, scheduler: systemScheduler }),
    onUncaught: (uncaught) => process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught),
    scheduler: wakefulScheduler,
  }
}

/** The process as `reconcile` uses it. */
export function reconcileIo(level: LogLevel, openReconciliation: ReconcileIo['openReconciliation']): ReconcileIo {
  const { moveLog: _, ...common } = commonIo(level)
  return {
    ...common,
    openReconciliation,
    ...terminal(),
  }
}

/** The process as `reconcile --ledger` uses it. */
export function reconcileLedgerIo(
  level: LogLevel,
  openLedgerReconciliation: ReconcileLedgerIo['openLedgerReconciliation'],
): ReconcileLedgerIo {
  return { ...commonIo(level), openLedgerReconciliation, ...terminal() }
}

function terminal() {
  return { write: (text: string) => process.stderr.write(text), isTerminal: process.stderr.isTTY === true }
}

function commonIo(level: LogLevel) {
  const stream = stderrStream()
  const log = createLog(level, stream)
  return {
    out,
    error,
    log,
    moveLog: (fd: number) => {
      stream.fd = fd
    },
    clock: systemClock,
    onSignal: (signal: StopSignal | 'SIGHUP', received: () => void) => process.on(signal, received),
    flush: () => flushLog(log),
    exit: (code: number) => process.exit(code),
  }
}
