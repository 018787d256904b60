import type { Clock } from '../clock.js'
import type { Network } from '../domain/network.js'
import type { ClientOf } from './client-address.js'
import type { RequestHead } from './server.js'

const SECOND_MS = 1_000

export interface ClaimLimitSettings {
  /** Wallets of one network that one client may hold at once, by leases that have not ended; 0 for no limit. */
  readonly leasesPerClient: number
  readonly leaseMs: number
  readonly clientOf: ClientOf
  readonly clock: Clock
}

/** Whether a wallet may be handed out. What was granted is given back when there was none to hand out. */
export type ClaimPermit =
  | { readonly granted: true; giveBack(): void }
  | { readonly granted: false; readonly waitSeconds: number }

/**
 * Keeps one client from draining the pool of wallets: it may hold only so many leases of each network. Clients on this
 * machine are not limited; a proxy on it has to be named as trusted, or its clients are taken for this machine.
 *
 * Only what is leased is remembered, so the memory is bounded by the number of wallets. It does not outlive the process:
 * after a restart a client may claim anew, while the wallets that it holds stay leased in the store.
 */
export class ClaimLimit {
  /** Ends of leases by network and client, oldest first; the entry whose last lease is oldest comes first. */
  private readonly leases = new Map<string, number[]>()

  constructor(private readonly settings: ClaimLimitSettings) {}

  /** Entries that are remembered. */
  get size(): number {
    return this.leases.size
  }

  /** Reserves a lease before the wallet is asked for, so that claims that overlap cannot exceed the limit. */
  request(head: RequestHead, network: Network): ClaimPermit {
    const { leasesPerClient, leaseMs, clientOf, clock } = this.settings
    if (leasesPerClient === 0) return UNLIMITED
    const client = clientOf(head)
    if (client.isLoopback) return UNLIMITED
    const now = clock.now()
    this.forgetEnded(now)
    const key = `${network} ${client.key}`
    const held = (this.leases.get(key) ?? []).filter((end) => end > now)
    const [first = now] = held
    if (held.length >= leasesPerClient) {
      return { granted: false, waitSeconds: Math.ceil((first - now) / SECOND_MS) }
    }
    const end = now + leaseMs
    held.push(end)
    this.leases.delete(key)
    this.leases.set(key, held)
    return { granted: true, giveBack: () => this.giveBack(key, end) }
  }

  private giveBack(key: string, end: number): void {
    const held = this.leases.get(key)
    const at = held?.indexOf(end) ?? -1
    if (held === undefined || at === -1) return
    held.splice(at, 1)
    if (held.length === 0) this.leases.delete(key)
  }

  private forgetEnded(now: number): void {
    for (const [key, held] of this.leases) {
      if ((held.at(-1) ?? 0) > now) return
      this.leases.delete(key)
    }
  }
}

const UNLIMITED: ClaimPermit = { granted: true, giveBack: () => undefined }
