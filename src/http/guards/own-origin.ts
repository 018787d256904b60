import { isIP } from 'node:net'
import type { RequestHead } from '../server.js'
import { isLoopbackName } from './host-header.js'

/** Whether `origin`, as a browser sends it, is that of the service's own pages. */
export type IsOwnOrigin = (origin: string, head: Pick<RequestHead, 'header'>) => boolean

/**
 * The service's own origin is that of `publicUrl`. Without one it is the address that the request was sent to, as far as
 * that is an IP address or `localhost`: any other name may be one that a hostile page has pointed here (DNS rebinding).
 */
export function ownOrigin(publicUrl: string | undefined): IsOwnOrigin {
  if (publicUrl !== undefined) {
    const own = new URL(publicUrl).origin
    return (origin) => origin === own
  }
  return (origin, head) => {
    const host = head.header('host')
    if (host === undefined || !URL.canParse(`http://${host}`)) return false
    const { hostname, origin: asked } = new URL(`http://${host}`)
    return origin === asked && (isLoopbackName(hostname) || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
  }
}
