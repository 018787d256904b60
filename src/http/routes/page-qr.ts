import { qrSvg } from '../../page/qr.js'
import { BASE_HEADERS } from '../json.js'
import type { Answer } from '../server.js'

const QR_SUFFIX = '.svg'

/** The address does not change while the page shows it. */
const QR_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'image/svg+xml',
  'Content-Security-Policy': "default-src 'none'",
  'Cache-Control': 'private, max-age=3600',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  ...BASE_HEADERS,
})

/** The wallet whose code a file is; null for another kind of file. */
export function walletOfQr(file: string): string | null {
  return file.endsWith(QR_SUFFIX) ? file.slice(0, -QR_SUFFIX.length) : null
}

export function qrAnswer(address: string): Answer {
  return { status: 200, headers: QR_HEADERS, body: qrSvg(address) }
}
