import { readFlags } from '../config/flags.js'
import { suggestion } from '../config/suggestion.js'
import { type Environment, readSettings, type Settings, settingsOf } from '../config.js'
import { VERSION } from '../version.js'
import { type CommandIo, EXIT_SUCCESS, EXIT_USAGE } from './command.js'
import { helpText } from './help.js'
import { RECONCILE_FLAGS, type ReconcileRequest, readReconcileRequest } from './reconcile.js'

const COMMANDS: readonly string[] = ['serve', 'reconcile']

/** With this flag `reconcile` compares the ledger, not a network. */
const LEDGER = '--ledger'

/** What the command line needs from its process. */
export interface RunIo extends Pick<CommandIo, 'out' | 'error'> {
  /** Runs the service and resolves with the exit code. */
  serve(settings: Settings): Promise<number>
  /** Compares a chain with the store and resolves with the exit code. */
  reconcile(request: ReconcileRequest, settings: Settings): Promise<number>
  /** Compares the ledger with the store and resolves with the exit code. */
  reconcileLedger(settings: Settings): Promise<number>
}

/**
 * Runs the command and resolves with the exit code. `argv` is what follows the program's name. Help and version are
 * answered wherever they stand, even on a command line that is wrong otherwise.
 */
export async function run(argv: readonly string[], environment: Environment, io: RunIo): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    io.out(helpText())
    return EXIT_SUCCESS
  }
  if (argv.includes('--version')) {
    io.out(VERSION)
    return EXIT_SUCCESS
  }

  const [command, ...rest] = argv
  if (command === undefined || command.startsWith('-')) {
    io.error(helpText())
    return EXIT_USAGE
  }
  switch (command) {
    case 'serve': {
      const read = readSettings(rest, environment)
      return 'settings' in read ? await io.serve(read.settings) : refuse(io, read.problems)
    }
    case 'reconcile': {
      const problems: string[] = []
      const isOfLedger = rest.includes(LEDGER)
      const flags = readFlags(rest, problems, isOfLedger ? { [LEDGER]: 'switch' } : RECONCILE_FLAGS)
      const request = isOfLedger ? null : readReconcileRequest(flags, problems)
      const read = settingsOf(flags, environment, problems)
      if ('problems' in read) return refuse(io, read.problems)
      return request === null ? await io.reconcileLedger(read.settings) : await io.reconcile(request, read.settings)
    }
    default:
      return refuse(io, [`${JSON.stringify(command)} is not a command; ${suggestion(command, COMMANDS)}`])
  }
}

function refuse(io: Pick<RunIo, 'error'>, problems: readonly string[]): number {
  for (const problem of problems) io.error(problem)
  return EXIT_USAGE
}
