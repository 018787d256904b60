import type { Currency, ServiceInfo } from '@billhook/client'

export type NetworkInfo = ServiceInfo['networks'][number]

/** Decimal places that the coins of all networks can carry. The service does not say how many each one has beyond. */
const NATIVE_PLACES = 6

export function networkOf({ networks }: Pick<ServiceInfo, 'networks'>, id: string): NetworkInfo | undefined {
  return networks.find((network) => network.id === id)
}

/** What can be asked for on all of these networks: their tokens, and the coin where it is the same one. */
export function currenciesOn(networks: readonly NetworkInfo[]): readonly Currency[] {
  const [first, ...others] = networks
  if (first === undefined) return []
  const tokens = first.tokens
    .map(({ symbol }) => symbol)
    .filter((symbol) => others.every((network) => network.tokens.some((token) => token.symbol === symbol)))
  return others.every(({ symbol }) => symbol === first.symbol) ? [...tokens, 'native'] : tokens
}

/** A currency by the name that people know. */
export function coinName(currency: Currency, networks: readonly (NetworkInfo | undefined)[]): string {
  if (currency !== 'native') return currency
  const symbols = networks.flatMap((network) => (network === undefined ? [] : [network.symbol]))
  return [...new Set(symbols)].join('/') || currency
}

/** How many decimal places an amount may have on all of these networks. */
export function placesOf(currency: Currency, networks: readonly NetworkInfo[]): number {
  if (currency === 'native') return NATIVE_PLACES
  const places = networks.flatMap(({ tokens }) =>
    tokens.filter(({ symbol }) => symbol === currency).map(({ decimals }) => decimals),
  )
  return Math.min(...places)
}
