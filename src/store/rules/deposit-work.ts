import type { Currency } from '../../domain/amount.js'
import type { Deposit, Sighting } from '../../domain/deposit.js'
import type { DepositEventType } from '../../domain/event.js'
import type { WebhookConfiguration } from '../../domain/webhook.js'
import type { Awaitable } from '../reading.js'
import type { UnderpaidWork } from './accept-underpaid.js'
import type { Asking } from './asking.js'
import type { MatchChange } from './invoice-life.js'
import type { DepositSearch, Match } from './match-deposit.js'
import type { OptionRow, OrderWork } from './order-work.js'
import type { OweWork } from './owe-webhooks.js'

/** A deposit with what only the store knows of it. `Id` is how an engine names an invoice. */
export interface DepositRecord<Id> {
  readonly deposit: Deposit
  /** The currency it was counted as when it was recorded: a later change of configuration must not take out another amount. */
  readonly countedAs: Currency | null
  readonly atoms: bigint
  /** The invoice it is matched to, chosen when it was first seen; null for none. */
  readonly invoiceId: Id | null
  /** Whether that invoice had become void before. */
  readonly isLate: boolean
  /** Statuses for which a delivery was entered, or would have been: never again. */
  readonly isPendingReached: boolean
  readonly isConfirmedReached: boolean
}

/** An invoice that a deposit is matched to, in an engine. */
export interface MatchedInvoice<Id> extends OptionRow {
  readonly id: Id
}

/** A wallet that has received a deposit, in an engine. */
export interface PaidWallet {
  readonly id: string
  readonly owner: string | null
}

/** The address to which a deposit went, in an engine. */
export interface Payee {
  /** The wallet that has it; null while none is known. */
  readonly wallet: PaidWallet | null
}

/** The wallet of an address, as an engine has it. */
export type WalletOf<P extends Payee> = NonNullable<P['wallet']>

/** A deposit that looks for its invoice. */
export interface Seeking<W> {
  readonly wallet: W
  /** The wallet's present owner. */
  readonly owner: string
  readonly seen: Sighting
  readonly currency: Currency
  readonly atoms: bigint
  /** The smallest amount of the coin or token: an invoice asks for these `atoms` when its own amount, rounded up to it, is so much. */
  readonly unit: bigint
}

/** A deposit that counts: its row, the currency as which it counts, and the wallet that has its address. */
export interface Counted<W, R> {
  readonly row: R
  readonly currency: Currency
  readonly wallet: W
}

/** Whether a deposit enters the sums of what was seen and of what was confirmed (1), leaves them (−1), or neither (0). */
export interface CountChange {
  readonly seen: number
  readonly confirmed: number
}

/**
 * What recording one deposit needs of an engine. `P` is its address with the wallet, `I` its row of an invoice, `R` its row of a
 * deposit, and `Id` how it names an invoice.
 */
export interface DepositWork<P extends Payee, I extends MatchedInvoice<Id>, R extends DepositRecord<Id>, Id>
  extends UnderpaidWork<I, Id>,
    OweWork<I> {
  /** Nobody is notified, now or later, of what a silent unit does. */
  readonly isSilent: boolean
  readonly orders: OrderWork<I>
  payeeAt(place: Pick<Deposit, 'network' | 'toAddress'>): Awaitable<P>
  /** The row of a deposit that is seen for the first time, or again after it was dropped. */
  enter(record: DepositRecord<Id>, known: R | undefined, payee: P): R
  put(row: R, known: R | undefined): void
  /** The searches for the invoice of a deposit. */
  candidates(seeking: Seeking<WalletOf<P>>): Awaitable<DepositSearch<I, unknown>>
  /** An invoice as it is now that the deposit is counted. */
  current(invoice: I): Awaitable<I>
  /** Notes that the deposits of an invoice change, of which this one is to a wallet. */
  ownChanged(invoice: I, walletId: string): void
  /** Adds the match of a deposit to an invoice, takes it back, or changes what of it is confirmed. */
  changeMatch(invoice: I, row: R, change: MatchChange): void
  /** Enters what became of a deposit into the log of an owner. */
  log(owner: string, type: DepositEventType, deposit: Deposit, match: Match<I> | null): void
  /** Adds a deposit to the sums of its account and to those of what is matched to no invoice, or takes it out. */
  count(counted: Counted<WalletOf<P> | null, R>, by: CountChange, unmatched: CountChange): void
  /** Opens what is unpaid again because a confirmed deposit has left its account. */
  reopen(counted: Counted<WalletOf<P>, R>): Asking<void>
  /** Settles an invoice if it is open and paid. */
  settleIfOpen(invoice: I): void
  /**
   * The other open invoices on its wallet that a confirmed deposit may have paid, `limit` at most. It may be read
   * only behind the settling of the matched one.
   */
  othersPaid(counted: Counted<WalletOf<P>, R>, matched: I | null, limit: number): Awaitable<Iterable<I>>
  configuration(owner: string): Awaitable<WebhookConfiguration>
}
