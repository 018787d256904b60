import { Command } from 'commander'
import { suggestion } from '../config/suggestion.js'
import { type Environment, readSettings, type Settings } from '../config.js'
import { hasPrivateKey } from '../crypto/private-text.js'
import type { LogLevel } from '../log.js'
import type { Scheduler } from '../scheduler.js'
import { type Apart, deathBy } from './apart.js'
import { type CommandIo, EXIT_FAILURE, EXIT_SUCCESS, EXIT_USAGE } from './command.js'
import { reportFailure } from './failure.js'
import { unservedData } from './served-data.js'

/** Columns of the texts of `--help`. */
const HELP_COLUMNS = 112
/** Unexpected arguments that are repeated: more of them may be the words of a recovery phrase. */
const REPEATED_MAX = 3
/** A text in lines of up to as many characters, broken at blanks. */
const HELP_LINES = /\S.{0,111}(?=\s|$)/g

/** What every command gets from its process. */
export interface CommandContext {
  readonly environment: Environment
  out(line: string): void
  error(line: string): void
  /** The process, with a log of this level. */
  processIo(level: LogLevel): ProcessIo
  /** Runs the same command line in a child. Null where this process is one, and does the work. */
  readonly runApart: ((onSignal: CommandIo['onSignal']) => Promise<Apart>) | null
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

/** Names the data that a command will open in its own process, or null when it opens none: a service does, or it works over the network. */
export type OpensData = (given: Given) => Promise<string | null>

/** Looks for problems that the parser does not see, one line each. */
export type Check = (given: Omit<Given, 'settings'>, problems: string[]) => void

/**
 * A command that reports everything that is wrong with its command line and its settings at once. It ends with its work's exit
 * code, or with 2 when it was refused.
 */
export class BillhookCommand extends Command {
  /** What its flags do not say, in sentences; see `explain`. */
  explanation = ''
  /** See `opensData`. */
  private opening: { readonly opens: OpensData; readonly deathCode: number } | null = null
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

  /** The flag that every command about a data directory takes. Unless told otherwise, it opens the data when no service does. */
  onData(): this {
    return this.option('--data <dir>', 'The data directory (BILLHOOK_DATA).').opensData(unservedData)
  }

  /** Has the result printed as JSON on request. */
  asJson(): this {
    return this.option('--json', 'Print JSON.')
  }

  /** Has the work done in a child where it opens data, because reading damaged data may end a process. `deathCode` says so. */
  opensData(opens: OpensData | null, deathCode: number = EXIT_FAILURE): this {
    this.opening = opens === null ? null : { opens, deathCode }
    return this
  }

  /** Adds a paragraph below the flags, in `--help` and in docs/cli. */
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
        const given = { args, options, settings: read.settings, context }
        this.outcome.code = (await this.inChild(given)) ?? (await work(given))
        return
      }
      for (const problem of read.problems) context.error(problem)
      this.outcome.code = EXIT_USAGE
    })
  }

  /** Has the work done in a child, and answers its exit code; null when the work is to be done here. */
  private async inChild(given: Given): Promise<number | null> {
    const { context, settings, options } = given
    if (this.opening === null || context.runApart === null) return null
    const { opens, deathCode } = this.opening
    // What is wrong with it, the work itself says.
    const data = await opens(given).catch(() => null)
    if (data === null) return null
    const io = context.processIo(settings.logLevel)
    const apart = await context.runApart(io.onSignal)
    if ('code' in apart) return apart.code
    reportFailure(new Error(deathBy(apart.signal, data)), options['json'] === true, io)
    return deathCode
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
      ...unexpected(extra),
    ]
  }
}

/** A line for each argument that belongs to nothing. Of a key or a recovery phrase that went astray nothing is repeated. */
function unexpected(args: readonly string[]): string[] {
  if (args.length > REPEATED_MAX) return [`${args.length} unexpected arguments.`]
  return args.map((arg) =>
    hasPrivateKey(arg)
      ? 'An unexpected argument looks like a private key. Keep keys off the command line: others can see it.'
      : `Unexpected argument ${JSON.stringify(arg)}.`,
  )
}

/** Options by flag, as settings take them. */
function settingFlags(options: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(options).map(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, '-$&').toLowerCase()}`
    return [flag, value === true ? 'on' : String(value)]
  })
}
