import ipaddr from 'ipaddr.js'
import type { Settings } from '../config.js'

/** Whether only this machine can reach `host`. Of host names, only `localhost` is trusted to mean this machine. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback'
}

/** Whether other machines can reach the service: it listens beyond loopback, or has trusted proxies. */
export function isExposed({ host, trustedProxies }: Pick<Settings, 'host' | 'trustedProxies'>): boolean {
  return !isLoopback(host) || trustedProxies.length > 0
}

/**
 * Whether only users of this machine can reach the service: it listens on loopback, and no setting indicates that
 * others are let through. Webhooks may then go to this machine and its networks too (decisions 7).
 */
export function isPrivateToMachine(
  settings: Pick<Settings, 'host' | 'publicUrl' | 'trustedProxies' | 'strict'>,
): boolean {
  const { publicUrl, strict } = settings
  // The host of an IPv6 URL has brackets.
  const publicHost = publicUrl === undefined ? null : new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
  return !isExposed(settings) && !strict && (publicHost === null || isLoopback(publicHost))
}
