import type { Deposit } from '../../../domain/deposit.js'
import type { DepositEventType } from '../../../domain/event.js'
import type { OrderFields } from '../../../domain/order-fields.js'
import { type Payment, paymentOf, type Received } from '../../../domain/payment.js'
import type { NewDelivery, WebhookConfiguration } from '../../../domain/webhook.js'
import type { OwedDelivery } from '../../outbox.js'
import type { Awaitable } from '../../reading.js'
import type { Asking } from '../../rules/asking.js'
import type { CountChange, Counted, DepositRecord, DepositWork, Seeking } from '../../rules/deposit-work.js'
import type { MatchChange } from '../../rules/invoice-life.js'
import type { Match } from '../../rules/match-deposit.js'
import type { Work } from '../connection/work.js'
import { depositData } from '../events/event-data.js'
import { type InvoiceRow, STATE } from '../invoices/invoice-rows.js'
import { changeMatch, PostgresInvoiceLife, reopen, settleIfPaid } from '../invoices/settle.js'
import { PostgresOrderWork } from '../orders/order-work.js'
import { addToSums } from '../payments/sums.js'
import type { AddressRow, Place, WalletRow } from '../wallets/wallet-rows.js'
import type { Searches } from './candidates.js'
import type { DepositMemo } from './deposit-memo.js'
import type { DepositRow } from './deposit-rows.js'

/** What recording a deposit reads and writes, in PostgreSQL, within a unit of work. */
export class PostgresDepositWork implements DepositWork<AddressRow, InvoiceRow, DepositRow, string> {
  /** The deliveries that it has caused, which are complete with the commit. */
  readonly owed: OwedDelivery[] = []

  constructor(
    private readonly work: Work,
    private readonly memo: DepositMemo,
    /** Whether several unpaid invoices of a currency may be on a wallet. */
    private readonly areWalletsShared: boolean,
  ) {}

  get orders(): PostgresOrderWork {
    return new PostgresOrderWork(this.work, this.areWalletsShared)
  }

  get isSilent(): boolean {
    return this.work.isSilent
  }

  payeeAt(place: Place): Awaitable<AddressRow> {
    return this.memo.address(place)
  }

  enter(record: DepositRecord<string>, _known: DepositRow | undefined, { id: addressId }: AddressRow): DepositRow {
    return { ...record, addressId }
  }

  put(row: DepositRow): void {
    this.memo.putDeposit(row)
  }

  candidates(seeking: Seeking<WalletRow>): Awaitable<Searches> {
    return this.memo.candidates(seeking)
  }

  invoice(id: string): Awaitable<InvoiceRow> {
    return this.memo.invoices.get(id)
  }

  current({ id }: InvoiceRow): Awaitable<InvoiceRow> {
    return this.memo.invoices.get(id)
  }

  changeMatch(invoice: InvoiceRow, _row: DepositRow, change: MatchChange): void {
    if (change.matches < 0) this.memo.forgetSearches()
    changeMatch(this.work, invoice, change)
    this.memo.invoices.match(invoice.id, change)
  }

  log(owner: string, type: DepositEventType, deposit: Deposit, match: Match<InvoiceRow> | null): void {
    const data = depositData(deposit, match?.isLate === true)
    this.work.log(owner, { type, invoiceId: match?.invoice.id ?? null, data })
  }

  count(
    { row, currency, wallet }: Counted<WalletRow | null, DepositRow>,
    by: CountChange,
    unmatched: CountChange,
  ): void {
    const { addressId, atoms, deposit } = row
    const { receivedAt } = deposit
    const sums = {
      currency,
      receivedAt,
      seen: atoms * BigInt(by.seen),
      confirmed: atoms * BigInt(by.confirmed),
      unmatchedSeen: atoms * BigInt(unmatched.seen),
      unmatchedConfirmed: atoms * BigInt(unmatched.confirmed),
    }
    addToSums(this.work, { addressId, ...sums })
    // What went to an address that the wallet had before counts for none of its invoices.
    if (wallet?.addressId === addressId) this.memo.invoices.count({ walletId: wallet.id, ...sums })
  }

  reopen({ row: { addressId, deposit }, currency, wallet }: Counted<WalletRow, DepositRow>): Asking<void> {
    return reopen(this.work, wallet.id, { addressId, currency }, deposit.receivedAt)
  }

  get life(): PostgresInvoiceLife {
    return new PostgresInvoiceLife(this.work)
  }

  changed(walletId: string): void {
    this.work.changed(walletId)
  }

  ownChanged({ invoice }: InvoiceRow, walletId: string): void {
    this.work.ownChanged(invoice.id, walletId)
  }

  ownOf({ atoms, received }: InvoiceRow): { readonly amount: bigint; readonly own: Received } {
    return { amount: atoms, own: received.own }
  }

  settleIfOpen(invoice: InvoiceRow): void {
    if (invoice.state === STATE.open) settleIfPaid(this.work, invoice)
  }

  othersPaid(
    { row, currency, wallet }: Counted<WalletRow, DepositRow>,
    matched: InvoiceRow | null,
    limit: number,
  ): Awaitable<readonly InvoiceRow[]> {
    const { receivedAt } = row.deposit
    return this.memo.othersPaid({ walletId: wallet.id, currency, receivedAt, limit }, matched?.id ?? null)
  }

  orderOf({ order }: InvoiceRow): OrderFields {
    return order
  }

  configuration(owner: string): Awaitable<WebhookConfiguration> {
    return this.memo.configuration(owner)
  }

  owe(delivery: NewDelivery): void {
    this.work.enqueue(() => delivery, this.owed)
  }

  oweShowing(invoice: InvoiceRow, deliveryOf: (payment: Payment) => NewDelivery): void {
    const sums = this.memo.invoices.shown(invoice)
    this.work.enqueue(() => deliveryOf(paymentOf(invoice.atoms, sums())), this.owed)
  }
}
