import assert from 'node:assert/strict'
import { globalAgent } from 'node:http'
import type { CommandContext, ProcessIo } from '../../src/cli/billhook-command.js'
import { harmlessOutput } from '../../src/cli/harmless-output.js'
import { run } from '../../src/cli/run.js'
import { systemClock } from '../../src/clock.js'
import { createLog } from '../../src/log.js'
import { systemScheduler } from '../../src/scheduler.js'
import type { Ended } from './child.js'

export interface CommandSettings {
  readonly cwd: string
  readonly environment?: Readonly<Record<string, string>>
}

/**
 * Runs a command to its end in this process, which costs a tenth of a process of its own. What is about processes needs one: standard
 * input, signals, terminals, and readers that go away.
 */
export async function runInProcess(
  argv: readonly string[],
  { cwd, environment = {} }: CommandSettings,
): Promise<Ended> {
  const written = { stdout: '', stderr: '' }
  const context = contextThatWrites(written, environment)
  const leave = enter(cwd)
  try {
    const none = () => assert.fail('needs a process of its own')
    return {
      code: await run(argv, context, { serve: none, reconcile: none, reconcileLedger: none }),
      signal: null,
      ...written,
    }
  } finally {
    leave()
  }
}

function contextThatWrites(
  written: { stdout: string; stderr: string },
  environment: Readonly<Record<string, string>>,
): CommandContext {
  const output = harmlessOutput({
    toOutput: (text) => {
      written.stdout += text
      return true
    },
    drained: async () => {},
    toErrors: (text) => {
      written.stderr += text
    },
  })
  const processIo: CommandContext['processIo'] = (level): ProcessIo => ({
    ...output,
    columns: () => null,
    isOutputTerminal: false,
    log: createLog(level, output),
    flush: async () => {},
    clock: systemClock,
    scheduler: systemScheduler,
    onSignal: () => {},
    exit: () => assert.fail('nobody sends signals'),
  })
  return { environment, out: output.out, error: output.error, processIo, runApart: null }
}

/** What commands in this process have changed of it, together: where they run, and that their files are private. */
const changed = { by: 0, cwd: '', mask: 0 }

function enter(cwd: string): () => void {
  if (changed.by === 0) Object.assign(changed, { cwd: process.cwd(), mask: process.umask(0o077) })
  changed.by += 1
  process.chdir(cwd)
  return () => {
    changed.by -= 1
    if (changed.by > 0) return
    // A connection to a socket that the next command opens anew is a dead one.
    globalAgent.destroy()
    process.chdir(changed.cwd)
    process.umask(changed.mask)
  }
}
