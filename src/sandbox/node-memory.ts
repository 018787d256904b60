import type { LedgerArchive } from './ledger-archive.js'
import type { LedgerContract } from './ledger-contracts.js'

/** `falling`: its neighbours still pass transactions to it, and it answers none of them. */
export type NodeState = 'up' | 'falling' | 'down'

/**
 * What one node of the ledger has of what was committed: everything, but for what it missed. Its restore engine brings
 * back transactions that it missed, and never lists them.
 */
export class NodeMemory {
  state: NodeState = 'up'
  private readonly missed = new Set<string>()
  private readonly unlisted = new Set<string>()
  private readonly unreadable = new Set<string>()
  private readonly contracts = new Set<string>()
  private hasWallets = true

  constructor(private readonly archive: Pick<LedgerArchive, 'umids'>) {}

  /** A transaction that the others committed without it. */
  miss(umid: string): void {
    this.missed.add(umid)
    this.unlisted.add(umid)
  }

  /** A transaction whose effects it has, and which its read API never finds. */
  lose(umid: string): void {
    this.unreadable.add(umid)
  }

  /** Its database is gone. */
  forget(): void {
    for (const umid of this.archive.umids) this.miss(umid)
    this.hasWallets = false
  }

  /** What the restore engine does. */
  restore(): void {
    this.missed.clear()
    this.hasWallets = true
  }

  /** A contract that was deployed while it was away. */
  missContract(id: string): void {
    this.contracts.add(id)
  }

  get knowsWallets(): boolean {
    return this.hasWallets
  }

  knows(umid: string): boolean {
    return !this.missed.has(umid)
  }

  reads(umid: string): boolean {
    return this.knows(umid) && !this.unreadable.has(umid)
  }

  lists(umid: string): boolean {
    return !this.unlisted.has(umid)
  }

  runs({ id }: Pick<LedgerContract, 'id'>): boolean {
    return !this.contracts.has(id)
  }
}
