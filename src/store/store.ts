import type { Turns } from '../base/turns.js'
import type { Currency } from '../domain/amount.js'
import type { ApiKey, ApiKeyRegistration } from '../domain/api-key.js'
import type { BlockAside, DepositAside, NameInNetwork } from '../domain/aside.js'
import type { AuditRecord } from '../domain/audit.js'
import type { BlockHead, ChainPosition, ChainStep, WatchedAddresses } from '../domain/block.js'
import type { Deposit } from '../domain/deposit.js'
import type { EventType, ExportedEvent, OwnerEvent } from '../domain/event.js'
import type { Outcome } from '../domain/failure.js'
import type { ImportedEvent } from '../domain/imported-event.js'
import type { ImportedOrder } from '../domain/imported-order.js'
import type { ImportedInvoice } from '../domain/imported-record.js'
import type { Invoice } from '../domain/invoice.js'
import type { KeyHistory } from '../domain/key-history.js'
import type { EventOutcome, LedgerFact, UnreadableFact } from '../domain/ledger-fact.js'
import type { LedgerMemory, LedgerStep } from '../domain/ledger-progress.js'
import type { Network, Networks } from '../domain/network.js'
import type { Note } from '../domain/note.js'
import type { StrayDeposit } from '../domain/payment.js'
import type { ClaimedWallet, Wallet } from '../domain/wallet.js'
import type { Watch } from '../domain/watch.js'
import type { Delivery, SigningSecrets, WebhookConfiguration, WebhookPayload } from '../domain/webhook.js'
import type { WithdrawnWallet } from '../domain/withdrawal.js'
import type { Span } from '../domain/zone.js'
import type { AllowancePort } from './allowances.js'
import type { AuditPort } from './audit.js'
import type { CommandPort, Settled } from './commands.js'
import type { EventOutboxPort } from './event-outbox.js'
import type { LeadershipPort } from './leadership.js'
import type { NotePort } from './notes.js'
import type { OrderPort } from './orders.js'
import type { OutboxPort, OwedDelivery } from './outbox.js'
import type { RatePort } from './rates.js'
import type { Awaitable, InvoiceWithDeposits, InvoiceWithPayment, Page, PageOf } from './reading.js'
import type { ReceivedDeposit } from './received.js'
import type { SearchPort } from './search.js'

export type { Awaitable, InvoiceWithDeposits, InvoiceWithPayment, Page, PageOf } from './reading.js'

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

/** Which store it is: what an operator compares when a volume or a database may be another one than it should. A restored backup keeps it. */
export interface StoreBirth {
  /** 16 hex characters, made when the store was created. */
  readonly id: string
  /** When it was created, Unix ms. For a store of a version that did not note it, when a later version opened it first. */
  readonly bornAt: number
}

/** Whether and how an engine may create a store where it finds none. */
export interface StoreCreation {
  /** Whether it may; else opening rejects with `OperatorError`. */
  readonly mayBegin: boolean
  /** What the operator can do about one that is missing, as the end of a sentence. */
  readonly advice?: string
  /** Called when it did, with where. */
  readonly onCreated?: ((place: string, birth: StoreBirth) => void) | undefined
}

/** The API keys of identities. */
export interface KeyPort {
  /** Refuses with `public_key_registered`, `too_many_keys` or `invalid_api_key_registration`. */
  register(registration: ApiKeyRegistration): Promise<Outcome<ApiKey>>
  /** Refuses with `api_key_not_found` or `not_key_owner`. A second revocation keeps the first `revoked_at`. */
  revoke(id: string, owner: string, trace?: string): Promise<Outcome<ApiKey>>
  /** The record of the key with an id. */
  withId(id: string): Awaitable<ApiKey | undefined>
  /** The record of a public key of 33 bytes. It includes every revocation that was answered. */
  find(publicKey: Uint8Array): Awaitable<ApiKey | undefined>
  /** The keys of an owner, newest first. */
  page(owner: string, page: Page): Awaitable<PageOf<ApiKey>>
}

/** Which identities the ledger is known to have. */
export interface IdentityPort {
  isKnown(owner: string): Awaitable<boolean>
  /** Records that the ledger has the identity. */
  remember(owner: string): Promise<void>
  /** The keys that a gateway has pushed last, compressed and in lower-case hex; null when it has pushed none. */
  pushedKeys(owner: string): Awaitable<readonly string[] | null>
}

