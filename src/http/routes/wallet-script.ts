import { failure } from '../../domain/failure.js'
import { walletScriptNamed } from '../../page/wallet-script.js'
import { handlers } from '../endpoints.js'
import { BASE_HEADERS, failureAnswer } from '../json.js'

const SCRIPT_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/javascript; charset=utf-8',
  // Another script has another name.
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  ...BASE_HEADERS,
})

/** The script for browser wallets; 404 for every other name, that of another version included. */
export const walletScriptHandlers = handlers({
  'GET /pay/shop/wallet/:file': (_request, { file }) => {
    const script = walletScriptNamed(file)
    if (script === null) return failureAnswer(failure('not_found'))
    return { status: 200, headers: SCRIPT_HEADERS, body: script.body }
  },
})
