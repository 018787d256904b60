import type { ConsoleParts } from '../console/console.js'
import type { Core, CoreContext } from './core.js'
import { isLoopback } from './exposure.js'

/** What the console is made of; null if other machines could reach it and no password keeps them out. */
export function consolePartsOf(
  { store, directory, dispatcher }: Core,
  { settings, clock, log }: Pick<CoreContext, 'settings' | 'clock' | 'log'>,
  shown: Pick<ConsoleParts, 'condition' | 'progress'>,
): ConsoleParts | null {
  const { metricsHost: host, metricsPort: port = 0, consolePassword: password = null } = settings
  if (!isLoopback(host) && password === null) {
    log.info('there is no console: others can reach the metrics port, and BILLHOOK_CONSOLE_PASSWORD is not set')
    return null
  }
  return {
    store,
    directory,
    onOwed: (owed) => dispatcher.notify(owed),
    clock,
    isSandbox: settings.sandbox,
    hosts: settings.consoleHosts,
    port,
    password,
    ...shown,
  }
}
