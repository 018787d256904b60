import type { Currency } from '../../../domain/amount.js'
import type { Deposit } from '../../../domain/deposit.js'
import type { DepositEventType } from '../../../domain/event.js'
import type { OrderFields } from '../../../domain/order-fields.js'
import { type Payment, paymentOf, type Received } from '../../../domain/payment.js'
import type { NewDelivery, WebhookConfiguration } from '../../../domain/webhook.js'
import type { OwedDelivery } from '../../outbox.js'
import type { Asking } from '../../rules/asking.js'
import type { CountChange, Counted, DepositRecord, DepositWork, Payee, Seeking } from '../../rules/deposit-work.js'
import type { MatchChange } from '../../rules/invoice-life.js'
import type { Match } from '../../rules/match-deposit.js'
import type { Commit } from '../commit/commit.js'
import { logEvent } from '../events/event-log.js'
import { depositEvent } from '../events/event-rows.js'
import { knownOwnerNo } from '../identities/identities.js'
import { changeMatch, LmdbInvoiceLife, reopen, settleIfOpen } from '../invoices/invoice-index.js'
import { placeOf } from '../invoices/invoice-places.js'
import { atomsOf, type InvoiceRow, invoiceRow } from '../invoices/invoice-rows.js'
import { listOfInvoice } from '../invoices/matches.js'
import { depositsChanged } from '../invoices/open-invoices.js'
import { orderOf } from '../invoices/order-rows.js'
import { othersPaid } from '../invoices/unsettled-wallets.js'
import { LmdbOrderWork } from '../orders/order-work.js'
import { enqueueDelivery } from '../outbox/deliveries.js'
import { sumsFor } from '../payments/payments.js'
import { type Account, accountOf, addToTotals, removeFromTotals } from '../payments/running-totals.js'
import type { AddressNo, DepositNo, InvoiceId } from '../tables/keys.js'
import type { Table } from '../tables/tables.js'
import type { WalletRow } from '../wallets/wallet-row.js'
import { findWallet, internAddress } from '../wallets/wallets.js'
import { configurationOf, defaultCallback } from '../webhooks/webhook-configurations.js'
import { Searches, type Settle } from './candidates.js'
import { type DepositRow, depositKey, listDepositNo, putDeposit } from './deposit-rows.js'

/** The address to which a deposit went, and the wallet that has it. */
export interface PayeeRow extends Payee {
  readonly addressNo: AddressNo
  readonly wallet: WalletRow | null
}

/** What recording a deposit reads and writes, in LMDB, within a commit. */
export class LmdbDepositWork implements DepositWork<PayeeRow, InvoiceRow, DepositRow, InvoiceId> {
  /** The deliveries that it has caused. */
  readonly owed: OwedDelivery[] = []

  constructor(
    protected readonly commit: Commit,
    /** Whether several unpaid invoices of a currency may be on a wallet. */
    private readonly areWalletsShared = true,
  ) {}

  get orders(): LmdbOrderWork {
    return new LmdbOrderWork(this.commit, this.areWalletsShared)
  }

  get isSilent(): boolean {
    return this.commit.isSilent
  }

  payeeAt({ network, toAddress }: Pick<Deposit, 'network' | 'toAddress'>): PayeeRow {
    const { no, walletId } = internAddress(this.commit, network, toAddress)
    const wallet = walletId === null ? null : (findWallet(this.commit, walletId) ?? null)
    return { addressNo: no, wallet }
  }

  enter(record: DepositRecord<InvoiceId>, known: DepositRow | undefined, { addressNo }: PayeeRow): DepositRow {
    return { ...record, no: known?.no ?? this.numbered(record.deposit), addressNo }
  }

  put(row: DepositRow, known: DepositRow | undefined): void {
    putDeposit(this.commit, row, known)
  }

  candidates(seeking: Seeking<WalletRow>): Searches {
    return this.searches(seeking)
  }

  protected searches({ wallet, owner, seen, currency, atoms, unit }: Seeking<WalletRow>, settle?: Settle): Searches {
    const ownerNo = knownOwnerNo(this.commit, owner)
    const place = placeOf(wallet.no, ownerNo)
    const hasDefaultCallback = defaultCallback(this.commit, ownerNo) !== null
    const currencyNo = this.commit.currencies.noOf(currency)
    const { receivedAt } = seen
    return new Searches(this.commit, { place, currencyNo, atoms, unit, receivedAt, hasDefaultCallback }, settle)
  }

