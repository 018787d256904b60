import type { ChainPort } from './chain.js'
import type { CommandPort } from './commands.js'
import type { DepositPort } from './deposits.js'
import type { IdentityPort } from './identities.js'
import type { InvoicePort } from './invoices.js'
import type { KeyPort } from './keys.js'
import type { LedgerPort } from './ledger.js'
import type { OutboxPort } from './outbox.js'
import type { WalletPort } from './wallets.js'
import type { WebhookPort } from './webhooks.js'

/**
 * What an engine implements: a port for each subject, and its own life. Take the ports that you need, not the store.
 *
 * An engine speaks the domain. It makes every decision with the pure functions of `src/domain` inside its own
 * transaction, and is the last word on uniqueness even where an actor has serialised commands. It may be shared by
 * several processes. The suites of `test/contract/store/`, one or more for each port, are what every engine must pass.
 *
 * The promise of a write resolves when the write is durable. A write that cannot be made durable rejects with
 * `StorageUnavailable` and leaves no trace. Where clients ask for writes directly they reject with `QueueFull` when too
 * many wait; commands, marks and results of deliveries, and steps of a follower are bounded by their callers.
 */
export interface Store {
  readonly commands: CommandPort
  readonly keys: KeyPort
  readonly identities: IdentityPort
  readonly wallets: WalletPort
  readonly invoices: InvoicePort
  readonly deposits: DepositPort
  readonly chain: ChainPort
  readonly outbox: OutboxPort
  readonly webhooks: WebhookPort
  readonly ledger: LedgerPort

  /** Writes as much as an ordinary commit does, and takes it back: rejects when the disk refuses writes. */
  probeWrite(): Promise<void>
  /** False once writes are impossible. */
  isOpen(): boolean
  /** Waits for the writes under way and closes. */
  close(): Promise<void>
}

/** What the retention removes. Invoices, deposits, wallets and keys are the books, and stay. */
export type RemovedRows = 'events' | 'deliveries' | 'requests'
