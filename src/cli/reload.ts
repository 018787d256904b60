import { readFileSync } from 'node:fs'
import { readFailure } from '../base/read-failure.js'
import { settingsSchema } from '../config/schema.js'
import type { Settings } from '../config.js'
import type { Logger } from '../log.js'
import type { Service } from '../service/assembly.js'
import type { Supervisor } from './supervisor.js'

type ReloadSettings = Pick<Settings, 'logLevel' | 'logLevelFile' | 'tlsCert'>

/** What SIGHUP reads again: the certificate, and the log level. */
export class Reload {
  private service: Pick<Service, 'reload'> | null = null
  private isDue = false

  constructor(
    private readonly settings: ReloadSettings,
    private readonly log: Logger,
    private readonly supervisor: Pick<Supervisor, 'reloading' | 'ready'>,
  ) {}

  /** Reads everything again; if the service is still starting, when it has started. */
  run(): void {
    const { log, settings, service, supervisor } = this
    if (service === null) {
      this.isDue = true
      return
    }
    const isNothing = settings.tlsCert === undefined && settings.logLevelFile === undefined
    log.info({ signal: 'SIGHUP' }, isNothing ? 'there is nothing to reload; the signal is ignored' : 'reloading')
    // Who asked for it waits for both messages, also when there was nothing to do.
    supervisor.reloading()
    applyLogLevel(settings, log)
    service.reload()
    supervisor.ready()
  }

  /** The service has started. */
  started(service: Pick<Service, 'reload'>): void {
    this.service = service
    if (this.isDue) this.run()
  }
}

/** Sets the level that the file holds, or, if there is no such file, that of the settings. Any other file changes nothing. */
export function applyLogLevel({ logLevel, logLevelFile }: Omit<ReloadSettings, 'tlsCert'>, log: Logger): void {
  if (logLevelFile === undefined) return
  let level: Settings['logLevel'] | undefined = logLevel
  try {
    level = settingsSchema.logLevel.read(readFileSync(logLevelFile, 'utf8').trim())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      log.warn({ file: logLevelFile, reason: readFailure(error) }, 'the file of the log level cannot be read')
      return
    }
  }
  if (level === undefined) {
    const { expects } = settingsSchema.logLevel.about
    log.warn({ file: logLevelFile, expects }, 'the file of the log level holds something else; the level stays')
  } else if (level !== log.level) {
    log.level = level
    log.info({ level }, 'the log level has changed')
  }
}
