/** The networks whose deposits are observed (specification). */
export const NETWORKS = ['SEP', 'TRX-NILE'] as const
export type Network = (typeof NETWORKS)[number]

/** How addresses and transactions look: as on Ethereum or as on TRON. */
export type NetworkKind = 'evm' | 'tron'

interface NetworkAbout {
  readonly kind: NetworkKind
  /** Whether its coins are worthless. */
  readonly isTest: boolean
}

const ABOUT: Readonly<Record<Network, NetworkAbout>> = {
  SEP: { kind: 'evm', isTest: true },
  'TRX-NILE': { kind: 'tron', isTest: true },
}

export function isNetwork(value: unknown): value is Network {
  return (NETWORKS as readonly unknown[]).includes(value)
}

export function isTestNetwork(network: Network): boolean {
  return ABOUT[network].isTest
}

export function kindOf(network: Network): NetworkKind {
  return ABOUT[network].kind
}

/** Decimals of the token (USDT) by network, from the settings (decisions 5). */
export type TokenDecimals = Readonly<Record<Network, number>>

/** Maximum length of an address on any network. */
export const ADDRESS_LENGTH_MAX = 128

/**
 * The form in which addresses of a network are compared: EVM addresses ignore case, TRON base58 is exact (decisions 5).
 */
export function canonicalAddress(network: Network, address: string): string {
  return kindOf(network) === 'evm' ? address.toLowerCase() : address
}
