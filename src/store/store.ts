import type { ApiKey, ApiKeyRegistration, Authority } from '../domain/api-key.js'
import type { BlockHead, ChainOutcome, ChainPosition, ChainStep, WatchedAddresses } from '../domain/block.js'
import type { Deposit, DepositOutcome } from '../domain/deposit.js'
import type { Outcome } from '../domain/failure.js'
import type { IdempotentRequest, SignedCreation } from '../domain/idempotency.js'
import type { Invoice, InvoiceRequest } from '../domain/invoice.js'
import type { DepositFact, EventOutcome, LedgerFact, UnreadableFact } from '../domain/ledger-fact.js'
import type { LedgerMemory, LedgerStep } from '../domain/ledger-progress.js'
import type { Network } from '../domain/network.js'
import type { Payment } from '../domain/payment.js'
import type { RetryDecision } from '../domain/retry.js'
import type { ClaimedWallet, Wallet } from '../domain/wallet.js'
import type { Delivery, DeliveryResult, WebhookConfiguration, WebhookPayload } from '../domain/webhook.js'
import type { SigningSecrets } from '../domain/webhook-secret.js'

/**
 * The port of the store. It speaks the domain, makes every decision with the pure functions of `src/domain` inside its
 * own transaction, and is the last word on uniqueness even where an actor has already serialised.
 * `test/contract/store.ts` is what every engine must pass.
 *
 * Every promise of a write resolves when the write is durable on disk. A write that cannot be made durable rejects
 * with `StorageUnavailable` and leaves no trace. A write that somebody outside asked for rejects with `QueueFull` when
 * too many of them wait; commands, marks and outcomes of deliveries, and the ledger's cursor are bounded by their callers.
 */

/** An engine that holds the data in this process may answer a read at once; callers `await` unless they are hot. */
export type Awaitable<T> = T | Promise<T>

/** How a creation was asked for, beside what it asks for. */
export interface CreationTerms {
  /** Absent when the request was not signed. Decided before everything else, so that a revoked key creates nothing. */
  readonly authority?: Authority
  /** Absent when the client sent no idempotency key. */
  readonly idempotency?: IdempotentRequest
  /** Absent when the request was not signed, or has a reference, which lets nobody create twice. */
  readonly signed?: SignedCreation
}

export interface InvoiceCommand {
  readonly type: 'invoice'
  readonly request: InvoiceRequest
  readonly terms?: CreationTerms
}

/** Voids an invoice for `owner` (decisions 4). */
export interface VoidCommand {
  readonly type: 'void'
  readonly invoiceId: string
  readonly owner: string
  /** Absent when the request was not signed. */
  readonly authority?: Authority
}

/** Records what somebody reports of a deposit. */
export interface DepositCommand {
  readonly type: 'deposit'
  /** Null when the report is no gateway's event. */
  readonly eventId: string | null
  readonly fact: DepositFact
}

/** What takes its turn in the mailboxes of wallets. */
export type WalletCommand =
  | InvoiceCommand
  | VoidCommand
  | DepositCommand
  | { readonly type: 'chain'; readonly step: ChainStep }

export type WalletResult =
  | {
      readonly type: 'invoice'
      readonly outcome: Outcome<Invoice>
      /** True when it had been created before, under the same idempotency key and from the same body. */
      readonly isReplay: boolean
    }
  /** Refused with `invoice_not_found`, `not_invoice_owner` or `invoice_paid`; repeated, it answers as before. */
  | { readonly type: 'void'; readonly outcome: Outcome<InvoiceWithPayment> }
  | { readonly type: 'deposit'; readonly outcome: DepositOutcome; readonly owed: readonly OwedDelivery[] }
  | { readonly type: 'chain'; readonly outcome: ChainOutcome; readonly owed: readonly OwedDelivery[] }

export type InvoiceResult = Extract<WalletResult, { type: 'invoice' }>
export type VoidResult = Extract<WalletResult, { type: 'void' }>
export type DepositResult = Extract<WalletResult, { type: 'deposit' }>
export type ChainResult = Extract<WalletResult, { type: 'chain' }>

/** One command's fate: a command that throws is rejected alone. */
export type Settled<T> = PromiseSettledResult<T>

/** A lane, and whose deliveries are in it. */
export interface LaneOfOwner {
  readonly lane: LaneKey
  readonly owner: string
}

/** A delivery that has become due, and the lane it waits in. */
export interface OwedDelivery extends LaneOfOwner {
  readonly id: string
}

/**
 * Names a lane of the outbox, opaque: deliveries of one owner to one origin (scheme, host, port). Hex.
 */
export type LaneKey = string

/** A delivery that was queued once more. */
export interface Redelivery {
  readonly delivery: Delivery
  readonly owed: OwedDelivery
}

