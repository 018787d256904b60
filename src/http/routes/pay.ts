import { failure } from '../../domain/failure.js'
import { type Invoice, walletsOf } from '../../domain/invoice.js'
import type { Wallet } from '../../domain/wallet.js'
import { paymentPage } from '../../page/payment-page.js'
import type { InvoicePort } from '../../store/invoices.js'
import type { WalletPort } from '../../store/wallets.js'
import { failureAnswer } from '../failure-response.js'
import { pageAnswer } from '../page-answer.js'
import type { Route } from '../router.js'
import type { Answer } from '../server.js'

export interface PaymentPageParts {
  readonly store: {
    readonly invoices: Pick<InvoicePort, 'findWithPayment'>
    readonly wallets: Pick<WalletPort, 'find'>
  }
  readonly isSandbox: boolean
}

/**
 * `GET /pay/:id`: the payment page; 404 for an id that names no invoice, malformed or not. `failure-pages.ts` makes pages
 * of failures.
 */
export function paymentPageRoutes(parts: PaymentPageParts): Route[] {
  // Mail and chat programs add parameters of their own to links: a payer must not see an error for them.
  const handle: Route['handle'] = (_request, params) => show(parts, params['id'] ?? '')
  return [{ method: 'GET', pattern: '/pay/:id', parameters: 'any', handle }]
}

async function show({ store, isSandbox }: PaymentPageParts, id: string): Promise<Answer> {
  const found = await store.invoices.findWithPayment(id)
  if (found === undefined) return failureAnswer(failure('invoice_not_found'))
  const { invoice, payment, voidedAt, expiresAt } = found
  const wallets = await walletsShown(store, invoice)
  const isVoid = voidedAt !== null
  return pageAnswer(200, paymentPage({ invoice, payment, isVoid, expiresAt, wallets, isSandbox }))
}

/** An invoice that was imported may name a wallet that the ledger has not told of yet; its address is not known. */
async function walletsShown(
  store: PaymentPageParts['store'],
  invoice: Invoice,
): Promise<Pick<Wallet, 'network' | 'address'>[]> {
  const wallets: Pick<Wallet, 'network' | 'address'>[] = []
  for (const id of walletsOf(invoice)) {
    wallets.push((await store.wallets.find(id)) ?? { network: null, address: null })
  }
  return wallets
}
