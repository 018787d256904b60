import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type Ending, endChild, untilLine } from './child-process.js'
import { GATEWAY_SECRET } from './service-fixture.js'

const main = new URL('../../src/main.js', import.meta.url).pathname
const KIB_PER_MIB = 1024

/** The flags of `npm start`, of the installed program and of `docs/operating/running.md`. Without them collections of garbage wait for threads. */
export const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=32', '--v8-pool-size=1']

/** How to start the service. */
export interface Launch {
  readonly data: string
  /** The file to start in place of the present program. */
  readonly program?: string
  /** All of the service's environment but `PATH`. */
  readonly environment: Readonly<Record<string, string>>
  /** The executable, which takes the arguments of the program, in place of Node and `program`. */
  readonly executable?: string
  /** Options of Node. */
  readonly nodeFlags?: readonly string[]
  /** Further arguments of `serve`. */
  readonly flags?: readonly string[]
  readonly stderr?: 'inherit' | 'pipe'
}

/** The service in a process of its own, as an operator runs it. */
export class ServiceProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
    /** The URL of its metrics; null when they are off. */
    readonly metricsUrl: string | null,
  ) {}

  /** Starts the service with settings for tests, which `environment` overrides. */
  static start(
    data: string,
    environment: Readonly<Record<string, string>> = {},
    flags: readonly string[] = [],
    stderr: 'inherit' | 'pipe' = 'inherit',
  ): Promise<ServiceProcess> {
    const settings = { BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET, BILLHOOK_VERIFY_THREADS: '1', BILLHOOK_LOG: 'warn' }
    const isSandbox = flags.includes('--sandbox') || environment['BILLHOOK_SANDBOX'] === 'on'
    const ledger = isSandbox ? { BILLHOOK_SANDBOX_LEDGER: 'real' } : {}
    return ServiceProcess.launch({ data, environment: { ...settings, ...ledger, ...environment }, flags, stderr })
  }

  /** Resolves when the ready line has been printed. */
  static async launch(launch: Launch): Promise<ServiceProcess> {
    const { data, program = main, executable, environment, nodeFlags = [], flags = [], stderr = 'inherit' } = launch
    const [file, first] = executable === undefined ? [process.execPath, [...nodeFlags, program]] : [executable, []]
    const child = spawn(file, [...first, 'serve', '--port', '0', '--data', data, ...flags], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', stderr],
    })
    let metricsUrl: string | null = null
    const url = await untilLine(child, (line) => {
      metricsUrl = /^metrics on (http:\S+)$/.exec(line)?.[1] ?? metricsUrl
      return /listening on (https?:\/\/\S+)/.exec(line)?.[1]
    })
    return new ServiceProcess(child, url, metricsUrl)
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  /** Ends the process by a signal and resolves with how it ended. */
  end(signal: NodeJS.Signals): Promise<Ending> {
    return endChild(this.child, signal)
  }

  /** Ends the process unless it has ended. */
  async stop(): Promise<void> {
    await this.end('SIGTERM')
  }
}

/** Memory of a process in MiB: all that is resident, mapped database pages included, and its own alone. */
export function memoryOf(pid: number): { readonly resident: number; readonly own: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / KIB_PER_MIB
  return { resident: read('VmRSS'), own: read('RssAnon') }
}
