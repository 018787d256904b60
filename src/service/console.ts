import type { ConsoleParts } from '../console/console.js'
import { systemScheduler } from '../scheduler.js'
import { VERSION } from '../version.js'
import type { Core } from './core.js'
import type { CoreContext } from './core-context.js'
import { isLoopback } from './exposure.js'
import type { OperatorWork } from './operator.js'
import { ratesInUse } from './rates.js'
import { setAsideOf } from './set-aside.js'

/** What the console shows of the whole service. */
export interface ConsoleShown extends Pick<ConsoleParts, 'progress' | 'pages'> {
  readonly condition: Omit<ConsoleParts['condition'], 'about'>
  /** Unix ms. */
  readonly startedAt: number
  readonly operators: OperatorWork
}

/** What the console is made of; null if other machines could reach it and no password keeps them out. */
export function consolePartsOf(
  { store }: Core,
  { settings, clock, log }: Pick<CoreContext, 'settings' | 'clock' | 'log'>,
  { condition, progress, pages, startedAt, operators }: ConsoleShown,
): ConsoleParts | null {
  const { metricsHost: host, metricsPort: port = 0, consolePassword: password = null } = settings
  if (!isLoopback(host) && password === null) {
    log.info('there is no console: others can reach the metrics port, and BILLHOOK_CONSOLE_PASSWORD is not set')
    return null
  }
  const { strict: isStrict, dataDirectory } = settings
  const about = () => ({ version: VERSION, url: pages(), isStrict, startedAt, dataDirectory })
  return {
    store,
    ...operators,
    clock,
    scheduler: systemScheduler,
    trustedProxies: settings.trustedProxies,
    random: Math.random,
    isSandbox: settings.sandbox,
    hosts: settings.consoleHosts,
    port,
    password,
    condition: { ...condition, about },
    progress,
    ratesInUse: ratesInUse(settings),
    setAside: () => setAsideOf(store),
    pages,
  }
}
