import type { Wallet } from '@billhook/client'

/** A wallet of the owner, and what this browser knows of its address. */
export interface KnownWallet {
  readonly id: string
  readonly network: string
  /** The first address that the service named; null while there is none. */
  readonly first: string | null
  /** The present one. */
  readonly address: string | null
  /** When it was assigned, Unix milliseconds. */
  readonly since: number
}

/** First addresses by the id of the wallet. */
export type Addresses = Readonly<Record<string, string>>

/** The wallets of a list, with the addresses that were seen first. */
export function knownWallets(list: readonly Wallet[], addresses: Addresses): readonly KnownWallet[] {
  return list.map(({ id, address, network, assigned_at }) => ({
    id,
    network: network ?? '',
    first: (Object.hasOwn(addresses, id) ? addresses[id] : address) ?? null,
    address,
    since: assigned_at,
  }))
}

/** What is to be remembered after a list or a claim. An address that is known is never replaced. */
export function remembered(addresses: Addresses, seen: readonly Pick<Wallet, 'id' | 'address'>[]): Addresses {
  const fresh = seen.flatMap(({ id, address }) =>
    address === null || Object.hasOwn(addresses, id) ? [] : [[id, address] as const],
  )
  return fresh.length === 0 ? addresses : { ...addresses, ...Object.fromEntries(fresh) }
}

/** Whether the service names another address than at first. */
export function hasChanged({ first, address }: KnownWallet): boolean {
  return first !== null && address !== null && first !== address
}