/** Wallets, and the pool of those without an owner. Facts about wallets come in through `LedgerPort`. */
export interface WalletPort {
  find(id: string): Awaitable<Wallet | undefined>
  /** The wallet at an address, if one is known. */
  at(network: Network, address: string): Awaitable<Wallet | undefined>
  /** The wallets of an owner, latest assignment first. */
  page(owner: string, page: Page): Awaitable<PageOf<Wallet>>
  /** The highest index of the wallets whose ids begin with a prefix (`derivedPrefix`); null when there is none. */
  lastDerived(prefix: string): Awaitable<number | null>
  /** Hands out an unassigned wallet for `leaseMs`; null when none is free. */
  claim(network: Network, leaseMs: number): Promise<ClaimedWallet | null>
  countUnassigned(network: Network): Awaitable<number>
  /** The wallets that `countUnassigned` counts, those first that are claimed first. Cursors are opaque. */
  unassigned(network: Network, page: Page): Awaitable<PageOf<Wallet>>
  /** Wallets of the network that were withdrawn from the pool: they are not counted as unassigned, and never handed out. */
  countWithdrawn(network: Network): Awaitable<number>
  /** The withdrawn wallets of all networks, also those that have not been told yet. */
  withdrawn(page: Page): Awaitable<PageOf<WithdrawnWallet>>
  /**
   * Puts a withdrawn wallet back into the pool, in which it can be claimed when `leaseMs` have passed since it was withdrawn.
   * Refuses with `not_found` when none of the id is withdrawn.
   */
  putBack(id: string, leaseMs: number, trace?: string): Promise<Outcome<Wallet>>
  /** How many wallets of the network can be claimed now; counts no further than `limit`. */
  countClaimable(network: Network, limit: number): Awaitable<number>
}

/** Invoices of a currency on the wallet at an address, of its present owner, by when they were created. */
export interface UnpaidSearch {
  readonly network: Network
  readonly address: string
  readonly currency: Currency
  /** Unix ms. */
  readonly from: number
  /** Unix ms; those that were created then are not meant. */
  readonly before: number
}

/** Open invoices that a search for an unpaid one examines at most. */
export const UNPAID_EXAMINED_MAX = 100

/** Reads invoices. `CommandPort` creates and voids them. */
export interface InvoicePort {
  find(id: string): Awaitable<Invoice | undefined>
  findWithPayment(id: string): Awaitable<InvoiceWithPayment | undefined>
  /** Whether it will answer the same object again while nothing changes, so that what is made of it is worth keeping. */
  isKept(id: string): boolean
  /** The same, with up to `limit` deposits of the same moment. Its cost does not grow with the history of the wallets. */
  findWithDeposits(id: string, limit: number): Awaitable<InvoiceWithDeposits | undefined>
  findByReference(reference: string): Awaitable<Invoice | undefined>
  /** The invoice that a deposit is matched to, or was until it was dropped. */
  findByDeposit(network: Network, txHash: string, index: number): Awaitable<Invoice | undefined>
  /** The invoices of an owner, newest first, or only those with an order number; cursors are invoice ids. */
  page(owner: string, page: Page, orderNumber?: string | null): Awaitable<PageOf<Invoice>>
  pageWithPayment(owner: string, page: Page, orderNumber?: string | null): Awaitable<PageOf<InvoiceWithPayment>>
  /** The cursor that a page ends with, without reading its invoices. */
  nextOf(owner: string, page: Page, orderNumber?: string | null): Awaitable<string | null>
  /** The oldest one of a search that is neither paid nor void, if there is one among the first. Its cost is bounded. */
  oldestUnpaid(search: UnpaidSearch): Awaitable<Invoice | undefined>
}

/** What came to some wallets in other currencies than one that is asked for there. */
export interface StraySearch {
  readonly walletIds: readonly string[]
  /** The currency that is asked for. */
  readonly currency: Currency
  /** Unix ms; only what was received later is meant. */
  readonly since: number
}

/** Reads deposits. `CommandPort` records them. */
export interface DepositPort {
  /**
   * The newest ones of a search that no invoice has matched, at most `limit`. What it reads grows with `limit` and the wallets, not with
   * their history.
   */
  strays(search: StraySearch, limit: number): Awaitable<readonly StrayDeposit[]>
  find(network: Network, txHash: string, index: number): Awaitable<Deposit | undefined>
  /** All deposits of a network, dropped ones included, in an order of the engine's own. Cursors are opaque. */
  page(network: Network, page: Page): Awaitable<PageOf<Deposit>>
  /**
   * The deposits of all networks that were received within a span, dropped ones included, in the order of receipt. What it reads grows
   * with them, not with the history. Cursors are opaque.
   */
  received(span: Span, page: Page): Awaitable<PageOf<ReceivedDeposit>>
}

