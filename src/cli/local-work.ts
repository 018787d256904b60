import type { Given, ProcessIo } from './billhook-command.js'
import { EXIT_FAILURE, withSignals } from './command.js'
import { reportFailure } from './failure.js'

/** Runs a command that does its work in this process. Resolves with the exit code: 1 when it throws, which is told in one line. */
export async function withProcess(
  { settings, context, options }: Given,
  work: (io: ProcessIo, stop: AbortSignal) => Promise<number>,
): Promise<number> {
  const io = context.processIo(settings.logLevel === 'info' ? 'warn' : settings.logLevel)
  try {
    return await withSignals(io, (stop) => work(io, stop))
  } catch (error) {
    reportFailure(error as Error, options['json'] === true, io)
    return EXIT_FAILURE
  } finally {
    await io.flush()
  }
}
