import ipaddr from 'ipaddr.js'

/**
 * Whether `host` is reached by this machine only. A host name is not trusted to mean this machine, but for `localhost`.
 */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback'
}
