import type { Settings } from '../config.js'
import { OperatorError, StartStopped } from '../operator-error.js'
import type { Scheduler } from '../scheduler.js'
import type { Service } from '../service/assembly.js'
import { planDescriptors } from '../service/descriptors.js'
import type { startService } from '../service.js'
import { VERSION } from '../version.js'
import { type CommandIo, EXIT_FAILURE, EXIT_SUCCESS, firstSignal } from './command.js'
import { applyLogLevel, Reload } from './reload.js'
import type { Supervisor } from './supervisor.js'
import { keepWatchdog } from './watchdog.js'

/** Time for a drain after the first signal; then the rest is cut off. */
export const DRAIN_TIMEOUT_MS = 10_000

const MS_PER_SECOND = 1000

/** What `serve` needs from its process. */
export interface ServeIo extends CommandIo {
  readonly startService: typeof startService
  /** From now on, text that native code and libraries write to standard error goes into the log. */
  divertErrors(dataDirectory: string): Promise<void>
  /** From now on so many descriptors can be opened without a wait. */
  makeRoomForDescriptors(count: number): Promise<void>
  /** Calls back with uncaught exceptions and unhandled rejections. */
  onUncaught(uncaught: (error: unknown) => void): void
  readonly scheduler: Scheduler
  /** The service manager that started this process. */
  supervisor(): Supervisor
}

/**
 * Runs the service until a signal and resolves with the exit code: 0 after a complete drain, or when the signal stopped a
 * migration of the data at the start; 1 when the service could not start or could not finish within `DRAIN_TIMEOUT_MS`.
 * A second signal ends the process at once (130 or 143), and so does an uncaught exception (1): it makes the state in
 * memory untrustworthy, but not the store on disk. SIGHUP has the certificate and the log level read again.
 */
export async function serve(settings: Settings, io: ServeIo): Promise<number> {
  io.onUncaught((error) => {
    io.log.fatal({ err: error }, 'uncaught exception')
    void io.flush().then(() => io.exit(EXIT_FAILURE))
  })
  const code = await startToStop(settings, io)
  await io.flush()
  return code
}

async function startToStop(settings: Settings, io: ServeIo): Promise<number> {
  // Signals count from before the start, which may take long.
  const stop = firstSignal(io)
  const supervisor = io.supervisor()
  const reload = new Reload(settings, io.log, supervisor)
  // By default it would end the process without a drain; a closed terminal sends it too.
  io.onSignal('SIGHUP', () => reload.run())
  applyLogLevel(settings, io.log)

  const stopStart = new AbortController()
  void stop.signal.then(() => stopStart.abort())
  const starting = io.startService(settings, io.log, io.clock, stopStart.signal)
  let service: Awaited<typeof starting>
  try {
    service = await starting
  } catch (error) {
    if (error instanceof StartStopped) {
      io.log.info(error.message)
      return EXIT_SUCCESS
    }
    if (error instanceof OperatorError) io.error(`billhook: ${error.message}`)
    else io.log.fatal({ err: error }, 'the service could not start')
    return EXIT_FAILURE
  }

  // Not earlier: reasons why a service cannot start are printed for people.
  await io.divertErrors(settings.dataDirectory)
  await io.makeRoomForDescriptors(planDescriptors(settings.webhookConcurrency).open)
  if (!stop.received()) {
    for (const line of service.banner) io.out(line)
    io.out(`Billhook ${VERSION} listening on ${service.url}`)
    supervisor.ready()
    reload.started(service)
  }
  const endWatchdog = keepWatchdog(service, supervisor, io.scheduler)

  const signal = await stop.signal
  io.log.info({ signal }, 'stopping')
  supervisor.stopping()
  endWatchdog()
  await announce(service, settings.drainSeconds, io)
  return await drain(service, io)
}

/** Serves on while proxies learn that this server stops. */
function announce(service: Pick<Service, 'announceStop'>, seconds: number, io: ServeIo): Promise<void> {
  service.announceStop()
  if (seconds === 0) return Promise.resolve()
  io.log.info({ seconds }, 'serving on until proxies have turned to another server')
  return new Promise((resolve) => {
    io.scheduler.after(seconds * MS_PER_SECOND, resolve)
  })
}

/** Stops the service within `DRAIN_TIMEOUT_MS` and resolves with the exit code. */
function drain(service: Pick<Service, 'stop' | 'waitsFor'>, io: ServeIo): Promise<number> {
  return new Promise((resolve) => {
    const cancel = io.scheduler.after(DRAIN_TIMEOUT_MS, () => {
      const about = { timeoutMs: DRAIN_TIMEOUT_MS, waitingFor: service.waitsFor() }
      io.log.error(about, 'not everything finished in time; exiting all the same')
      resolve(EXIT_FAILURE)
    })
    const stopped = () => {
      io.log.info('stopped')
      return EXIT_SUCCESS
    }
    const failed = (error: unknown) => {
      io.log.error({ err: error }, 'the service did not stop cleanly')
      return EXIT_FAILURE
    }
    service.stop().then(stopped, failed).finally(cancel).then(resolve)
  })
}
