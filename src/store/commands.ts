import type { Authority } from '../domain/api-key.js'
import type { ChainOutcome, ChainStep } from '../domain/block.js'
import type { DepositOutcome } from '../domain/deposit.js'
import type { Outcome } from '../domain/failure.js'
import type { IdempotentRequest, SignedCreation } from '../domain/idempotency.js'
import type { Invoice, InvoiceRequest } from '../domain/invoice.js'
import type { DepositFact } from '../domain/ledger-fact.js'
import type { Order, OrderRequest } from '../domain/order.js'
import type { Quote } from '../domain/order-price.js'
import type { OrderWithOptions } from './orders.js'
import type { OwedDelivery } from './outbox.js'
import type { Awaitable, InvoiceWithPayment } from './reading.js'

/** What a creation depends on beside its request: a key that is still valid, and whether it is a repetition. */
export interface CreationTerms {
  /** Absent when the request was not signed. Decided before everything else, so that a revoked key creates nothing. */
  readonly authority?: Authority
  /** Absent when the client sent no idempotency key. */
  readonly idempotency?: IdempotentRequest
  /** Absent when the request was not signed, or has a reference, which already prevents a second creation. */
  readonly signed?: SignedCreation
}

export const NO_TERMS: CreationTerms = {}

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
  /** The record of an operator's action (`AuditPort`) that it is. */
  readonly trace?: string
}

/** Accepts an invoice for `owner`: what has come is enough (decisions 4). */
export interface AcceptCommand extends Omit<VoidCommand, 'type'> {
  readonly type: 'accept'
}

/** Creates an order with an invoice for each of its options. */
export interface OrderCommand {
  readonly type: 'order'
  readonly request: OrderRequest
  /** What each option costs, or why it cannot be priced. */
  readonly quotes: readonly Outcome<Quote>[]
  readonly terms?: CreationTerms
}

/** On how many wallets a creation enters invoices. */
export function placesOf({ request }: InvoiceCommand | OrderCommand): number {
  if ('walletIds' in request) return request.walletIds.length
  return request.options.reduce((sum, { walletIds }) => sum + walletIds.length, 0)
}

/** An order that was created, with its invoices in the order of its options. */
export interface CreatedOrder {
  readonly order: Order
  readonly invoices: readonly Invoice[]
}

/** Voids an order for `owner`, with its invoices (decisions 15). */
export interface VoidOrderCommand extends Omit<VoidCommand, 'type' | 'invoiceId'> {
  readonly type: 'void-order'
  readonly orderId: string
}

/** Accepts an order for `owner`: what has come is enough (decisions 15). */
export interface AcceptOrderCommand extends Omit<VoidOrderCommand, 'type'> {
  readonly type: 'accept-order'
}

/** Records a report about a deposit. */
export interface DepositCommand {
  readonly type: 'deposit'
  /** Null when the report is not an event of the gateway. */
  readonly eventId: string | null
  readonly fact: DepositFact
  /** Why recording it failed: it is set aside instead, and its event is answered as rejected. */
  readonly aside?: string
}

/** Which deposits of a step are left out, by `nameOf`: set aside, with why, or in a trial without a trace (null). */
export type StepAside = ReadonlyMap<string, string | null>
export const NONE_ASIDE: StepAside = new Map()

/** Takes a step of a network's watcher. */
export interface ChainCommand {
  readonly type: 'chain'
  readonly step: ChainStep
  /** None when absent. */
  readonly aside?: StepAside
  /** Whether nothing of it is to stay: a step that could be taken rejects with `TrialPassed`. */
  readonly isTrial?: boolean
}

/** A step that was taken for trial could be taken. It was undone. */
export class TrialPassed extends Error {
  override readonly name = 'TrialPassed'
}

/**
 * Deposits, by `nameOf`, cannot be recorded with others that come before them, because these pay so much. Nothing has happened: the
 * others are to be recorded without them, and they later.
 */
