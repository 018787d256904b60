import { failure } from '../../domain/failure.js'
import { type Invoice, walletsOf } from '../../domain/invoice.js'
import type { Wallet } from '../../domain/wallet.js'
import { paymentPage } from '../../page/payment-page.js'
import type { InvoicePort } from '../../store/invoices.js'
import type { WalletPort } from '../../store/wallets.js'
import { handlers } from '../endpoints.js'
import { failureAnswer } from '../failure-response.js'
import { pageAnswer } from '../pages.js'
import type { Answer } from '../server.js'

export interface PaymentPageParts {
  readonly store: {
    readonly invoices: Pick<InvoicePort, 'findWithPayment'>
    readonly wallets: Pick<WalletPort, 'find'>
  }
  readonly isSandbox: boolean
}

/** The payment page; 404 for an id that names no invoice, malformed or not. `pages.ts` turns failures into pages. */
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
