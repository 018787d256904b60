import { signal } from '@preact/signals'
import type { KnownWallet } from './known-wallets.js'
import { type OpenInvoice, shortBy } from './pool.js'

/** How many free wallets are wanted, by network. */
export type PoolSizes = Readonly<Record<string, number>>

export const POOL_MAX = 20

export interface PoolParts {
  readonly place: { read(): Promise<PoolSizes>; write(sizes: PoolSizes): Promise<void> }
  readonly wallets: () => readonly KnownWallet[]
  readonly open: () => readonly OpenInvoice[]
  readonly get: (network: string) => Promise<void>
  /** Runs the work unless another tab is at it. */
  readonly alone: (work: () => Promise<void>) => Promise<void>
  readonly now: () => number
}

/** After a failure the service, or the ledger, is left alone for so long. */
const REST_MS = 60_000

/** Keeps free wallets ready. */
export class PoolKeeper {
  readonly sizes = signal<PoolSizes>({})
  private restsUntil = 0

  constructor(private readonly parts: PoolParts) {}

  async load(): Promise<void> {
    this.sizes.value = await this.parts.place.read()
  }

  async set(network: string, size: number): Promise<void> {
    const bounded = Math.max(0, Math.min(POOL_MAX, Math.trunc(size)))
    this.sizes.value = { ...this.sizes.value, [network]: bounded }
    await this.parts.place.write(this.sizes.value)
  }

  /** Gets what is missing, one after the other. */
  async refill(): Promise<void> {
    const { wallets, open, get, alone, now } = this.parts
    if (now() < this.restsUntil) return
    const missing = (network: string) => shortBy(wallets(), network, open(), this.sizes.value[network] ?? 0)
    if (!Object.keys(this.sizes.value).some((network) => missing(network) > 0)) return
    await alone(async () => {
      try {
        for (const network of Object.keys(this.sizes.value)) while (missing(network) > 0) await get(network)
      } catch {
        // What is wrong is said where somebody asks for a wallet; here it is tried again.
        this.restsUntil = now() + REST_MS
      }
    })
  }
}
