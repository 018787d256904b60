import type { Settings } from '../config.js'
import { isLoopback } from './loopback.js'

/**
 * Whether only users of this machine can reach the service: it listens on loopback, and no setting indicates that
 * others are let through. Webhooks may then go to this machine and its networks too (decisions 7).
 */
export function isPrivateToMachine(
  settings: Pick<Settings, 'host' | 'publicUrl' | 'trustedProxies' | 'strict'>,
): boolean {
  const { host, publicUrl, trustedProxies, strict } = settings
  const isPublicUrlLocal = publicUrl === undefined || isLoopback(hostOf(publicUrl))
  return isLoopback(host) && isPublicUrlLocal && trustedProxies.length === 0 && !strict
}

/** Without the brackets of an IPv6 address. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '')
}
