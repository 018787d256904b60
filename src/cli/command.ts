import type { Clock } from '../clock.js'
import type { Log } from '../log.js'
import { OperatorError } from '../operator-error.js'

// The exit codes of the command line, beside those of a process that a signal ends.
export const EXIT_SUCCESS = 0
/** The command was understood but failed. */
export const EXIT_FAILURE = 1
/** The command line or the environment was refused; nothing was done. */
export const EXIT_USAGE = 2
/** The work was begun, or could not begin, and its end was not reached: the same command can be given again. */
export const EXIT_INCOMPLETE = 3
/** The end was reached, and something stays open that only others can settle. */
export const EXIT_OPEN = 4
/** The codes of a process that a signal ends, as shells count them (128 + number of the signal). */
const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const

export type StopSignal = keyof typeof EXIT_BY_SIGNAL

const STOP_SIGNALS: readonly StopSignal[] = ['SIGTERM', 'SIGINT']

/** What every command needs from its process. */
export interface CommandIo {
  /** Writes a line for people to standard output. */
  out(line: string): void
  /** Writes a line for people to standard error. */
  error(line: string): void
  readonly log: Log
  readonly clock: Clock
  /** Resolves when the log is written. */
  flush(): Promise<void>
  /** Calls back at every signal with this name. */
  onSignal(signal: StopSignal | 'SIGHUP', received: () => void): void
  /** Ends the process at once. */
  exit(code: number): void
}

/** Resolves with the first signal that asks the process to stop. A second one ends the process at once. */
export function firstSignal(io: CommandIo): { signal: Promise<StopSignal>; received: () => boolean } {
  let received = false
  const signal = new Promise<StopSignal>((resolve) => {
    for (const name of STOP_SIGNALS) {
      io.onSignal(name, () => {
        // At once also means without the last lines of the log.
        if (received) io.exit(EXIT_BY_SIGNAL[name])
        received = true
        resolve(name)
      })
    }
  })
  return { signal, received: () => received }
}

/** Does some work that the first signal aborts. */
export async function withSignals(io: CommandIo, work: (stop: AbortSignal) => Promise<number>): Promise<number> {
  const stop = new AbortController()
  const stopped = firstSignal(io).signal.then((signal) => {
    stop.abort()
    return EXIT_BY_SIGNAL[signal]
  })
  try {
    return await work(stop.signal)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    return await stopped
  }
}

/**
 * Opens some work, does it and closes it. Resolves with its exit code, or with 3 when it could not be opened or failed. The
 * first signal aborts `stop`.
 */
export async function withWork<Work extends { close(): Promise<void> }>(
  open: (stop: AbortSignal) => Promise<Work>,
  run: (work: Work) => Promise<number>,
  failure: string,
  io: CommandIo,
): Promise<number> {
  const stop = new AbortController()
  void firstSignal(io).signal.then(() => stop.abort())
  try {
    const work = await open(stop.signal)
    try {
      return await run(work)
    } finally {
      await work.close()
    }
  } catch (error) {
    if (error instanceof OperatorError) io.error(`billhook: ${error.message}`)
    else io.log.fatal({ err: error }, failure)
    return EXIT_INCOMPLETE
  } finally {
    await io.flush()
  }
}
