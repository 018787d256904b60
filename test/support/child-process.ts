import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Far longer than any program of a test takes to start, on a busy machine too. */
const START_LIMIT_MS = 60_000
/** Far longer than any of them takes to stop. */
const END_LIMIT_MS = 120_000

/**
 * Resolves with the first thing that `find` makes of a line of the child's output, or of its errors where the output is not piped.
 * Rejects, with what the child has said, when it cannot be started, when it ends before, and when it takes too long: then it is killed.
 */
export async function untilLine<T>(
  child: ChildProcess,
  find: (line: string) => T | undefined,
  limitMs = START_LIMIT_MS,
): Promise<T> {
  const input = child.stdout ?? child.stderr
  if (input === null) throw new Error(`nothing is heard of ${nameOf(child)}`)
  const said: string[] = []
  const lines = createInterface({ input })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<T>((resolve, reject) => {
      const notReady = (why: string) => {
        if (input !== child.stderr) said.push(String(child.stderr?.read() ?? ''))
        reject(new Error(`${nameOf(child)} ${why}\n${said.join('\n')}`))
      }
      const ended = () => notReady(`ended with ${child.signalCode ?? child.exitCode} before it was ready`)
      timer = setTimeout(() => {
        child.kill('SIGKILL')
        notReady(`was not ready within ${limitMs} ms`)
      }, limitMs)
      child.once('error', reject)
      // Behind the last line.
      lines.once('close', () => (hasEnded(child) ? ended() : child.once('exit', ended)))
      lines.on('line', (line) => {
        said.push(line)
        const found = find(line)
        if (found !== undefined) resolve(found)
      })
    })
  } finally {
    clearTimeout(timer)
    // What it says later is read and forgotten, so that it never waits for a reader.
    lines.removeAllListeners('line')
  }
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/**
 * Ends a process by a signal, and resolves when it has ended: at once when it had ended before, or was never started. One that goes on
 * for too long is killed, and is an error.
 */
export async function endChild(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGKILL',
  limitMs = END_LIMIT_MS,
): Promise<Ending> {
  if (child.pid !== undefined && !hasEnded(child)) {
    const ended = once(child, 'exit')
    child.kill(signal)
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      child.kill('SIGKILL')
    }, limitMs)
    await ended
    clearTimeout(timer)
    if (isLate) throw new Error(`${nameOf(child)} did not end within ${limitMs} ms after ${signal}`)
  }
  return { code: child.exitCode, signal: child.signalCode }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

function nameOf({ spawnfile, spawnargs }: ChildProcess): string {
  return [spawnfile, ...spawnargs.slice(1, 2)].join(' ')
}
