import assert from 'node:assert/strict'
import type { BillhookCommand } from '../../src/cli/billhook-command.js'
import { createProgram } from '../../src/cli/program.js'

/** A command as its `--help` describes it. */
export interface CommandAbout {
  /** The heading of the commands that it stands among in `--help`. */
  readonly group: string
  /** How it is called: its names and its arguments. */
  readonly usage: string
  readonly summary: string
  /** Arguments, then flags. */
  readonly inputs: readonly { readonly term: string; readonly description: string }[]
  readonly explanation: string
}

/** Every command of the program that does something itself, in the order of `--help`. */
export function describeCommands(): CommandAbout[] {
  const program = createProgram(
    {
      environment: {},
      out: () => {},
      error: () => {},
      processIo: () => assert.fail('no command is run here'),
      runApart: null,
    },
    { serve: async () => 0, reconcile: async () => 0, reconcileLedger: async () => 0 },
  )
  return below(program).flatMap((command) => described(command, 'billhook', command.helpGroup().replace(/:$/, '')))
}

function described(command: BillhookCommand, parent: string, group: string): CommandAbout[] {
  const name = `${parent} ${command.name()}`
  const inner = below(command).flatMap((one) => described(one, name, group))
  return command.isRunnable ? [own(command, name, group), ...inner] : inner
}

function own(command: BillhookCommand, name: string, group: string): CommandAbout {
  const help = command.createHelp()
  const terms = command.registeredArguments.map((argument) => {
    const term = help.argumentTerm(argument)
    return argument.required ? `<${term}>` : `[${term}]`
  })
  const of = command.registeredArguments.map((argument, at) => ({
    term: terms[at] ?? '',
    description: help.argumentDescription(argument),
  }))
  const flags = help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => ({ term: help.optionTerm(option), description: help.optionDescription(option) }))
  return {
    group,
    usage: [name, ...terms].join(' '),
    summary: command.description(),
    inputs: [...of, ...flags],
    explanation: command.explanation,
  }
}

/** Every command below one was made by `createCommand`. */
function below(command: BillhookCommand): readonly BillhookCommand[] {
  return command.commands as readonly BillhookCommand[]
}
