import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** How long a text is awaited: then the process is killed. */
const PATIENCE_MS = 60_000
/** Longer than any process of a test lives. One that hangs is killed then, so that its test fails and says what it wrote. */
const LIFE_LIMIT_MS = 240_000

/** How a process ended and what it wrote. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A Node process of a test, with an environment of its own. */
export interface Child {
  /** Resolves with the text written to the stream so far when it contains `text`, rejects when it ends or hangs without. */
  wrote(stream: 'stdout' | 'stderr', text: string): Promise<string>
  kill(signal: NodeJS.Signals): void
  readonly ended: Promise<Ended>
}

/** Starts `script` (a URL beside the compiled test) with Node, `argv` and only `environment`. */
export function startChild(script: URL, argv: readonly string[], environment: Record<string, string> = {}): Child {
  const child = spawn(process.execPath, [fileURLToPath(script), ...argv], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
    })
  }
  const life = setTimeout(() => child.kill('SIGKILL'), LIFE_LIMIT_MS)
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    clearTimeout(life)
    return { code, signal, ...written }
  })
  return {
    ended,
    kill: (signal) => child.kill(signal),
    wrote: async (stream, text) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
      try {
        while (!written[stream].includes(text)) {
          const ending = await Promise.race([once(child[stream], 'data').then(() => undefined), ended])
          if (ending !== undefined && !written[stream].includes(text)) {
            throw new Error(`The process ended without writing ${JSON.stringify(text)}: ${JSON.stringify(ending)}`)
          }
        }
      } finally {
        clearTimeout(timer)
      }
      return written[stream]
    },
  }
}
