import { type ChildProcess, spawn } from 'node:child_process'
import { endChild, untilLine } from '../support/child-process.js'

/** Ganache waits for its clients to hang up. */
const STOP_TIMEOUT_MS = 10_000

/** How a node is started. */
export interface Launch {
  readonly executable: string
  readonly argv: readonly string[]
  readonly directory: string
  readonly environment?: Readonly<Record<string, string>>
  /** What the node prints when it can be asked. */
  readonly ready: RegExp
}

/** A program of the workspace in a process of its own. */
export class Program {
  private constructor(private readonly child: ChildProcess) {}

  /** Resolves when it has printed its ready line, with what that captures. */
  static async start(launch: Launch): Promise<{ readonly program: Program; readonly captured: string }> {
    const { executable, argv, directory, environment = {}, ready } = launch
    const child = spawn(executable, argv, {
      cwd: directory,
      env: { PATH: process.env['PATH'], HOME: directory, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const match = await untilLine(child, (line) => ready.exec(line) ?? undefined)
    return { program: new Program(child), captured: match[1] ?? '' }
  }

  /** Asks it to end, so that it writes what it keeps, and kills it when it does not. */
  async stop(): Promise<void> {
    const deadline = setTimeout(() => this.child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await endChild(this.child, 'SIGTERM')
    clearTimeout(deadline)
  }
}