/** How many deliveries are not settled, by their state. */
export type OutboxDepth = Readonly<Record<Exclude<Delivery['state'], 'settled'>, number>>

/** What a look at some lanes of the outbox found. */
export interface OldestQueued {
  /** When the oldest of their queued deliveries was caused, Unix ms; null when the lanes are empty. */
  readonly createdAt: number | null
  /** The last lane that was looked at, to go on behind it; null when it was the last of all. */
  readonly next: LaneKey | null
}

export interface InvoiceWithPayment {
  readonly invoice: Invoice
  readonly payment: Payment
  /** When it became void, by request or by expiry, Unix ms; null while it is payable. */
  readonly voidedAt: number | null
  /** Unix ms; null when it never expires. */
  readonly expiresAt: number | null
}

/** Reads what comes after (that is, what is older than) `after`; from the newest when null. */
export interface Page {
  readonly after: string | null
  readonly limit: number
}

export interface PageOf<T> {
  readonly items: readonly T[]
  /** Where the next page starts; null when there is none. */
  readonly next: string | null
}

export interface Store {
  /**
   * Performs commands in the order given, each on its own: results are as many as commands. Deposits and steps of chains
   * answer with the deliveries that they caused. A step is performed as a whole or not at all.
   */
  perform(batch: readonly WalletCommand[]): Promise<readonly Settled<WalletResult>[]>

  /**
   * The answer to a creation on wallets that are not its owner's as of now, which therefore needs no turn in their
   * mailboxes: the invoice that the idempotency key named before, or the refusal. Null when it has to take its turn, in
   * which ownership is decided again.
   */
  answerWithoutTurn(command: InvoiceCommand): Awaitable<InvoiceResult | null>

  /**
   * Applies facts in order. An event id that was answered before is not applied again: it is a duplicate, or rejected as it
   * was then. Null is never known. An assignment that the ledger dates before the latest one of the wallet is a duplicate.
   */
  applyLedgerFacts(
    batch: readonly { readonly eventId: string | null; readonly fact: LedgerFact | UnreadableFact }[],
  ): Promise<readonly Settled<EventOutcome>[]>

  registerApiKey(registration: ApiKeyRegistration): Promise<Outcome<ApiKey>>
  /** Refuses with `api_key_not_found` or `not_key_owner`; repeated, it keeps the first `revoked_at`. */
  revokeApiKey(id: string, owner: string): Promise<Outcome<ApiKey>>
  /** Hands out an unassigned wallet for `leaseMs`; null when there is none. */
  claimWallet(network: Network, leaseMs: number): Promise<ClaimedWallet | null>
  /** Keeps that the ledger knows the identity. */
  rememberIdentity(owner: string): Promise<void>
  /** Sets the default URL; the secret is made the first time only. Without a payload the one that was set is kept. */
  putWebhook(owner: string, callbackUrl: string, payload?: WebhookPayload): Promise<WebhookConfiguration>
  /** Replaces the secret; the one before it signs too until the overlap ends. Makes the first one of an owner. */
  rotateWebhookSecret(owner: string, overlapMs: number): Promise<WebhookConfiguration>
  /** Removes the record, secret included; false when there was none. */
  deleteWebhook(owner: string): Promise<boolean>
  /** The secrets that the owner's deliveries are signed with now, made on demand (specification, PUT webhook). */
  webhookSecrets(owner: string): Promise<SigningSecrets>

  /** The key record by its 33 bytes, as of now: nothing outlives a revocation that has been answered. */
  apiKey(publicKey: Uint8Array): Awaitable<ApiKey | undefined>
  apiKeys(owner: string, page: Page): Awaitable<PageOf<ApiKey>>
  invoice(id: string): Awaitable<Invoice | undefined>
  invoiceWithPayment(id: string): Awaitable<InvoiceWithPayment | undefined>
  /** The invoices of an owner, newest first; cursors are invoice ids. */
  invoices(owner: string, page: Page): Awaitable<PageOf<Invoice>>
  invoicesWithPayment(owner: string, page: Page): Awaitable<PageOf<InvoiceWithPayment>>
  invoiceByReference(reference: string): Awaitable<Invoice | undefined>
  wallet(id: string): Awaitable<Wallet | undefined>
  /** The wallet that an address belongs to, if it is known. */
  walletAt(network: Network, address: string): Awaitable<Wallet | undefined>
  wallets(owner: string, page: Page): Awaitable<PageOf<Wallet>>
  unassignedWallets(network: Network): Awaitable<number>
  /** How many wallets of the network can be claimed now; counts no further than `limit`. */
  claimableWallets(network: Network, limit: number): Awaitable<number>
  isIdentityKnown(owner: string): Awaitable<boolean>
  webhook(owner: string): Awaitable<WebhookConfiguration>
  deposit(network: Network, txHash: string, index: number): Awaitable<Deposit | undefined>
  /** All deposits of a network, dropped ones included, in an order of the store's own. Cursors are opaque. */
  deposits(network: Network, page: Page): Awaitable<PageOf<Deposit>>

