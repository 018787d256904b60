import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** The service in a process of its own, as the benchmarks load it. */
export interface BenchedService {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Settings that the caller of a benchmark has in the environment reach the service, so that they can be compared. */
export async function startBenched(data: string, settings: Readonly<Record<string, string>>): Promise<BenchedService> {
  const main = new URL('../src/main.js', import.meta.url).pathname
  const callers = Object.entries(process.env).filter(([name]) => name.startsWith('BILLHOOK_'))
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--data', data], {
    env: { PATH: process.env['PATH'], BILLHOOK_LOG: 'warn', ...settings, ...Object.fromEntries(callers) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await readyUrl(child)
  return {
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function readyUrl({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the service has no output')
  for await (const line of createInterface({ input: stdout })) {
    const url = /listening on (http:\/\/\S+)/.exec(line)?.[1]
    if (url !== undefined) {
      stdout.resume()
      return url
    }
  }
  throw new Error('the service did not start')
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
