import type { RouterHooks } from './router.js'
import type { Answer } from './server.js'

/** For a year, browsers use HTTPS for this host name, whatever a link says. Other names of the domain are not touched. */
const STRICT_TRANSPORT = Object.freeze({ 'Strict-Transport-Security': 'max-age=31536000' })

/** Adds the header to pages, the answers that people open in a browser (RFC 6797). */
export function strictTransport(present: Required<RouterHooks>['present']): Required<RouterHooks>['present'] {
  return (answer, head) => {
    const shown = present(answer, head)
    return isPage(shown) ? { ...shown, headers: { ...shown.headers, ...STRICT_TRANSPORT } } : shown
  }
}

function isPage({ headers }: Answer): boolean {
  return headers['Content-Type']?.startsWith('text/html') === true
}
