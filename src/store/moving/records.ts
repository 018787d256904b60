import type { Currency } from '../../domain/amount.js'
import type { ApiKey } from '../../domain/api-key.js'
import type { BlockAside, DepositAside } from '../../domain/aside.js'
import type { AuditRecord } from '../../domain/audit.js'
import type { Deposit, Sighting } from '../../domain/deposit.js'
import type { EventType, FailedDelivery } from '../../domain/event.js'
import type { Invoice } from '../../domain/invoice.js'
import type { IdentityKeys } from '../../domain/key-history.js'
import type { LedgerProgress, ListedTransaction, SetAside } from '../../domain/ledger-progress.js'
import type { Network, NetworkAbout } from '../../domain/network.js'
import type { Note } from '../../domain/note.js'
import type { Order } from '../../domain/order.js'
import type { OrderFields } from '../../domain/order-fields.js'
import type { Sums } from '../../domain/payment.js'
import type { RateTable } from '../../domain/rates.js'
import type { Wallet } from '../../domain/wallet.js'
import type { Watch } from '../../domain/watch.js'
import type { Delivery, KeptSecrets, WebhookPayload } from '../../domain/webhook.js'
import type { Withdrawal } from '../../domain/withdrawal.js'
import type { EventCursor } from '../event-outbox.js'

/*
 * What every engine keeps, in a form of none of them: hex for bytes, decimal digits for amounts. What follows from other records
 * (indexes, sums, places) is not here: an engine makes it again.
 */

/** A wallet, with what only a store knows of it. */
export interface MovedWallet extends Wallet {
  /** From 1, in the order in which the wallets became known. */
  readonly place: number
  /** Orders the wallets of an owner by when they were assigned. */
  readonly assignmentNo: number | null
  readonly leasedUntil: number
  /** When the ledger assigned it to its present owner, by the ledger's clock. */
  readonly ledgerAt: number | null
  /** What took it from the pool last; null when nothing has. */
  readonly withdrawal: Withdrawal | null
  /** The greatest amounts that were ever paid on it. */
  readonly paid: readonly PaidAmount[]
  /** Whether the examination of its open invoices, from the first one on, logs events; null when they are not to be examined. */
  readonly isUnsettledAloud: boolean | null
}

/** The greatest amount that was ever paid on a wallet in a currency. */
export interface PaidAmount {
  readonly currency: Currency
  readonly atoms: string
}

export interface MovedInvoice {
  /** The id by which stores list it. */
  readonly storeId: string
  readonly invoice: Invoice
  readonly order: OrderFields
  readonly expiresAt: number | null
  readonly voidedAt: number | null
  readonly acceptedAt: number | null
  readonly hasOutlivedExpiry: boolean
  readonly state: 'open' | 'paid' | 'void' | 'accepted'
  /** Deposits that have matched it and were not dropped. */
  readonly matches: number
  /** The order that it is an option of; null for none. */
  readonly orderId: string | null
}

export interface MovedDeposit {
  readonly deposit: Deposit
  readonly countedAs: Currency | null
  readonly atoms: string
  /** The id by which stores list the invoice. */
  readonly invoiceId: string | null
  readonly isLate: boolean
  readonly isPendingReached: boolean
  readonly isConfirmedReached: boolean
}

export interface MovedBlock {
  readonly network: Network
  readonly height: number
  readonly hash: string
  readonly parentHash: string
  readonly timeMs: number
  readonly deposits: readonly Pick<Deposit, 'txHash' | 'index'>[]
}

export interface MovedWebhook extends KeptSecrets {
  readonly owner: string
  readonly callbackUrl: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly payload: WebhookPayload
  readonly types: readonly EventType[] | null
  /** How far its events were sent; null where none are to be sent. */
  readonly cursor: EventCursor | null
}

export interface MovedEvent {
  readonly owner: string
  /** 16 hex characters. */
  readonly id: string
  readonly type: EventType
  /** The id by which stores list the invoice. */
  readonly invoiceId: string | null
  readonly deposit: Sighting | null
  readonly delivery: FailedDelivery | null
  /** Whether it is about a late deposit: its invoice had become void before. */
  readonly isLate: boolean
  /** Null unless the event is one of an order. */
  readonly orderId: string | null
}

/** A note of support. */
export interface MovedNote extends Pick<Note, 'id' | 'who' | 'text'> {
  /** The id by which stores list the invoice. */
  readonly invoiceId: string
}

/** The records of each kind. */
export interface MovedRecords {
  /** What the catalogue said of networks, by the bytes of the id. */
  readonly networks: NetworkAbout
  /** In the order of the owners' bytes. */
  readonly identities: { readonly owner: string; readonly isKnown: boolean }
  /** By network, in the order of LMDB's keys, and bytes. The address is in the form in which it is compared. */
  readonly addresses: { readonly network: Network; readonly address: string; readonly walletId: string | null }
  /** By the bytes of the id. */
  readonly wallets: MovedWallet
  /** By owner, those of each in the order of their registration. The public key is of 33 bytes. */
  readonly keys: { readonly publicKey: string; readonly key: ApiKey }
  readonly invoices: MovedInvoice
  /** By id. */
  readonly orders: Order
  /** In the order in which they were first seen. */
  readonly deposits: MovedDeposit
  /** The height up to which the blocks of a network are confirmed. */
  readonly chains: { readonly network: Network; readonly confirmed: number }
  readonly watches: Watch & { readonly network: Network }
  readonly blocks: MovedBlock
  /** By network, in the order of LMDB's keys, and height. */
  readonly blocksAside: BlockAside
  /** By network, in the order of LMDB's keys, index and transaction. */
  readonly depositsAside: DepositAside
  /** Answered events of the gateway, by the bytes of the id; the error of one that was rejected. */
  readonly answers: { readonly id: string; readonly at: number; readonly error: string | null }
  readonly ledger: LedgerProgress
  readonly ledgerTaken: ListedTransaction
  readonly ledgerSetAside: SetAside
  /** In the order of the identities' bytes. */
  readonly identityKeys: IdentityKeys
  readonly webhooks: MovedWebhook
  readonly deliveries: Delivery
  /** The last event of an owner that was removed. */
  readonly removals: { readonly owner: string; readonly id: string }
  readonly events: MovedEvent
  readonly idempotencyKeys: {
    readonly scope: string
    readonly expiresAt: number
    readonly bodyHash: string
    readonly invoiceId: string
  }
  readonly signedCreations: { readonly expiresAt: number; readonly digest: string }
  /** By id. */
  readonly notes: MovedNote
  readonly rates: RateTable
  /** By id. */
  readonly audit: AuditRecord
  /** From when on every change is an event, Unix ms. */
  readonly logged: { readonly since: number }
}

export type MovedKind = keyof MovedRecords

/** The kinds, each behind those that it names. */
export const MOVED_KINDS = [
  'networks',
  'identities',
  'addresses',
  'wallets',
  'keys',
  'invoices',
  'orders',
  'deposits',
  'chains',
  'watches',
  'blocks',
  'blocksAside',
  'depositsAside',
  'answers',
  'ledger',
  'ledgerTaken',
  'ledgerSetAside',
  'identityKeys',
  'webhooks',
  'deliveries',
  'removals',
  'events',
  'idempotencyKeys',
  'signedCreations',
  'notes',
  'rates',
  'audit',
  'logged',
] as const satisfies readonly MovedKind[]

/** What an invoice received, as the engine counts it: it follows from the records, and is compared. */
export interface MovedPayment {
  readonly storeId: string
  readonly received: Sums
}
