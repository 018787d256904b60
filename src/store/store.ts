import type { Turns } from '../base/turns.js'
import type { Networks } from '../domain/network.js'
import type { AllowancePort } from './allowances.js'
import type { AsidePort } from './aside.js'
import type { AuditPort } from './audit.js'
import type { StoreBirth } from './birth.js'
import type { ChainPort } from './chain.js'
import type { ChangePort } from './changes.js'
import type { CommandPort } from './commands.js'
import type { DepositPort } from './deposits.js'
import type { EventOutboxPort } from './event-outbox.js'
import type { EventPort } from './events.js'
import type { IdentityPort } from './identities.js'
import type { ImportPort } from './imports.js'
import type { InvoicePort } from './invoices.js'
import type { KeyPort } from './keys.js'
import type { LeadershipPort } from './leadership.js'
import type { LedgerPort } from './ledger.js'
import type { NotePort } from './notes.js'
import type { OrderPort } from './orders.js'
import type { OutboxPort } from './outbox.js'
import type { OverviewPort } from './overview.js'
import type { RatePort } from './rates.js'
import type { Awaitable } from './reading.js'
import type { SearchPort } from './search.js'
import type { WalletPort } from './wallets.js'
import type { WebhookPort } from './webhooks.js'

/**
 * What an engine implements: a port for each subject, and its lifecycle. Take the ports that you need, not the store.
 *
 * An engine speaks the domain. What decides is the same for all: the pure functions of `src/domain`, and the rules of `src/store/rules`,
 * which an engine runs inside its own transaction. Its rows, indexes, locks and batches are its own. It is the last word on uniqueness even where an actor has serialised commands. It may be shared by
 * several processes. The suites of `test/contract/store/`, one or more for each port, are what every engine must pass.
 *
 * The promise of a write resolves when the write is durable. A write that cannot be made durable rejects with
 * `StorageUnavailable` and leaves no trace. Where clients ask for writes directly they reject with `QueueFull` when too
 * many wait; commands, marks and results of deliveries, and steps of a follower are bounded by their callers.
 */
export interface Store {
  /** The networks that the catalogue has now, and retired ones that are still used. */
  readonly networks: Networks
  readonly commands: CommandPort
  readonly keys: KeyPort
  readonly identities: IdentityPort
  readonly wallets: WalletPort
  readonly invoices: InvoicePort
  readonly orders: OrderPort
  readonly notes: NotePort
  readonly deposits: DepositPort
  readonly chain: ChainPort
  readonly aside: AsidePort
  readonly outbox: OutboxPort
  readonly eventOutbox: EventOutboxPort
  readonly events: EventPort
  readonly webhooks: WebhookPort
  readonly ledger: LedgerPort
  readonly rates: RatePort
  readonly audit: AuditPort
  readonly overview: OverviewPort
  readonly search: SearchPort
  readonly imports: ImportPort
  readonly changes: ChangePort
  readonly leadership: LeadershipPort
  readonly allowances: AllowancePort

  /** Where long reads of the store take turns, piece by piece. */
  readonly turns: Turns

  readonly birth: StoreBirth

  /** Writes as much as an ordinary commit does, and takes it back: rejects when the disk refuses writes. */
  probeWrite(): Promise<void>
  /** Writes nothing. Resolves when everything that was queued before it has been committed. */
  commitNothing(): Promise<void>
  /** The clock that dates records, Unix ms: a database has its own. */
  readClock(): Awaitable<number>
  /** False once writes are impossible. */
  isOpen(): boolean
  /** Waits for the writes in progress and closes. */
  close(): Promise<void>
}
