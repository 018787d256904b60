/** The text that a client signs (specification, Signed requests; decisions 2): three parts joined by line feeds. */

/** What stands before the body. */
export function signedTextHead(routeTag: string, timestamp: string): string {
  return `${routeTag}\n${timestamp}\n`
}

/** The whole text as bytes. `timestamp` is the header as sent, `body` the bytes as sent. */
export function signedText(routeTag: string, timestamp: string, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(signedTextHead(routeTag, timestamp)), body])
}
