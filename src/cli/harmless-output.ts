import { harmless } from '../base/terminal-text.js'
import type { ProcessIo } from './billhook-command.js'

/** Where the texts of a command go. */
export interface Sinks {
  /** Standard output. False when it should take no more until `drained`. */
  toOutput(text: string): boolean
  drained(): Promise<unknown>
  /** Standard error. */
  toErrors(text: string): void
}

/**
 * What commands print may hold text that others chose, such as the name of a wallet. Nothing of it controls the terminal. Only `write`
 * leaves texts as they are.
 */
export function harmlessOutput(sinks: Sinks): Pick<ProcessIo, 'out' | 'error' | 'write' | 'print'> {
  return {
    out: (line) => {
      sinks.toOutput(`${harmless(line)}\n`)
    },
    error: (line) => sinks.toErrors(`${harmless(line)}\n`),
    write: (text) => sinks.toErrors(text),
    print: async (text) => {
      if (!sinks.toOutput(harmless(text))) await sinks.drained()
    },
  }
}
