/** The networks whose deposits are observed (specification). */
export const NETWORKS = ['SEP', 'TRX-NILE'] as const
export type Network = (typeof NETWORKS)[number]

export function isNetwork(value: unknown): value is Network {
  return value === 'SEP' || value === 'TRX-NILE'
}

/** Coins of a test network are worth nothing. The specification names no other networks. */
const TEST_NETWORKS: Readonly<Record<Network, boolean>> = { SEP: true, 'TRX-NILE': true }

export function isTestNetwork(network: Network): boolean {
  return TEST_NETWORKS[network]
}

/** Decimals of the observed token (USDT) by network; configuration (decisions 5). */
export type TokenDecimals = Readonly<Record<Network, number>>

/** Addresses longer than this are none of any network. */
export const ADDRESS_LENGTH_MAX = 128

/**
 * The form in which addresses of a network compare: EVM addresses without regard to case, TRON base58 exactly
 * (decisions 5).
 */
export function canonicalAddress(network: Network, address: string): string {
  return network === 'SEP' ? address.toLowerCase() : address
}
