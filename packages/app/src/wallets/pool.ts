import { type Invoice, walletIdsOf } from '@billhook/client'
import { hasChanged, type KnownWallet } from './known-wallets.js'

/** An open invoice, of which only the wallets matter. */
export type OpenInvoice = Pick<Invoice, 'wallet_id' | 'wallet_ids' | 'created_at'>

/** A wallet for an invoice. */
export interface Choice {
  readonly wallet: KnownWallet
  /** Whether an open invoice uses it, too. */
  readonly isShared: boolean
}

/** Wallets that can take an invoice: their address is known, and still the first one. */
function usableWallets(wallets: readonly KnownWallet[], network: string): readonly KnownWallet[] {
  return wallets.filter((wallet) => wallet.network === network && wallet.address !== null && !hasChanged(wallet))
}

/** Those of them that no open invoice uses. */
export function freeWallets(
  wallets: readonly KnownWallet[],
  network: string,
  open: readonly OpenInvoice[],
): readonly KnownWallet[] {
  const used = new Set(open.flatMap(walletIdsOf))
  return usableWallets(wallets, network).filter(({ id }) => !used.has(id))
}

/**
 * The wallet for a new invoice on a network: the free one that was assigned first, or else the one with the fewest open invoices, and of
 * these the one whose last invoice is the oldest. Null where there is none at all.
 */
export function chooseWallet(
  wallets: readonly KnownWallet[],
  network: string,
  open: readonly OpenInvoice[],
): Choice | null {
  const use = usesOf(open)
  const ranked = usableWallets(wallets, network)
    .map((wallet) => ({ wallet, ...(use.get(wallet.id) ?? { count: 0, last: 0 }) }))
    .sort((a, b) => a.count - b.count || a.last - b.last || a.wallet.since - b.wallet.since)
  const [best] = ranked
  return best === undefined ? null : { wallet: best.wallet, isShared: best.count > 0 }
}

/** How many wallets a pool lacks. `wanted`: how many should be free. */
export function shortBy(
  wallets: readonly KnownWallet[],
  network: string,
  open: readonly OpenInvoice[],
  wanted: number,
): number {
  return Math.max(0, wanted - freeWallets(wallets, network, open).length)
}

function usesOf(open: readonly OpenInvoice[]): ReadonlyMap<string, { readonly count: number; readonly last: number }> {
  const uses = new Map<string, { count: number; last: number }>()
  for (const invoice of open) {
    for (const id of walletIdsOf(invoice)) {
      const use = uses.get(id) ?? { count: 0, last: 0 }
      uses.set(id, { count: use.count + 1, last: Math.max(use.last, invoice.created_at) })
    }
  }
  return uses
}
