/** Exit codes of a process that a signal ends, as shells count them (128 + number of the signal). */
const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const

export type StopSignal = keyof typeof EXIT_BY_SIGNAL

const STOP_SIGNALS: readonly StopSignal[] = ['SIGTERM', 'SIGINT']

/** What signals need from the process. */
export interface SignalIo {
  /** Calls back at every signal with this name. */
  onSignal(signal: StopSignal | 'SIGHUP', received: () => void): void
  /** Ends the process at once. */
  exit(code: number): void
}

export interface FirstSignal {
  readonly signal: Promise<StopSignal>
  received(): boolean
}

/** Resolves with the first signal that asks the process to stop. A second one ends the process at once. */
export function firstSignal(io: SignalIo): FirstSignal {
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
