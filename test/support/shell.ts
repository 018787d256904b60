import { type ChildProcess, execFile } from 'node:child_process'
import { projectRoot } from './project-root.js'

export interface ShellResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface ShellOptions {
  /** Its standard input. */
  readonly script?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** Runs the shell that every system has, in the project's directory. */
export function runSh(args: readonly string[], options: ShellOptions): Promise<ShellResult> {
  return runShell('sh', args, options)
}

/** Runs bash, which a system need not have, in the project's directory. */
export function runBash(args: readonly string[], options: ShellOptions): Promise<ShellResult> {
  return runShell('bash', args, options)
}

/** Rejects when the shell cannot be started. */
function runShell(
  shell: string,
  args: readonly string[],
  { script = '', environment, timeoutMs }: ShellOptions,
): Promise<ShellResult> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = execFile(
      shell,
      args,
      { cwd: projectRoot, env: { ...process.env, ...environment }, timeout: timeoutMs },
      (error, stdout, stderr) => {
        if (child.pid === undefined) reject(error)
        else resolve({ code: child.exitCode, stdout, stderr })
      },
    )
    // A command that reads no input may have ended before it is written.
    child.stdin?.on('error', () => {})
    child.stdin?.end(script)
  })
}
