import { type ChildProcess, execFile, spawnSync } from 'node:child_process'
import { projectRoot } from './project-root.js'

export interface ShellResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Names the missing programs, for `skip`; false when none is missing. */
export function missingPrograms(...names: readonly string[]): string | false {
  const missing = names.filter((name) => spawnSync(name, ['--help'], { stdio: 'ignore' }).error !== undefined)
  return missing.length === 0 ? false : `this machine has no ${missing.join(', ')}`
}

/** Runs bash in the project's directory, with `script` as its standard input. */
export function runBash(
  args: readonly string[],
  options: {
    readonly script?: string
    readonly environment?: Readonly<Record<string, string>>
    readonly timeoutMs: number
  },
): Promise<ShellResult> {
  return new Promise((resolve) => {
    const child: ChildProcess = execFile(
      'bash',
      args,
      { cwd: projectRoot, env: { ...process.env, ...options.environment }, timeout: options.timeoutMs },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    )
    // A command that reads no input may have ended before it is written.
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.script ?? '')
  })
}
