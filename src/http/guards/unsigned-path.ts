import type { RequestHead } from '../server.js'
import type { IsOwnOrigin } from './own-origin.js'

/** Who may take the unsigned path of `POST /api/invoices`, whose `owner` is trusted (decisions 10). */
export type UnsignedMode = 'on' | 'same-origin' | 'off'

/** Whether a request without signature headers may go on. */
export type AllowsUnsigned = (head: RequestHead) => boolean

/**
 * The rule of a mode. `same-origin` takes requests of the service's own pages, as browsers mark them: by
 * `Origin`, or, where that is absent, by `Sec-Fetch-Site: same-origin` (Fetch Metadata Request Headers). A browser lets no
 * page forge either. A program can: this keeps other web sites out, not other programs.
 */
export function unsignedPath(mode: UnsignedMode, isOwnOrigin: IsOwnOrigin): AllowsUnsigned {
  switch (mode) {
    case 'on':
      return () => true
    case 'off':
      return () => false
    case 'same-origin':
      return (head) => {
        const origin = head.header('origin')
        if (origin === undefined) return head.header('sec-fetch-site') === 'same-origin'
        return isOwnOrigin(origin, head)
      }
  }
}
