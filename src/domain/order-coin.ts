import { NATIVE } from './amount.js'
import { detailedFailure, failure, type Outcome, succeed } from './failure.js'
import type { Network, Networks } from './network.js'
import type { RequestedOption } from './order.js'
import { type OptionCoin, rateUnavailable } from './order-price.js'

/** What is known of a wallet before it is asked whether an option may be on it. */
export interface OptionWallet {
  readonly owner: string | null
  readonly network: Network | null
}

/**
 * The coin of an option, by the networks of its wallets. Fails with `wallet_not_owned` for a wallet that is not the owner's, with
 * `mixed_native_coins` for native wallets of different coins, and with `rate_unavailable` for tokens of different symbols: none of them
 * has one price.
 */
export function coinOfOption(
  networks: Networks,
  owner: string,
  { walletIds, currency }: Pick<RequestedOption, 'walletIds' | 'currency'>,
  wallets: ReadonlyMap<string, OptionWallet>,
): Outcome<OptionCoin> {
  const coins: OptionCoin[] = []
  for (const id of walletIds) {
    const wallet = wallets.get(id)
    const network = wallet?.network === null || wallet === undefined ? undefined : networks.find(wallet.network)
    if (wallet?.owner !== owner || network === undefined) {
      return { ok: false, failure: detailedFailure('wallet_not_owned', { wallet: id, reason: 'not_assigned' }) }
    }
    const decimals = networks.decimals[network.id]?.[currency]
    const symbol =
      currency === NATIVE ? network.symbol : network.tokens.find((token) => token.currency === currency)?.symbol
    // The creation refuses it as a currency that the network lacks.
    if (symbol === undefined || decimals === undefined) return { ok: false, failure: rateUnavailable(currency) }
    coins.push({ symbol, decimals })
  }
  const [first] = coins
  if (first === undefined || coins.some(({ symbol }) => symbol !== first.symbol)) {
    return { ok: false, failure: currency === NATIVE ? failure('mixed_native_coins') : rateUnavailable(currency) }
  }
  return succeed({ symbol: first.symbol, decimals: Math.min(...coins.map(({ decimals }) => decimals)) })
}
