import { failure } from '../../domain/failure.js'
import type { Logo } from '../../page/logo.js'
import { handlers } from '../endpoints.js'
import { BASE_HEADERS, failureAnswer } from '../json.js'

/** The logo is an image. Opened as a document, an SVG may style itself, but it has no origin, runs nothing and loads nothing. */
const LOGO_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  // Another logo has another name.
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  ...BASE_HEADERS,
})

/** The logo of the shop; 404 for every other name, a former logo's included. */
export function logoHandlers(logo: Logo | null) {
  return handlers({
    'GET /pay/shop/logo/:file': (_request, { file }) => {
      if (logo === null || file !== logo.file) return failureAnswer(failure('not_found'))
      return { status: 200, headers: { 'Content-Type': logo.type, ...LOGO_HEADERS }, body: logo.bytes }
    },
  })
}
