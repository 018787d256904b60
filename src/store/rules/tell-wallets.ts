import { type Invoice, walletsOf } from '../../domain/invoice.js'

/** Notes that an invoice ends, or lives again, on each of its wallets. */
export function tellWallets(
  work: { changed(walletId: string): void },
  { invoice }: { readonly invoice: Invoice },
): void {
  for (const walletId of walletsOf(invoice)) work.changed(walletId)
}
