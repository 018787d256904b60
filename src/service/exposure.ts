import type { Settings } from '../config.js'
import { isLoopback } from './loopback.js'

/** Whether other machines can reach the service as it is set: it listens beyond loopback, or proxies stand before it. */
export function isExposed({ host, trustedProxies }: Pick<Settings, 'host' | 'trustedProxies'>): boolean {
  return !isLoopback(host) || trustedProxies.length > 0
}
