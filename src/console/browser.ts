import type { RequestHead } from '../http/server.js'

/** Whether another site has the browser ask. `none` is the user's own doing. */
export function isFromElsewhere(head: RequestHead): boolean {
  const site = head.header('sec-fetch-site')
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

/**
 * Whether a browser sends a form of a page under the same name and port. Every browser says so with `Origin`; the scheme may
 * differ behind a proxy that speaks HTTPS.
 */
export function isOwnForm(head: RequestHead): boolean {
  if (isFromElsewhere(head)) return false
  const [origin, host] = [head.header('origin') ?? '', head.header('host') ?? '']
  if (!URL.canParse(origin) || !URL.canParse(`http://${host}`)) return false
  return new URL(origin).host === new URL(`http://${host}`).host
}