  invoice(id: InvoiceId): InvoiceRow {
    return invoiceRow(this.commit, id)
  }

  /** What an invoice received is not part of its row. */
  current(invoice: InvoiceRow): InvoiceRow {
    return invoice
  }

  changeMatch({ id }: InvoiceRow, { no, deposit }: DepositRow, change: MatchChange): void {
    changeMatch(this.commit, id, change)
    if (change.seen !== 0n) listOfInvoice(this.commit, id, { receivedAt: deposit.receivedAt, no }, change.seen > 0n)
  }

  log(owner: string, type: DepositEventType, deposit: Deposit, match: Match<InvoiceRow> | null): void {
    const { kind: _, confirmedAt: __, ...sighting } = deposit
    const event = depositEvent(type, sighting, match?.invoice.id ?? null, match?.isLate === true)
    logEvent(this.commit, knownOwnerNo(this.commit, owner), event)
  }

  count(
    { row, currency, wallet }: Counted<WalletRow | null, DepositRow>,
    by: CountChange,
    unmatched: CountChange,
  ): void {
    const { tables } = this.commit
    const account = this.accountOf(row, currency)
    countIn(tables.seenTotals, account, row, by.seen)
    countIn(tables.confirmedTotals, account, row, by.confirmed)
    countIn(tables.unmatchedSeenTotals, account, row, unmatched.seen)
    countIn(tables.unmatchedConfirmedTotals, account, row, unmatched.confirmed)
    if (by.confirmed > 0 && wallet !== null) depositsChanged(this.commit, wallet.id)
  }

  reopen({ row, currency, wallet }: Counted<WalletRow, DepositRow>): Asking<void> {
    const currencyNo = this.commit.currencies.noOf(currency)
    return reopen(this.commit, wallet.no, currencyNo, this.accountOf(row, currency), row.deposit.receivedAt)
  }

  get life(): LmdbInvoiceLife {
    return new LmdbInvoiceLife(this.commit)
  }

  changed(walletId: string): void {
    this.commit.changed(walletId)
  }

  ownChanged({ invoice }: InvoiceRow): void {
    this.commit.ownChanged(invoice.id)
  }

  ownOf(row: InvoiceRow): { readonly amount: bigint; readonly own: Received } {
    return { amount: atomsOf(row.invoice), own: sumsFor(this.commit, row).own }
  }

  settleIfOpen(invoice: InvoiceRow): void {
    settleIfOpen(this.commit, invoice)
  }

  othersPaid(
    { row, currency, wallet }: Counted<WalletRow, DepositRow>,
    _matched: InvoiceRow | null,
    limit: number,
  ): Iterable<InvoiceRow> {
    const paying = { currencyNo: this.commit.currencies.noOf(currency), receivedAt: row.deposit.receivedAt }
    return othersPaid(this.commit, wallet.no, paying, limit)
  }

  orderOf({ id }: InvoiceRow): OrderFields {
    return orderOf(this.commit, id)
  }

  configuration(owner: string): WebhookConfiguration {
    return configurationOf(this.commit, owner)
  }

  owe(delivery: NewDelivery): void {
    this.owed.push(enqueueDelivery(this.commit, delivery))
  }

  oweShowing(row: InvoiceRow, deliveryOf: (payment: Payment) => NewDelivery): void {
    this.owe(deliveryOf(paymentOf(atomsOf(row.invoice), sumsFor(this.commit, row))))
  }

  private accountOf({ addressNo }: DepositRow, currency: Currency): Account {
    return accountOf(addressNo, this.commit.currencies.noOf(currency))
  }

  /** The number of a new deposit. */
  private numbered(deposit: Deposit): DepositNo {
    const no = this.commit.nextNo('deposit')
    listDepositNo(this.commit, no, depositKey(deposit))
    return no
  }
}

/** Adds a deposit to running totals (1), takes it out (−1), or leaves them as they are (0). */
function countIn(table: Table, account: Account, { no, atoms, deposit }: DepositRow, by: number): void {
  if (by === 0) return
  const change = by > 0 ? addToTotals : removeFromTotals
  change(table, account, { receivedAt: deposit.receivedAt, no, atoms })
}
