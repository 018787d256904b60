import type { Currency, OrderDraft, Rates, ServiceInfo } from '@billhook/client'
import type { NetworkInfo } from '../wallets/coins.js'
import type { KnownWallet } from '../wallets/known-wallets.js'
import { chooseWallet, type OpenInvoice } from '../wallets/pool.js'

/** Of one order (decisions 15). */
const OPTIONS_MAX = 10

/** A way to pay a price: a coin on a network. */
export interface Way {
  readonly network: NetworkInfo
  readonly currency: Currency
}

/** The symbol by which rates name the coin of a way. */
export function symbolOf({ network, currency }: Way): string {
  return currency === 'native' ? network.symbol : currency
}

/** What prices can be in: currencies with rates, then the coins themselves. */
export function priceUnits({ networks }: Pick<ServiceInfo, 'networks'>, rates: Rates['rates']): readonly string[] {
  const coins = networks.flatMap(waysOn).map(symbolOf)
  return [...new Set([...Object.keys(rates), ...coins])]
}

function waysOn(network: NetworkInfo): readonly Way[] {
  return [...network.tokens.map(({ symbol }) => ({ network, currency: symbol })), { network, currency: 'native' }]
}

/** The ways to pay a price in a unit: every coin that has a rate, or is the unit itself. */
export function waysToPay(
  { networks }: Pick<ServiceInfo, 'networks'>,
  rates: Rates['rates'],
  unit: string,
): readonly Way[] {
  const priced = rates[unit]
  return networks
    .flatMap(waysOn)
    .filter((way) => symbolOf(way) === unit || (priced !== undefined && Object.hasOwn(priced, symbolOf(way))))
}

/** The options of an order for these ways: a wallet for each network. Ways without a wallet are left out. */
export function optionsFor(
  ways: readonly Way[],
  wallets: readonly KnownWallet[],
  open: readonly OpenInvoice[],
): OrderDraft['options'] {
  const chosen = new Map(
    [...new Set(ways.map(({ network }) => network.id))].map((id) => [id, chooseWallet(wallets, id, open)]),
  )
  return ways
    .flatMap(({ network, currency }) => {
      const choice = chosen.get(network.id) ?? null
      return choice === null ? [] : [{ walletIds: [choice.wallet.id], currency }]
    })
    .slice(0, OPTIONS_MAX)
}
