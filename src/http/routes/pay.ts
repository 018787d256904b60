import { type Invoice, walletsOf } from '../../domain/invoice.js'
import type { Wallet } from '../../domain/wallet.js'
import { paymentPage, unknownInvoicePage } from '../../page/payment-page.js'
import { STYLE_SOURCE } from '../../page/style.js'
import type { Store } from '../../store/store.js'
import { BASE_HEADERS } from '../failure-response.js'
import type { Route } from '../router.js'
import type { Answer } from '../server.js'

/** Nothing but the one style may run, load, frame or be framed. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${STYLE_SOURCE}`,
  "img-src 'self' data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The address of the page is all that it takes to see it, so it is neither stored nor passed on. */
const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
  ...BASE_HEADERS,
})

export interface PaymentPageParts {
  readonly store: Pick<Store, 'invoiceWithPayment' | 'wallet'>
  readonly isSandbox: boolean
}

/** `GET /pay/:id`: the payment page; for an id that names no invoice, malformed or not, a page that says so (404). */
export function paymentPageRoutes(parts: PaymentPageParts): Route[] {
  return [{ method: 'GET', pattern: '/pay/:id', handle: (_request, params) => show(parts, params['id'] ?? '') }]
}

async function show({ store, isSandbox }: PaymentPageParts, id: string): Promise<Answer> {
  const found = await store.invoiceWithPayment(id)
  if (found === undefined) return htmlAnswer(404, unknownInvoicePage(isSandbox))
  const { invoice, payment } = found
  return htmlAnswer(200, paymentPage({ invoice, payment, wallets: await walletsShown(store, invoice), isSandbox }))
}

/** An invoice that was imported may name a wallet that the ledger has not told of yet; its address is not known. */
async function walletsShown(
  store: PaymentPageParts['store'],
  invoice: Invoice,
): Promise<Pick<Wallet, 'network' | 'address'>[]> {
  const wallets: Pick<Wallet, 'network' | 'address'>[] = []
  for (const id of walletsOf(invoice)) {
    wallets.push((await store.wallet(id)) ?? { network: null, address: null })
  }
  return wallets
}

function htmlAnswer(status: number, body: string): Answer {
  return { status, headers: PAGE_HEADERS, body }
}
