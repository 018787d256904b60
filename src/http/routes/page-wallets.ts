import { NATIVE } from '../../domain/amount.js'
import { type Invoice, walletsOf } from '../../domain/invoice.js'
import type { StrayDeposit } from '../../domain/payment.js'
import type { Wallet } from '../../domain/wallet.js'
import type { PageWallet } from '../../page/instructions.js'
import { type PageNetworks, tokenOn } from '../../page/networks.js'
import type { DepositPort } from '../../store/deposits.js'
import type { Awaitable } from '../../store/reading.js'
import type { WalletPort } from '../../store/wallets.js'

/** What the pages read of wallets. */
export interface WalletReads {
  readonly wallets: Pick<WalletPort, 'find'>
  readonly deposits: Pick<DepositPort, 'strays'>
}

export type OwnedWallet = PageWallet & Pick<Wallet, 'owner'>

/** An imported invoice may name a wallet that the ledger has not reported yet; its address is unknown. */
export function walletsShown(
  { wallets }: Pick<WalletReads, 'wallets'>,
  invoice: Invoice,
): Awaitable<readonly OwnedWallet[]> {
  const found = walletsOf(invoice).map((id) => {
    const unknown = { id, network: null, address: null, owner: null }
    const wallet = wallets.find(id)
    return wallet instanceof Promise ? wallet.then((known) => known ?? unknown) : (wallet ?? unknown)
  })
  return areKnown(found) ? found : Promise.all(found)
}

function areKnown<T>(values: readonly Awaitable<T>[]): values is readonly T[] {
  return values.every((value) => !(value instanceof Promise))
}

/** Deposits in another coin that a page tells of; the newest ones. */
export const STRAYS_MAX = 3

/** What came to its wallets in other coins. What comes to a wallet that has another owner by now is that owner's. */
export function straysShown(
  { deposits }: Pick<WalletReads, 'deposits'>,
  invoice: Invoice,
  wallets: readonly OwnedWallet[],
): Awaitable<readonly StrayDeposit[]> {
  const walletIds = wallets.filter(({ owner }) => owner === invoice.owner).map(({ id }) => id)
  if (walletIds.length === 0) return []
  return deposits.strays({ walletIds, currency: invoice.currency, since: invoice.created_at }, STRAYS_MAX)
}

/** What browser wallets ask from within a page that asks for a payment of an invoice: the nodes of its networks. */
export function walletNodesOf(
  invoice: Invoice,
  { wallets, networks }: { readonly wallets: readonly PageWallet[]; readonly networks: PageNetworks },
): readonly string[] {
  const nodes = wallets.flatMap(({ network, address }) => {
    const facts = network === null ? null : networks(network)
    const isOffered =
      facts !== null &&
      address !== null &&
      (invoice.currency === NATIVE || tokenOn(invoice.currency, facts)?.contract != null)
    return isOffered ? facts.walletNodes : []
  })
  return [...new Set(nodes)]
}
