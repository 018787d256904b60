import ipaddr from 'ipaddr.js'

/**
 * Whether a service that listens on `host` is reached by this machine only: then webhooks may go to this machine and its
 * networks too (decisions 7). A host name is not trusted to mean this machine, but for `localhost`.
 */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback'
}