/** What the watcher of a network needs to go on. `CommandPort` takes its steps. */
export interface ChainPort {
  /** What is remembered of the watching of a network. The first call notes that it is watched from now on. */
  watch(network: Network): Promise<Watch>
  /** Notes the settings with which the nodes of a network were found right. */
  noteSettings(network: Network, settings: string): Promise<void>
  /** How far the watcher is; undefined before its first step. */
  position(network: Network): Awaitable<ChainPosition | undefined>
  /** A block that the watcher has passed, while it is kept. */
  blockAt(network: Network, height: number): Awaitable<BlockHead | undefined>
  /** The addresses, each once, whose deposits a step concerns now: the step takes its turn with their wallets. */
  addressesOf(step: ChainStep): Awaitable<readonly string[]>
  /** The deposits that a step concerns now, each once. */
  depositsOf(step: ChainStep): Awaitable<readonly NameInNetwork[]>
  /** The addresses of the wallets of a network. Read them again for each step, because wallets get addresses. */
  watched(network: Network): Awaitable<WatchedAddresses>
}

/** Reads what was set aside. `CommandPort` sets aside, and ends it. */
export interface AsidePort {
  /** The blocks of a network that no node could give, lowest first; those for which the network still waits too. */
  blocks(network: Network): Awaitable<readonly BlockAside[]>
  /** The deposits of all networks whose recording failed, at most `DEPOSITS_ASIDE_MAX`, in an order of the engine's own. */
  deposits(): Awaitable<readonly DepositAside[]>
}

/** What happened to owners. It is written with what it tells. */
export interface EventPort {
  /**
   * The events of an owner behind `after`, oldest first; cursors are ids of events. Refuses with `events_removed` when
   * events behind `after` have been removed.
   */
  page(owner: string, page: Page): Awaitable<Outcome<PageOf<OwnerEvent>>>
  /** The same for an export. Where events have been removed, it says so and goes on behind them. */
  log(owner: string, page: Page): Awaitable<PageOf<ExportedEvent>>
  /**
   * Removes at most `limit` events from before `timeMs`, Unix ms, and answers how many it removed. It visits a bounded number of
   * owners and goes on with the next ones; behind the last owner it starts over.
   */
  removeBefore(timeMs: number, limit: number): Promise<number>
}

/** Where and how owners are notified. */
export interface WebhookPort {
  find(owner: string): Awaitable<WebhookConfiguration>
  /** Sets the default URL; the secret is made the first time only. Without `payload` or `types` these stay as they were. */
  put(
    owner: string,
    callbackUrl: string,
    payload?: WebhookPayload,
    types?: readonly EventType[],
  ): Promise<WebhookConfiguration>
  /** Replaces the secret; the previous one signs too until the overlap ends. Makes the first secret of an owner. */
  rotate(owner: string, overlapMs: number): Promise<WebhookConfiguration>
  /** Removes the record with its secret; false when there was none. */
  delete(owner: string): Promise<boolean>
  /** The secrets that the owner's deliveries are signed with now, made on demand (specification, PUT webhook). */
  secrets(owner: string): Promise<SigningSecrets>
}

/** A fact of the ledger and the id of the event that reported it; null when the fact identifies itself. */
export interface LedgerEvent {
  readonly eventId: string | null
  readonly fact: LedgerFact | UnreadableFact
}

/** Facts of the ledger about identities and wallets, and the memory of a follower of the ledger. */
export interface LedgerPort {
  /**
   * Applies facts in order. An event id that was answered before is not applied again: it is a duplicate, or rejected as
   * it was then. An assignment that the ledger dates before the latest one of the wallet is a duplicate.
   */
  applyFacts(batch: readonly LedgerEvent[]): Promise<readonly Settled<EventOutcome>[]>
  /** What a follower of the ledger remembers; undefined when the ledger was never followed. */
  memory(): Awaitable<LedgerMemory | undefined>
  /** What a follower remembers of the keys of an identity; undefined while they were not replaced. */
  keyHistory(identity: string): Awaitable<KeyHistory | undefined>
  saveKeyHistory(identity: string, history: KeyHistory): Promise<void>
  /** Saves a step of a follower. Transactions before the window of its progress are forgotten. */
  saveStep(step: LedgerStep): Promise<void>
  /** Forgets up to `limit` ids of events that were answered before `timeMs`, Unix ms, oldest first. Answers how many. */
  removeEventsBefore(timeMs: number, limit: number): Promise<number>
}

