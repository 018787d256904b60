/** What a network is called, such as `SEP`: its id in the catalogue (`src/networks/catalogue`), of the form `isNetworkId`. */
export type Network = string

/** How addresses and transactions look: as on Ethereum or as on TRON. */
export const NETWORK_KINDS = ['evm', 'tron'] as const
export type NetworkKind = (typeof NETWORK_KINDS)[number]

/** The decimal places of the coins of each kind of network: wei on Ethereum, sun on TRON. */
export const COIN_DECIMALS: Readonly<Record<NetworkKind, number>> = { evm: 18, tron: 6 }

export const NETWORK_ID = /^[A-Z0-9-]{2,16}$/

export function isNetworkId(value: unknown): value is Network {
  return typeof value === 'string' && NETWORK_ID.test(value)
}

/** What must be known of a network to read what was recorded on it. */
export interface NetworkAbout {
  readonly id: Network
  readonly kind: NetworkKind
  /** For people. */
  readonly name: string
  /** The symbol of its own coin, such as ETH. */
  readonly symbol: string
  /** The symbol of its token. */
  readonly tokenSymbol: string
  /** The decimal places of its token, 0 to 18. */
  readonly decimals: number
  /** Whether its coins are worthless. */
  readonly isTest: boolean
}

/** A network of the catalogue, or one of which only the records of a store are left. */
export interface KnownNetwork extends NetworkAbout {
  /** Whether it is in the catalogue no longer: its records are read, and nothing is added to them. */
  readonly isRetired: boolean
}

/** Decimals of the token by network (decisions 5). */
export type TokenDecimals = Readonly<Record<Network, number>>

/** The networks of a service, in the order of the catalogue, the retired ones behind the others. */
export class Networks {
  /** The networks that are in the catalogue. */
  readonly present: readonly Network[]
  /** The retired ones too. */
  readonly ids: readonly Network[]
  readonly decimals: TokenDecimals
  /** Decimals of the coin by network. */
  readonly coinDecimals: TokenDecimals
  private readonly byId: ReadonlyMap<Network, KnownNetwork>

  constructor(readonly all: readonly KnownNetwork[]) {
    this.present = all.filter(({ isRetired }) => !isRetired).map(({ id }) => id)
    this.ids = all.map(({ id }) => id)
    this.decimals = Object.fromEntries(all.map(({ id, decimals }) => [id, decimals]))
    this.coinDecimals = Object.fromEntries(all.map(({ id, kind }) => [id, COIN_DECIMALS[kind]]))
    this.byId = new Map(all.map((one) => [one.id, one]))
  }

  find(id: Network): KnownNetwork | undefined {
    return this.byId.get(id)
  }

  isKnown(value: unknown): value is Network {
    return typeof value === 'string' && this.byId.has(value)
  }

  /** Whether it is in the catalogue. */
  isPresent(value: unknown): value is Network {
    return typeof value === 'string' && this.byId.get(value)?.isRetired === false
  }

  /** The same, with networks of which the store has records and the catalogue has no entry. */
  withRetired(remembered: readonly NetworkAbout[]): Networks {
    const retired = remembered.filter(({ id }) => !this.byId.has(id))
    return new Networks([...this.all, ...retired.map((about) => ({ ...about, isRetired: true }))])
  }
}

/**
 * What of a network must stay as it was once there are records on it, because sums follow from it: why the present entry does
 * not fit them, as text; null if it does.
 */
export function conflictOfNetworks(used: NetworkAbout, present: NetworkAbout): string | null {
  const differing = (['kind', 'decimals'] as const).find((field) => used[field] !== present[field])
  if (differing === undefined) return null
  const what = differing === 'kind' ? 'kind' : 'token decimals'
  return `${present.id} has the ${what} ${present[differing]}, and the data has deposits or wallets on it with ${used[differing]}`
}

/** Maximum length of an address on any network. */
export const ADDRESS_LENGTH_MAX = 128

/**
 * The form in which addresses are compared: EVM addresses, which begin with 0x as no other does, ignore case, TRON base58
 * is exact (decisions 5).
 */
export function canonicalAddress(address: string): string {
  return /^0x/i.test(address) ? address.toLowerCase() : address
}
