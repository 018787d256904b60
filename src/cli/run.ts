import { CommanderError } from 'commander'
import { VERSION } from '../version.js'
import type { CommandContext } from './billhook-command.js'
import { EXIT_SUCCESS, EXIT_USAGE } from './command.js'
import { createProgram, type Works } from './program.js'

/**
 * Runs the command and resolves with the exit code. `argv` is what follows the program's name. Help and version are
 * answered wherever they stand, even on a command line that is wrong otherwise.
 */
export async function run(argv: readonly string[], context: CommandContext, works: Works): Promise<number> {
  if (argv.includes('--version') && !argv.includes('--help')) {
    context.out(VERSION)
    return EXIT_SUCCESS
  }
  const program = createProgram(context, works)
  try {
    await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? EXIT_SUCCESS : EXIT_USAGE
  }
  return program.outcome.code
}
