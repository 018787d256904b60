import { failure } from '../../domain/failure.js'
import { type Invoice, walletsOf } from '../../domain/invoice.js'
import type { Wallet } from '../../domain/wallet.js'
import { failurePage } from '../../page/failure-page.js'
import { paymentPage } from '../../page/payment-page.js'
import { STYLE_SOURCE } from '../../page/style.js'
import type { InvoicePort, WalletPort } from '../../store/store.js'
import { handlers } from '../endpoints.js'
import { BASE_HEADERS, failureAnswer } from '../json.js'
import type { RouterHooks } from '../router.js'
import type { Answer } from '../server.js'

export interface PaymentPageParts {
  readonly store: {
    readonly invoices: Pick<InvoicePort, 'findWithPayment'>
    readonly wallets: Pick<WalletPort, 'find'>
  }
  readonly isSandbox: boolean
}

/** The payment page; 404 for an id that names no invoice, malformed or not. `failurePages` turns failures into pages. */
export function paymentPageHandlers(parts: PaymentPageParts) {
  return handlers({ 'GET /pay/:id': (_request, { id }) => show(parts, id) })
}

async function show({ store, isSandbox }: PaymentPageParts, id: string): Promise<Answer> {
  const found = await store.invoices.findWithPayment(id)
  if (found === undefined) return failureAnswer(failure('invoice_not_found'))
  const { invoice, payment, voidedAt, expiresAt } = found
  const wallets = await walletsShown(store, invoice)
  const isVoid = voidedAt !== null
  return pageAnswer(200, paymentPage({ invoice, payment, isVoid, expiresAt, wallets, isSandbox }))
}

/** An imported invoice may name a wallet that the ledger has not reported yet; its address is unknown. */
async function walletsShown({ wallets }: PaymentPageParts['store'], invoice: Invoice) {
  const shown: Pick<Wallet, 'network' | 'address'>[] = []
  for (const id of walletsOf(invoice)) shown.push((await wallets.find(id)) ?? { network: null, address: null })
  return shown
}

/** Allows the one style, and nothing to run, load, frame or be framed. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${STYLE_SOURCE}`,
  "img-src 'self' data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The address is all that it takes to see the page, so it is neither stored nor passed on. */
const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
  ...BASE_HEADERS,
})

/** An answer with an HTML page as its body. The headers of every page win over `headers`. */
function pageAnswer(status: number, body: string, headers?: Readonly<Record<string, string>>): Answer {
  return { status, headers: headers === undefined ? PAGE_HEADERS : { ...headers, ...PAGE_HEADERS }, body }
}

/** Payers open these paths in a browser. */
const PAGES_PATH = '/pay'

/**
 * Turns every failure under `/pay` into a page, whichever part refused the request: a handler, a guard, the router or
 * the adapter. Status and headers stay.
 */
export function failurePages(isSandbox: boolean): Required<RouterHooks>['present'] {
  return (answer, { path }) => {
    const { status, headers } = answer
    if (status < 400 || !(path === PAGES_PATH || path.startsWith(`${PAGES_PATH}/`))) return answer
    const retryAfter = Number.parseInt(headers['Retry-After'] ?? '', 10)
    const retryAfterSeconds = Number.isNaN(retryAfter) ? null : retryAfter
    return pageAnswer(status, failurePage({ status, retryAfterSeconds, isSandbox }), headers)
  }
}
