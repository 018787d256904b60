import type { Clock } from '../../clock.js'
import { type Outcome, refuse, retryLater, succeed } from '../../domain/failure.js'
import type { Network } from '../../domain/network.js'
import type { ClaimedWallet } from '../../domain/wallet.js'
import type { Awaitable } from '../../store/reading.js'
import type { RequestHead } from '../server.js'
import type { ClientOf } from './client-address.js'

const SECOND_MS = 1_000

/** Leases to check for an assignment when a client has reached its limit. */
const LOOKED_AT_MAX = 64

export interface ClaimLimitSettings {
  /** Wallets of one network that one client may lease at once; 0 for no limit. */
  readonly leasesPerClient: number
  readonly leaseMs: number
  readonly clientOf: ClientOf
  readonly clock: Clock
  /** Whether a wallet has an owner by now: a lease that ended in an assignment no longer counts (decisions 8). */
  readonly isAssigned: (walletId: string) => Awaitable<boolean>
}

interface Lease {
  readonly end: number
  /** Null until a wallet is handed out. */
  walletId: string | null
}

/** The wallets of one network that a client has leased. */
interface Holding {
  /** Oldest first. */
  leases: Lease[]
  /** Where the next check for assignments begins, so that each lease has its turn. */
  lookFrom: number
}

/**
 * Keeps one client from draining the pool of wallets: it limits the leases that a client holds of each network. Clients
 * on this machine are not limited. If a proxy on this machine is not named as trusted, its clients count as this
 * machine.
 *
 * Only leases are remembered, so memory is bounded by the number of wallets. After a restart a client may claim
 * as many again, while the wallets that it holds stay leased in the store.
 */
export class ClaimLimit {
  /** By network and client; the entry whose last lease is oldest comes first. */
  private readonly holdings = new Map<string, Holding>()

  constructor(private readonly settings: ClaimLimitSettings) {}

  get size(): number {
    return this.holdings.size
  }

  /**
   * Has `take` take a wallet out of the pool, if the client may lease another one. The lease is reserved before that, so
   * that concurrent claims cannot exceed the limit.
   */
  async claim(
    head: RequestHead,
    network: Network,
    take: () => Promise<ClaimedWallet | null>,
  ): Promise<Outcome<ClaimedWallet>> {
    const { leasesPerClient, clientOf, clock } = this.settings
    const client = clientOf(head)
    if (leasesPerClient === 0 || client.isLoopback) return claimed(await take())
    const key = `${network} ${client.key}`
    const full = this.held(key)
    if (full.leases.length >= leasesPerClient) await this.releaseAssigned(full)
    const held = this.held(key)
    const [first] = held.leases
    if (first !== undefined && held.leases.length >= leasesPerClient) {
      const waitSeconds = Math.ceil((first.end - clock.now()) / SECOND_MS)
      return { ok: false, failure: retryLater('too_many_claims', waitSeconds) }
    }
    const lease = this.reserve(key, held)
    try {
      const wallet = await take()
      lease.walletId = wallet?.id ?? null
      return claimed(wallet)
    } finally {
      if (lease.walletId === null) this.giveBack(key, lease)
    }
  }

  /** The leases of a client that have not ended. */
  private held(key: string): Holding {
    const now = this.settings.clock.now()
    this.forgetEnded(now)
    const holding = this.holdings.get(key) ?? { leases: [], lookFrom: 0 }
    holding.leases = holding.leases.filter(({ end }) => end > now)
    return holding
  }

  private reserve(key: string, held: Holding): Lease {
    const lease: Lease = { end: this.settings.clock.now() + this.settings.leaseMs, walletId: null }
    held.leases.push(lease)
    this.holdings.delete(key)
    this.holdings.set(key, held)
    return lease
  }

  private async releaseAssigned(held: Holding): Promise<void> {
    const { leases, lookFrom } = held
    const count = Math.min(leases.length, LOOKED_AT_MAX)
    const looked = Array.from({ length: count }, (_, i) => leases[(lookFrom + i) % leases.length])
    held.lookFrom = (lookFrom + count) % leases.length
    const released = new Set<Lease>()
    for (const lease of looked) {
      if (lease !== undefined && lease.walletId !== null && (await this.settings.isAssigned(lease.walletId))) {
        released.add(lease)
      }
    }
    held.leases = held.leases.filter((lease) => !released.has(lease))
  }

  private giveBack(key: string, lease: Lease): void {
    const held = this.holdings.get(key)
    if (held === undefined) return
    held.leases = held.leases.filter((one) => one !== lease)
    if (held.leases.length === 0) this.holdings.delete(key)
  }

  private forgetEnded(now: number): void {
    for (const [key, { leases }] of this.holdings) {
      if ((leases.at(-1)?.end ?? 0) > now) return
      this.holdings.delete(key)
    }
  }
}

function claimed(wallet: ClaimedWallet | null): Outcome<ClaimedWallet> {
  return wallet === null ? refuse('no_wallet_available') : succeed(wallet)
}
