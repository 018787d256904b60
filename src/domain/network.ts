/** The networks whose deposits are observed (specification). */
export const NETWORKS = ['SEP', 'TRX-NILE'] as const
export type Network = (typeof NETWORKS)[number]

export function isNetwork(value: unknown): value is Network {
  return value === 'SEP' || value === 'TRX-NILE'
}

/** Whether the coins of a network are worthless, which holds for both networks of the specification. */
const TEST_NETWORKS: Readonly<Record<Network, boolean>> = { SEP: true, 'TRX-NILE': true }

export function isTestNetwork(network: Network): boolean {
  return TEST_NETWORKS[network]
}

/** Decimals of the token (USDT) by network, from the settings (decisions 5). */
export type TokenDecimals = Readonly<Record<Network, number>>

/** Maximum length of an address on any network. */
export const ADDRESS_LENGTH_MAX = 128

/**
 * The form in which addresses of a network are compared: EVM addresses ignore case, TRON base58 is exact (decisions 5).
 */
export function canonicalAddress(network: Network, address: string): string {
  return network === 'SEP' ? address.toLowerCase() : address
}
