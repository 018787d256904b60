import { BoundedMap } from '../base/bounded-map.js'

/** A token (RFC 9110, 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Visible ASCII, space and tab: no CR, LF or NUL can split the response, and no engine's encoding matters. */
const VALUE = /^[\t\x20-\x7e]*$/

/** Names whose latest value is remembered; most headers are the same in every answer. */
const REMEMBERED_MAX = 64

/** The latest value of a header that was found fit, by its name. */
const fit = new BoundedMap<string, string>(REMEMBERED_MAX)

/** The name of the first header that must not be written; `undefined` if there is none. */
export function unwritableHeader(headers: Readonly<Record<string, string>>): string | undefined {
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && fit.get(name) === value) continue
    if (!NAME.test(name) || typeof value !== 'string' || !VALUE.test(value)) return name
    fit.set(name, value)
  }
  return undefined
}
