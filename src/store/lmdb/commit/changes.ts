import type { ChangePort, OnChange, OnLogged } from '../../changes.js'

/** Gathers what the units of a commit change, and tells it when the commit is durable. */
export class Changes implements ChangePort {
  private readonly listeners = new Set<OnChange>()
  private readonly logListeners = new Set<OnLogged>()
  private wallets = new Set<string>()
  private invoices = new Set<string>()
  private owners = new Set<string>()

  onChange(listener: OnChange): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** There are no other processes. */
  async onOwed(): Promise<() => void> {
    return () => {}
  }

  onLogged(listener: OnLogged): () => void {
    this.logListeners.add(listener)
    return () => this.logListeners.delete(listener)
  }

  /** Called by a unit of work for an owner whose events are sent. */
  addLogged(owner: string): void {
    if (this.logListeners.size > 0) this.owners.add(owner)
  }

  /** Called by a unit of work. One that is undone may be told all the same: listeners read what there is. */
  addWallet(walletId: string): void {
    if (this.listeners.size > 0) this.wallets.add(walletId)
  }

  /** Likewise. */
  addInvoice(invoiceId: string): void {
    if (this.listeners.size > 0) this.invoices.add(invoiceId)
  }

  tell(): void {
    if (this.wallets.size + this.invoices.size > 0) {
      const told = { walletIds: this.wallets, invoiceIds: this.invoices }
      this.wallets = new Set()
      this.invoices = new Set()
      for (const listener of this.listeners) listener(told)
    }
    if (this.owners.size > 0) {
      const told = this.owners
      this.owners = new Set()
      for (const listener of this.logListeners) listener(told)
    }
  }

  /** Nothing of the commit came to be. */
  forget(): void {
    this.wallets.clear()
    this.invoices.clear()
    this.owners.clear()
  }
}