export class Unsettled extends Error {
  override readonly name = 'Unsettled'
  constructor(readonly deposits: readonly string[]) {
    super('what earlier deposits have paid is not settled')
  }
}

/** What takes its turn in the mailboxes of wallets. */
export type WalletCommand =
  | InvoiceCommand
  | VoidCommand
  | AcceptCommand
  | OrderCommand
  | VoidOrderCommand
  | AcceptOrderCommand
  | DepositCommand
  | ChainCommand

export type WalletResult =
  | {
      readonly type: 'invoice'
      readonly outcome: Outcome<Invoice>
      /** When it expires, Unix ms; null for never, and when it is refused. */
      readonly expiresAt: number | null
      /** True when it had been created before, under the same idempotency key and from the same body. */
      readonly isReplay: boolean
    }
  /** Refused with `invoice_not_found`, `not_invoice_owner` or `invoice_paid`. A repetition answers as before. */
  | { readonly type: 'void'; readonly outcome: Outcome<InvoiceWithPayment> }
  /** Refused with `invoice_not_found`, `not_invoice_owner` or `invoice_void`. A repetition answers as before. */
  | { readonly type: 'accept'; readonly outcome: Outcome<InvoiceWithPayment> }
  | {
      readonly type: 'order'
      readonly outcome: Outcome<CreatedOrder>
      /** True when it had been created before, under the same idempotency key and from the same body. */
      readonly isReplay: boolean
    }
  /** Refused with `order_not_found`, `not_order_owner` or `order_paid`. A repetition answers as before. */
  | { readonly type: 'void-order'; readonly outcome: Outcome<OrderWithOptions> }
  /** Refused with `order_not_found`, `not_order_owner` or `order_void`. A repetition answers as before. */
  | { readonly type: 'accept-order'; readonly outcome: Outcome<OrderWithOptions> }
  | { readonly type: 'deposit'; readonly outcome: DepositOutcome; readonly owed: readonly OwedDelivery[] }
  | { readonly type: 'chain'; readonly outcome: ChainOutcome; readonly owed: readonly OwedDelivery[] }

export type InvoiceResult = Extract<WalletResult, { type: 'invoice' }>
export type VoidResult = Extract<WalletResult, { type: 'void' }>
export type AcceptResult = Extract<WalletResult, { type: 'accept' }>
export type OrderResult = Extract<WalletResult, { type: 'order' }>
export type VoidOrderResult = Extract<WalletResult, { type: 'void-order' }>
export type AcceptOrderResult = Extract<WalletResult, { type: 'accept-order' }>
export type DepositResult = Extract<WalletResult, { type: 'deposit' }>
export type ChainResult = Extract<WalletResult, { type: 'chain' }>

/** The fate of one command: a command that throws is rejected alone. */
export type Settled<T> = PromiseSettledResult<T>

/** Everything that takes its turn in the mailboxes of wallets. */
export interface CommandPort {
  /**
   * Performs commands in the order given, each on its own; there are as many results as commands. Deposits and steps of
   * chains answer with the deliveries that they caused. A step is performed as a whole or not at all.
   */
  perform(batch: readonly WalletCommand[]): Promise<readonly Settled<WalletResult>[]>
  /**
   * The answer to a creation that needs no turn in the mailboxes of its wallets, because not all of them are its owner's:
   * the earlier invoice of the idempotency key, or the refusal. Null when it takes its turn, which decides ownership again.
   */
  answerWithoutTurn(command: InvoiceCommand): Awaitable<InvoiceResult | null>
  /** The same for the creation of an order, on the wallets of all of its options. */
  answerOrderWithoutTurn(command: OrderCommand): Awaitable<OrderResult | null>
  /**
   * Decides expiries that are due, and finds invoices that deposits to their wallets have paid: a bounded piece of what no
   * command has come to. False when nothing is left.
   */
  catchUp(): Promise<boolean>
  /** Removes idempotency keys and signed requests whose time is over, at most `limit`. Answers how many it removed. */
  removeExpiredRequests(limit: number): Promise<number>
}
