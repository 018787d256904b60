import type { Network } from '../../../src/domain/network.js'
import type { Wallet } from '../../../src/domain/wallet.js'
import { WITHDRAWN_UNTIL, type Withdrawal } from '../../../src/domain/withdrawal.js'
import type { PoolWallet, PoolWork } from '../../../src/store/rules/wallet-pool.js'

export const NOW = 1_700_000_000_000

export function wallet(id: string, fields: Partial<Wallet> = {}): Wallet {
  return { id, network: 'SEP', address: `at ${id}`, owner: null, assignedAt: null, ...fields }
}

/** A pool in memory. It notes what changes it. */
export class Pool implements PoolWork {
  readonly changes: string[] = []
  readonly wallets: Map<string, PoolWallet>

  constructor(wallets: readonly PoolWallet[] = []) {
    this.wallets = new Map(wallets.map((one) => [one.wallet.id, one]))
  }

  readClock(): number {
    return NOW
  }

  longestFree(network: Network, nowMs: number): Wallet | undefined {
    const free = [...this.wallets.values()].filter(
      ({ wallet, leasedUntil }) => wallet.network === network && wallet.owner === null && leasedUntil <= nowMs,
    )
    return free.sort((a, b) => a.leasedUntil - b.leasedUntil)[0]?.wallet
  }

  wallet(id: string): PoolWallet | undefined {
    return this.wallets.get(id)
  }

  lease(id: string, endMs: number): void {
    this.changes.push(`lease ${id} until ${endMs - NOW}`)
  }

  withdraw(id: string, { umid, at }: Withdrawal, isKnown: boolean): void {
    this.changes.push(`withdraw ${isKnown ? 'known' : 'unknown'} ${id} by ${umid} at ${at - NOW}`)
    const { wallet: known = wallet(id, { network: null, address: null }) } = this.wallets.get(id) ?? {}
    this.wallets.set(id, { wallet: known, leasedUntil: WITHDRAWN_UNTIL, withdrawal: { umid, ledgerMs: 0, at } })
  }
}
