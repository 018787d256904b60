import type { OwedDelivery } from './outbox.js'

/** What a commit changed of what payment pages show. */
export interface Changed {
  /** Wallets that got an address or another deposit that is matched to no invoice, or on which an invoice ended: it may concern all theirs. */
  readonly walletIds: ReadonlySet<string>
  /** Invoices that a deposit is matched to which came or was confirmed. What another process wrote is told by the wallets alone. */
  readonly invoiceIds: ReadonlySet<string>
}

/** Must be quick, and must not throw. */
export type OnChange = (changed: Changed) => void

/** Called with deliveries that became due. Must be quick, and must not throw. */
export type OnOwed = (owed: readonly OwedDelivery[]) => void

/** Called with owners with the payload `events` to whom something happened. Must be quick, and must not throw. */
export type OnLogged = (owners: ReadonlySet<string>) => void

/** Tells what changes, so that nobody has to ask again and again. */
export interface ChangePort {
  /**
   * Calls the listener soon after each write that is durable, whichever process wrote it; it may be called although nothing
   * changed. What it returns ends that.
   */
  onChange(listener: OnChange): () => void
  /**
   * Calls the listener soon after other processes have queued deliveries; of those of this process its callers are told. Resolves
   * with what ends that, once nothing is missed any more; rejects where that cannot be known, because nothing can be read.
   */
  onOwed(listener: OnOwed): Promise<() => void>
  /**
   * Calls the listener soon after something was logged of an owner whose events are sent, whichever process logged it. Processes of
   * another version may tell nothing. What it returns ends that.
   */
  onLogged(listener: OnLogged): () => void
}