  /** Where the watcher of a network is; undefined before its first step. */
  chain(network: Network): Awaitable<ChainPosition | undefined>
  /** A block that the watcher went by, while it is kept. */
  blockAt(network: Network, height: number): Awaitable<BlockHead | undefined>
  /** The addresses, each once, whose deposits a step concerns as of now: in whose turn it is taken. */
  addressesOf(step: ChainStep): Awaitable<readonly string[]>
  /** The addresses of the wallets of a network. They are asked for each transfer of a block, so they answer at once. */
  watched(network: Network): WatchedAddresses

  /** Lanes that have deliveries to attempt: what a dispatcher finds when it starts. */
  queuedLanes(): Awaitable<readonly LaneOfOwner[]>
  /** Deliveries of a lane that have not been attempted, oldest first, behind the delivery `after`. */
  queuedDeliveries(lane: LaneKey, after: string | null, limit: number): Awaitable<readonly Delivery[]>
  delivery(id: string): Awaitable<Delivery | undefined>
  /** The deliveries of an owner, newest first; cursors are delivery ids. */
  deliveries(owner: string, page: Page): Awaitable<PageOf<Delivery>>
  /** Marks deliveries attempted, all or none, before they are sent. Answers for each whether it was still queued. */
  markAttempted(ids: readonly string[]): Promise<readonly boolean[]>
  /**
   * Ends the attempt of a delivery that was marked attempted: it waits for the time that `retry` decides, or is settled
   * when that is never. Answers that time.
   */
  recordResult(id: string, result: DeliveryResult, retry: RetryDecision): Promise<number | null>
  /**
   * Ends as `interrupted` the attempts that were under way when the process last died, each like a result; without
   * retries nothing of it is sent again. Answers how many there were.
   */
  settleInterrupted(retry: RetryDecision): Promise<number>
  /** When the first of the deliveries that wait for another attempt is due; null when none waits. */
  nextRetryAt(): Awaitable<number | null>
  /**
   * Queues up to `limit` waiting deliveries that are due, the longest due first. One that has had `attemptsMax` attempts
   * already is settled instead.
   */
  releaseRetries(attemptsMax: number, limit: number): Promise<readonly OwedDelivery[]>
  /**
   * Queues a delivery of the owner once more, whose attempts are over or that waits for another. Refuses with
   * `delivery_not_found`, `delivery_in_progress` or `too_many_redeliveries`.
   */
  redeliver(owner: string, id: string): Promise<Outcome<Redelivery>>

  /**
   * Removes deliveries that were settled before `timeMs`, Unix ms: it looks at the next `limit`, oldest first, and answers
   * how many of them are gone. What is not settled stays. Behind the youngest of that age it begins anew.
   */
  removeSettledBefore(timeMs: number, limit: number): Promise<number>

  /**
   * Forgets the ids of events that were answered before `timeMs`, Unix ms: the oldest first, at most `limit`. Answers how
   * many are gone.
   */
  removeEventsBefore(timeMs: number, limit: number): Promise<number>
  /** Forgets requests that are known so as not to be done twice and whose time is over, at most `limit`. Answers how many. */
  removeExpiredRequests(limit: number): Promise<number>

  /** Counts without reading what it counts. */
  outboxDepth(): Awaitable<OutboxDepth>
  /** The oldest of the queued deliveries in the lanes behind `after`, of which at most `lanes` are looked at. */
  oldestQueued(after: LaneKey | null, lanes: number): Awaitable<OldestQueued>

  /** Writes as much as an ordinary commit does, and takes it back: resolves when the disk takes writes, else rejects. */
  probeWrite(): Promise<void>

  /** False once writes are impossible. */
  isOpen(): boolean
  /** Waits for the writes under way and closes. */
  close(): Promise<void>

  /** What a follower of the ledger remembers; undefined when the ledger was never followed. */
  ledgerMemory(): Awaitable<LedgerMemory | undefined>
  /** Keeps a step of a follower. What was taken before the window of its progress is forgotten. */
  saveLedgerStep(step: LedgerStep): Promise<void>
}

/** More is asked of the store than may wait for it. Nothing of what was asked has happened. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
  constructor() {
    super('too much work waits for the store')
  }
}

/** What the store removes in its time. Invoices, deposits, wallets and keys are the books, and stay. */
export type RemovedRows = 'events' | 'deliveries' | 'requests'

/** The disk refused a write. Nothing of it has happened. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable'
  constructor(cause: unknown) {
    super('the store could not make a write durable', { cause })
  }
}
