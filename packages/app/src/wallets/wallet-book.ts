import { assignWallet, type Billhook, type ServiceInfo, type Signer } from '@billhook/client'
import { signal } from '@preact/signals'
import { type Addresses, type KnownWallet, knownWallets, remembered } from './known-wallets.js'

export interface AddressPlace {
  /** Changes what is remembered in one step for all tabs, and answers it. */
  change(change: (addresses: Addresses) => Addresses): Promise<Addresses>
}

export interface WalletBookParts {
  readonly billhook: Pick<Billhook, 'claimWallet' | 'listWallets' | 'waitForWallet' | 'identityExists' | 'owner'>
  readonly ledger: ServiceInfo['ledger']
  /** Null where somebody has an API key alone. */
  readonly identity: Signer | null
  readonly place: AddressPlace
  readonly ended: AbortSignal
}

/** A ledger may take minutes where it is busy. */
const ASSIGNED_WITHIN_MS = 5 * 60_000

/** The wallets of the owner, with the addresses that this browser saw first. */
export class WalletBook {
  /** Newest first; null until they were read. */
  readonly list = signal<readonly KnownWallet[] | null>(null)

  constructor(private readonly parts: WalletBookParts) {}

  /** Whether this app can get wallets: it takes a ledger, and the identity. */
  get canGet(): boolean {
    return this.parts.ledger !== null && this.parts.identity !== null
  }

  async load(): Promise<readonly KnownWallet[]> {
    const { billhook, ended } = this.parts
    const wallets = await billhook.listWallets({ signal: ended })
    const known = knownWallets(wallets, await this.remember(wallets))
    this.list.value = known
    return known
  }

  /** Claims a wallet and assigns it to the identity: one step for people. */
  async get(network: string): Promise<void> {
    const { billhook, ledger, identity, ended } = this.parts
    if (ledger === null || identity === null) throw new TypeError('this takes a ledger and the identity')
    const claimed = await billhook.claimWallet(network, { signal: ended })
    // Before anything else can name another address for it.
    await this.remember([claimed])
    await assignWallet(ledger, identity, claimed.id, { billhook, signal: ended })
    await billhook.waitForWallet(claimed.id, { signal: ended, timeoutMs: ASSIGNED_WITHIN_MS })
    await this.load()
  }

  private remember(seen: readonly { readonly id: string; readonly address: string | null }[]): Promise<Addresses> {
    return this.parts.place.change((addresses) => remembered(addresses, seen))
  }
}
