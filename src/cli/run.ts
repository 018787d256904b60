import { type Environment, readSettings, type Settings } from '../config.js'
import { VERSION } from '../version.js'
import { EXIT_SUCCESS, EXIT_USAGE } from './exit-code.js'
import { helpText } from './help.js'

/** What the command line needs of the process it runs in. */
export interface RunIo {
  /** Writes a line to standard output. */
  out(line: string): void
  /** Writes a line to standard error. */
  error(line: string): void
  /** Runs the service and resolves with the exit code. */
  serve(settings: Settings): Promise<number>
}

/**
 * Runs what the command line asks for and resolves with the exit code. `argv` is what follows the program's name. Help
 * and version are answered wherever they stand, so that they help also with a command line that is otherwise wrong.
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
  if (command !== 'serve') {
    io.error(`${JSON.stringify(command)} is not a command; see billhook --help.`)
    return EXIT_USAGE
  }

  const outcome = readSettings(rest, environment)
  if ('problems' in outcome) {
    for (const problem of outcome.problems) io.error(problem)
    return EXIT_USAGE
  }
  return await io.serve(outcome.settings)
}
