/** A token (RFC 9110, 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Visible ASCII, space and tab: no CR, LF or NUL can split the response, and no engine's encoding matters. */
const VALUE = /^[\t\x20-\x7e]*$/

/** The name of the first header that must not be written, `undefined` when all are fit. */
export function unwritableHeader(headers: Readonly<Record<string, string>>): string | undefined {
  for (const name in headers) {
    const value = headers[name]
    if (!NAME.test(name) || typeof value !== 'string' || !VALUE.test(value)) return name
  }
  return undefined
}

/** Statuses whose answers have no body and no Content-Length (RFC 9110, 6.4.1 and 8.6). */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 304
}
