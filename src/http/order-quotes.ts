import type { Outcome } from '../domain/failure.js'
import type { Networks } from '../domain/network.js'
import { type OrderRequest, walletsOfRequest } from '../domain/order.js'
import { coinOfOption, type OptionWallet } from '../domain/order-coin.js'
import { type PriceDecimals, type Quote, quoteOptions, type Rates } from '../domain/order-price.js'
import type { Awaitable } from '../store/reading.js'
import type { WalletPort } from '../store/wallets.js'

/** What prices orders. */
export interface QuoteParts {
  readonly networks: Networks
  readonly wallets: Pick<WalletPort, 'find'>
  /** The rates that are in force now. */
  readonly ratesNow: () => Awaitable<Rates>
  readonly places: PriceDecimals
  readonly now: () => number
}

/** What each option of an order costs now, or why it cannot be priced. */
export async function quotesFor(
  { networks, wallets, ratesNow, places, now }: QuoteParts,
  { owner, price, options }: OrderRequest,
): Promise<readonly Outcome<Quote>[]> {
  const known = new Map<string, OptionWallet>()
  const found = await allOf(walletsOfRequest({ options }).map((id) => wallets.find(id)))
  for (const wallet of found) if (wallet !== undefined) known.set(wallet.id, wallet)
  const rates = await ratesNow()
  const withCoins = options.map((option) => ({ option, coin: coinOfOption(networks, owner, option, known) }))
  return quoteOptions(price, withCoins, rates, places, now())
}

/** What is answered at once makes no promises: for the wallets of a wide order they would cost as much as the answers. */
function allOf<T>(asked: readonly Awaitable<T>[]): Awaitable<readonly T[]> {
  return asked.every((one): one is T => !(one instanceof Promise)) ? asked : Promise.all(asked)
}
