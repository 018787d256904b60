import type { ChangePort, OnChange } from '../store.js'

/** Tells listeners of this process what was committed. */
export class Changes implements ChangePort {
  private readonly listeners = new Set<OnChange>()

  onChange(listener: OnChange): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  tell(walletIds: ReadonlySet<string>): void {
    if (walletIds.size === 0) return
    for (const listener of this.listeners) listener(walletIds)
  }
}