/** How many records there are of each kind. */
export type RecordCounts = Readonly<
  Record<'identities' | 'wallets' | 'keys' | 'invoices' | 'deposits' | 'deliveries', number>
>

/** An owner whom a record names. */
export interface KnownOwner {
  readonly owner: string
  /** Whether the ledger is known to have the identity. */
  readonly isKnown: boolean
  /** The keys that a gateway has pushed for it, with `0x` and a comma between them; null for none. */
  readonly keys: string | null
}

/** Records of all owners, for the operator. Unless said otherwise, lists are in an order of the engine's own; cursors are opaque. */
export interface OverviewPort {
  /** Counts without reading the records. */
  counts(): Awaitable<RecordCounts>
  owners(page: Page): Awaitable<PageOf<KnownOwner>>
  /** All wallets, those without an owner included. */
  wallets(page: Page): Awaitable<PageOf<Wallet>>
  keys(page: Page): Awaitable<PageOf<ApiKey>>
  /** Newest first. */
  invoices(page: Page): Awaitable<PageOf<InvoiceWithPayment>>
  /** Newest first. */
  deliveries(page: Page): Awaitable<PageOf<Delivery>>
  /** Of all networks, in the order in which they were first seen, newest first. */
  deposits(page: Page): Awaitable<PageOf<Deposit>>
  /** The deliveries of an owner that were made at a time or later, Unix ms, oldest first; cursors are delivery ids. */
  deliveriesSince(owner: string, timeMs: number, page: Page): Awaitable<PageOf<Delivery>>
}

/** What an import writes beside facts of the ledger. */
export type ImportableRecord =
  | ImportedInvoice
  | ImportedOrder
  | ImportedEvent
  | { readonly type: 'audit'; readonly record: AuditRecord }
  | { readonly type: 'note'; readonly note: Note }
  | { readonly type: 'deposit'; readonly deposit: Deposit }
  | {
      readonly type: 'key'
      readonly key: ApiKey
      /** The 33 bytes of the public key. */
      readonly publicKey: Uint8Array
    }

/** `known`: the same record was there already. A refused record leaves no trace. */
export type ImportOutcome =
  | { readonly status: 'added' | 'known' }
  | { readonly status: 'refused'; readonly error: string }

/** What an import may bring beyond what the API would take now. */
export interface ImportTerms {
  /** Invoices on wallets that have been reassigned since, to another identity. */
  readonly ofFormerOwners: boolean
}

/** Records of another store. They are written as they were, and owe no webhooks. */
export interface ImportPort {
  /** Adds records in order, each as a whole or not at all. */
  add(batch: readonly ImportableRecord[], terms?: ImportTerms): Promise<readonly Settled<ImportOutcome>[]>
}

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
   * with what ends that, once nothing is missed any more.
   */
  onOwed(listener: OnOwed): Promise<() => void>
  /**
   * Calls the listener soon after something was logged of an owner whose events are sent, whichever process logged it. Processes of
   * another version may tell nothing. What it returns ends that.
   */
  onLogged(listener: OnLogged): () => void
}

/** Hears of commits. An engine calls it once for each, so it must be quick, and must not throw. */
export interface CommitObserver {
  /** Milliseconds on a clock that does not jump. */
  now(): number
  /** A commit is durable: how many units of work it carried, and the time from its begin until it was on disk. */
  committed(units: number, durationMs: number): void
  /** A commit was refused, by the disk for instance, and its units with it. */
  failed(units: number): void
}

/** What has to be done to bring data to the version of this program. */
export interface MigrationPlan {
  /** Versions of the data; equal when nothing is to be done. */
  readonly from: number
  readonly to: number
  /** Rows to read, and how many of them an earlier run that was cut off has read. */
  readonly rows: number
  readonly done: number
}

/** Hears of a migration, and may stop it. */
export interface MigrationControl {
  begins(plan: MigrationPlan): void
  /** Rows that are read and migrated on disk; called after each step but the last. */
  stepped(done: number): void
  finished(): void
  /** Asked before each step. A migration that was stopped goes on at the next start. */
  isStopping(): boolean
}

/** What the retention removes. Invoices, deposits, wallets and keys are the books, and stay. */
export type RemovedRows = 'events' | 'deliveries' | 'requests' | 'owner_events' | 'audit'
