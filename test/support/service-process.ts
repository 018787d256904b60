import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { GATEWAY_SECRET } from './service-fixture.js'

const main = new URL('../../src/main.js', import.meta.url).pathname

/** The service in a process of its own, as an operator runs it. */
export class ServiceProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /** Resolves when the ready line has been printed. */
  static async start(
    data: string,
    environment: Readonly<Record<string, string>> = {},
    flags: readonly string[] = [],
    stderr: 'inherit' | 'pipe' = 'inherit',
  ): Promise<ServiceProcess> {
    const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--data', data, ...flags], {
      env: {
        PATH: process.env['PATH'],
        BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET,
        BILLHOOK_VERIFY_THREADS: '1',
        BILLHOOK_LOG: 'warn',
        ...environment,
      },
      stdio: ['ignore', 'pipe', stderr],
    })
    assert.ok(child.stdout)
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /listening on (http:\/\/\S+)/.exec(line)?.[1]
      if (url !== undefined) {
        child.stdout.resume()
        return new ServiceProcess(child, url)
      }
    }
    throw new Error('the service ended before it was ready')
  }

  /** Ends the process by a signal and resolves with how it ended. */
  async end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const ended = once(this.child, 'exit')
    this.child.kill(signal)
    const [code, by] = await ended
    return { code, signal: by }
  }
}
