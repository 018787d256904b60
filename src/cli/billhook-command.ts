import { Command } from 'commander'
import { suggestion } from '../config/suggestion.js'
import { type Environment, readSettings, type Settings } from '../config.js'
import type { LogLevel } from '../log.js'
import type { Scheduler } from '../scheduler.js'
import { type CommandIo, EXIT_SUCCESS, EXIT_USAGE } from './command.js'

/** Columns of the texts of `--help`. */
const HELP_COLUMNS = 112
/** A text in lines of up to as many characters, broken at blanks. */
const HELP_LINES = /\S.{0,111}(?=\s|$)/g

/** What every command gets from its process. */
export interface CommandContext {
  readonly environment: Environment
  out(line: string): void
  error(line: string): void
  /** The process, with a log of this level. */
  processIo(level: LogLevel): ProcessIo
}

export interface ProcessIo extends CommandIo {
  readonly scheduler: Scheduler
  /** Writes to standard error as it is. */
  write(text: string): void
  /** Writes to standard output as it is; resolves when the reader takes more. Ends the process when the reader is gone. */
  print(text: string): Promise<void>
  /** The columns of the terminal at standard error; null when it is none, or one that cannot move in a line. */
  columns(): number | null
  /** Whether standard output is a terminal: what is printed there can be seen. */
  readonly isOutputTerminal: boolean
}

/** A command line that was understood, with the settings that it and the environment give. */
export interface Given {
  readonly args: readonly string[]
  /** By name in camel case: a text for an option with a value, true for a switch. */
  readonly options: Readonly<Record<string, unknown>>
  readonly settings: Settings
  readonly context: CommandContext
}

/** Looks for problems that the parser does not see, one line each. */
export type Check = (given: Omit<Given, 'settings'>, problems: string[]) => void

/**
 * A command that reports everything that is wrong with its command line and its settings at once. It ends with its work's exit
 * code, or with 2 when it was refused.
 */
export class BillhookCommand extends Command {
  /** What its flags do not say, in sentences; see `explain`. */
  explanation = ''
  /** Whether it does something itself, and not only by the commands below it. */
  isRunnable = false

  constructor(
    name: string,
    readonly context: CommandContext,
    readonly outcome: { code: number } = { code: EXIT_SUCCESS },
  ) {
    super(name)
    this.exitOverride((error) => {
      throw error
    })
    this.configureOutput({
      writeOut: (text) => context.out(text.trimEnd()),
      writeErr: (text) => context.error(text.trimEnd()),
      // A line for each problem: the parser puts its suggestion on a second one.
      outputError: (text, write) => write(text.replace(/^error: /, '').replace(/\n(?=.)/g, ' ')),
      getOutHelpWidth: () => HELP_COLUMNS,
      getErrHelpWidth: () => HELP_COLUMNS,
    })
    this.helpOption('-h, --help', 'Print this text.')
    this.helpCommand(false)
    // A flag belongs to the command that it follows: one above may have a flag of the same name.
    this.enablePositionalOptions()
    // The parser would stop at the first one; `runs` reports them with everything else.
    this.allowUnknownOption()
    this.allowExcessArguments()
  }

  override createCommand(name: string): BillhookCommand {
    return new BillhookCommand(name, this.context, this.outcome)
  }

  /** Adds a command below this one. */
  add(name: string, summary: string): BillhookCommand {
    const command = this.createCommand(name)
    command.description(summary)
    this.addCommand(command)
    return command
  }

  /** The flag that every command about a data directory takes. */
  onData(): this {
    return this.option('--data <dir>', 'The data directory (BILLHOOK_DATA).')
  }

  /** Has the result printed as JSON on request. */
  asJson(): this {
    return this.option('--json', 'Print JSON.')
  }

  /** Adds a paragraph below the flags, in `--help` and in docs/cli.md. */
  explain(text: string): this {
    this.explanation = text
    return this.addHelpText('after', `\n${(text.match(HELP_LINES) ?? []).join('\n')}`)
  }

  runs(work: (given: Given) => Promise<number>, check: Check = () => {}): this {
    this.isRunnable = true
    return this.action(async () => {
      const { args, context } = this
      const options = this.opts()
      const problems = this.leftovers()
      check({ args, options, context }, problems)
      const read = readSettings(settingFlags(options), context.environment, problems)
      if ('settings' in read) {
        this.outcome.code = await work({ args, options, settings: read.settings, context })
        return
      }
      for (const problem of read.problems) context.error(problem)
      this.outcome.code = EXIT_USAGE
    })
  }

  /** What stands on the command line and belongs to nothing. */
  private leftovers(): string[] {
    const flags = [...this.options.map(({ long }) => long ?? ''), '--help', '--version']
    const unknown = this.args.filter((arg) => arg.startsWith('-') && arg !== '-')
    const extra = this.args.filter((arg) => !unknown.includes(arg)).slice(this.registeredArguments.length)
    return [
      ...unknown.map((flag) => {
        const [name = ''] = flag.split('=')
        return `${JSON.stringify(name)} is not a flag; ${suggestion(name, flags)}`
      }),
      ...extra.map((arg) => `Unexpected argument ${JSON.stringify(arg)}.`),
    ]
  }
}

/** Options by flag, as settings take them. */
function settingFlags(options: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(options).map(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, '-$&').toLowerCase()}`
    return [flag, value === true ? 'on' : String(value)]
  })
}
