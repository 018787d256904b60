import ipaddr from 'ipaddr.js'

/**
 * Whether only this machine can reach `host`. Of host names, only `localhost` is trusted to mean this machine.
 */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback'
}
