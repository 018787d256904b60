import { once } from 'node:events'
import { LineStream } from '../base/line-stream.js'
import { harmless } from '../base/terminal-text.js'
import { unblocked } from '../base/unblocked-descriptor.js'
import { writeFailure } from '../base/write-failure.js'
import { systemClock } from '../clock.js'
import { createLog, flushed, flushLog, type LogLevel, stderrStream } from '../log.js'
import { systemScheduler, wakefulScheduler } from '../scheduler.js'
import type { ProcessIo } from './billhook-command.js'
import { EXIT_FAILURE } from './command.js'
import { makeRoomForDescriptors } from './descriptor-room.js'
import { harmlessOutput } from './harmless-output.js'
import { divertNativeErrors } from './native-errors.js'
import { commandLineOperator } from './operator.js'
import type { ReconcileIo } from './reconcile.js'
import type { ServeIo } from './serve.js'
import { supervisorOf } from './supervisor.js'

const STDOUT = 1

const { out, error, write, print } = harmlessOutput({
  toOutput: (text) => process.stdout.write(text),
  drained: () => once(process.stdout, 'drain'),
  toErrors: writeError,
})

/** Writes a line to standard error. */
export { error }

/** Resolves when the last text that a command wrote to standard error is taken, or lost. */
let errorsWritten: Promise<void> = Promise.resolve()

function writeError(text: string): void {
  errorsWritten = new Promise((written) => {
    errors().write(text, () => written())
  })
}

/** Standard error. What it does not take is lost: there is nowhere to say so, and how a command ends says more. */
function errors(): NodeJS.WriteStream {
  const { stderr } = process
  if (!stderr.listeners('error').includes(ignored)) stderr.on('error', ignored)
  return stderr
}

function ignored(): void {}

/**
 * Resolves when the readers of standard output and of standard error have taken everything that commands wrote: the end of the
 * process would cut off the rest. By then it is also known whether the last write failed.
 */
export async function outputWritten(): Promise<void> {
  await new Promise<void>((written) => {
    process.stdout.write('', () => written())
  })
  await errorsWritten
}

/** Where the system does not say. */
const COLUMNS = 80

function terminalColumns(): number | null {
  const { isTTY, columns } = process.stderr
  if (isTTY !== true || process.env['TERM'] === 'dumb') return null
  return columns > 0 ? columns : COLUMNS
}

type FromService = 'startService' | 'openReconciliation'

/** The process as the commands use it, without what they need of the service. */
export type WholeProcess = Omit<ServeIo & ReconcileIo, FromService> & Pick<ProcessIo, 'print' | 'isOutputTerminal'>

/** As a shell counts a process that SIGPIPE ends (128 + 13). */
const EXIT_BROKEN_PIPE = 141

/**
 * Ends the process with one line when standard output cannot be written, because its disk is full. Its reader may also be a program
 * that reads only the beginning, such as `head`: then nothing is said.
 */
function watchOutput(): void {
  if (process.stdout.listeners('error').includes(outputFailed)) return
  process.stdout.on('error', outputFailed)
}

function outputFailed(failure: NodeJS.ErrnoException): void {
  if (failure.code === 'EPIPE') process.exit(EXIT_BROKEN_PIPE)
  error(`billhook: ${outputFailure(failure)}`)
  process.exit(EXIT_FAILURE)
}

const outputFailure = (failure: Error) => `standard output cannot be written: ${writeFailure(failure)}`

/** Writes a line of a command to standard output. */
export function commandOut(line: string): void {
  watchOutput()
  out(line)
}

/** The process of a command. */
export function commandIo(level: LogLevel): WholeProcess {
  watchOutput()
  return processIo(level)
}

/**
 * The process of the service, of which every line on standard error is one of the log. Nothing that happens to standard output or
 * standard error ends it or holds it up.
 */
export function serviceIo(level: LogLevel): WholeProcess {
  const io = processIo(level)
  const output = new LineStream({
    fd: unblocked(STDOUT),
    scheduler: systemScheduler,
    onFailed: (failure) => io.log.warn(outputFailure(failure)),
  })
  // What the threads write comes here.
  errors()
  process.stdout.on('error', ignored)
  return {
    ...io,
    out: (line) => output.write(`${harmless(line)}\n`),
    error: (line) => stderrStream().write(`${harmless(line)}\n`),
    flush: async () => {
      await Promise.all([io.flush(), flushed((done) => output.flush(done))])
    },
  }
}

function processIo(level: LogLevel): WholeProcess {
  const stream = stderrStream()
  const log = createLog(level, stream)
  return {
    out,
    error,
    write,
    print,
    columns: terminalColumns,
    isOutputTerminal: process.stdout.isTTY === true,
    log,
    flush: async () => {
      await flushLog(log)
    },
    operator: () => commandLineOperator(process.env),
    clock: systemClock,
    scheduler: wakefulScheduler,
    makeRoomForDescriptors: (count) => makeRoomForDescriptors(count, log),
    divertErrors: (directory) => divertNativeErrors({ directory, log, stream, scheduler: systemScheduler }),
    supervisor: () => supervisorOf(process.env, log),
    onUncaught: (uncaught) => process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught),
    onSignal: (signal, received) => process.on(signal, received),
    exit: (code) => process.exit(code),
  }
}
