import { WalletsMissing } from './errors.js'

/**
 * The wallets that a unit of work has locked, as far as it was noted. A wallet's row stands for what it has received, and for its open
 * invoices.
 */
export class HeldWallets {
  private readonly held = new Set<string>()
  private isMissingSome = false

  /** `known`: those that earlier tries of the unit were found to need, and to which this one adds. */
  constructor(private readonly known: Set<string>) {}

  note(ids: Iterable<string>): void {
    for (const id of ids) this.held.add(id)
  }

  /** Whether nobody else changes what these have received. */
  has(ids: readonly string[]): boolean {
    return ids.every((id) => this.held.has(id))
  }

  /**
   * Says that what the unit does depends on wallets, of which it may have locked some only. It cannot lock the others any more, as locks
   * are taken in order: so it is undone in the end, and done again with all of them. One that an earlier try has asked for, and that is
   * not locked now, does not exist.
   */
  need(ids: readonly string[]): void {
    for (const id of ids) {
      if (this.held.has(id) || this.known.has(id)) continue
      this.known.add(id)
      this.isMissingSome = true
    }
  }

  /** What the unit locks with its others. */
  get needed(): readonly string[] {
    return [...this.known]
  }

  /** Throws when the unit is to be done again. */
  assertComplete(): void {
    if (this.isMissingSome) throw new WalletsMissing()
  }
}
