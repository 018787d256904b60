import type { Settings } from '../config.js'
import { isLoopback } from './loopback.js'

/** Whether other machines can reach the service: it listens beyond loopback, or has trusted proxies. */
export function isExposed({ host, trustedProxies }: Pick<Settings, 'host' | 'trustedProxies'>): boolean {
  return !isLoopback(host) || trustedProxies.length > 0
}
