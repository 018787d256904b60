import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { GATEWAY_SECRET } from './merchants.js'

const KIB_PER_MIB = 1024
/** As `npm start` and `docs/operating.md` have it. */
export const NODE_FLAGS = ['--max-semi-space-size=32', '--v8-pool-size=1']

/** A server in a process of its own, as the benchmarks load it. */
export interface BenchedService {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts Billhook. Settings in the environment of who runs the benchmarks win, so that they can be compared. */
export async function startBenched(data: string, settings: Readonly<Record<string, string>>): Promise<BenchedService> {
  const main = new URL('../src/main.js', import.meta.url).pathname
  const callers = Object.entries(process.env).filter(([name]) => name.startsWith('BILLHOOK_'))
  const child = spawn(process.execPath, [...NODE_FLAGS, main, 'serve', '--port', '0', '--data', data], {
    env: {
      PATH: process.env['PATH'],
      BILLHOOK_LOG: 'error',
      BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET,
      ...settings,
      ...Object.fromEntries(callers),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await readyUrl(child)
  return {
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
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

/** Runs `use` with a Billhook that is stopped afterwards, whatever happens. */
export async function withService<T>(
  data: string,
  settings: Readonly<Record<string, string>>,
  use: (service: BenchedService) => Promise<T>,
): Promise<T> {
  const service = await startBenched(data, settings)
  try {
    return await use(service)
  } finally {
    await service.stop()
  }
}

/** Memory of a process in MiB: all that is resident, mapped database pages included, and its own alone. */
export function memoryOf(pid: number): { readonly resident: number; readonly own: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / KIB_PER_MIB
  return { resident: read('VmRSS'), own: read('RssAnon') }
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
