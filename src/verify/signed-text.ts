/** The text that a client signs (specification, Signed requests; decisions 2): three parts joined by line feeds. */

/** What stands before the body. `timestamp` is the header as sent; the body follows as the bytes that were sent. */
export function signedTextHead(routeTag: string, timestamp: string): string {
  return `${routeTag}\n${timestamp}\n`
}
