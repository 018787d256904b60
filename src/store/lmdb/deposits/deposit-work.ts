import type { Deposit, DepositValue, Sighting } from '../../../domain/deposit.js'
import type { DepositEventType } from '../../../domain/event.js'
import { type Payment, paymentOf } from '../../../domain/payment.js'
import type { NewDelivery, WebhookConfiguration } from '../../../domain/webhook.js'
import type { OwedDelivery } from '../../outbox.js'
import type { Asking } from '../../rules/asking.js'
import type { CountChange, DepositRecord, DepositWork, Payee } from '../../rules/record-deposit.js'
import type { Commit } from '../commit/commit-loop.js'
import { logEvent } from '../events/event-log.js'
import { depositEvent } from '../events/event-rows.js'
import { giveBackMatch, matchInvoice, reopen, settleIfOpen } from '../invoices/invoice-index.js'
import { placeOf } from '../invoices/invoice-places.js'
import { atomsOf, type InvoiceRow, invoiceRow } from '../invoices/invoice-rows.js'
import { depositsChanged } from '../invoices/open-invoices.js'
import { othersPaid } from '../invoices/unsettled-wallets.js'
import { findSet } from '../invoices/wallet-sets.js'
import { enqueueDelivery } from '../outbox/deliveries.js'
import { receivedFor } from '../payments/payments.js'
import { accountOf, addToTotals, removeFromTotals } from '../payments/running-totals.js'
import { type AddressNo, currencyByte, type DepositNo, type InvoiceId } from '../tables/keys.js'
import type { WalletRow } from '../wallets/wallet-row.js'
import { findWallet, internAddress } from '../wallets/wallets.js'
import { configurationOf, defaultCallback } from '../webhooks/webhook-configurations.js'
import { Candidates } from './candidates.js'
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

  constructor(private readonly commit: Commit) {}

  get isSilent(): boolean {
    return this.commit.isSilent
  }

  payeeAt({ network, toAddress }: Pick<Deposit, 'network' | 'toAddress'>): PayeeRow {
    const { no, walletId } = internAddress(this.commit, network, toAddress)
    const wallet = walletId === null ? null : (findWallet(this.commit, walletId) ?? null)
    return { addressNo: no, wallet, isOfWallet: wallet !== null }
  }

  enter(record: DepositRecord<InvoiceId>, known: DepositRow | undefined, { addressNo }: PayeeRow): DepositRow {
    return { ...record, no: known?.no ?? this.numbered(record.deposit), addressNo }
  }

  put(row: DepositRow): void {
    putDeposit(this.commit, row)
  }

  candidates({ wallet }: PayeeRow, { receivedAt }: Sighting, { currency, atoms }: DepositValue): Candidates | null {
    if (wallet === null || wallet.ownerNo === null || currency === null) return null
    const place = placeOf(wallet.no, wallet.ownerNo)
    const hasDefaultCallback = defaultCallback(this.commit, wallet.ownerNo) !== null
    return new Candidates(this.commit, { place, currency, atoms, receivedAt, hasDefaultCallback })
  }

  invoice(id: InvoiceId): InvoiceRow {
    return invoiceRow(this.commit, id)
  }

  /** What an invoice received is not part of its row. */
  current(invoice: InvoiceRow): InvoiceRow {
    return invoice
  }

  addMatch({ id }: InvoiceRow): void {
    matchInvoice(this.commit, id)
  }

  giveBackMatch({ id }: InvoiceRow): void {
    giveBackMatch(this.commit, id)
  }

  log(type: DepositEventType, deposit: Deposit, invoice: InvoiceRow | null, { wallet }: PayeeRow): void {
    const { kind: _, confirmedAt: __, ...sighting } = deposit
    const ownerNo = invoice === null ? (wallet?.ownerNo ?? null) : findSet(this.commit, invoice.setNo).ownerNo
    if (ownerNo !== null) logEvent(this.commit, ownerNo, depositEvent(type, sighting, invoice?.id ?? null))
  }

  count({ no, addressNo, atoms, countedAs, deposit }: DepositRow, by: CountChange, { wallet }: PayeeRow): void {
    if (countedAs === null) return
    const account = accountOf(addressNo, countedAs)
    const counted = { receivedAt: deposit.receivedAt, no, atoms }
    const { seenTotals, confirmedTotals } = this.commit.tables
    if (by.seen > 0) addToTotals(seenTotals, account, counted)
    if (by.seen < 0) removeFromTotals(seenTotals, account, counted)
    if (by.confirmed > 0) addToTotals(confirmedTotals, account, counted)
    if (by.confirmed < 0) removeFromTotals(confirmedTotals, account, counted)
    if (by.confirmed > 0 && wallet !== null) depositsChanged(this.commit, wallet.id)
  }

  *reopen({ addressNo, countedAs, deposit }: DepositRow, { wallet }: PayeeRow): Asking<void> {
    if (wallet === null || countedAs === null) return
    yield* reopen(this.commit, wallet.no, countedAs, accountOf(addressNo, countedAs), deposit.receivedAt)
  }

  noteChange({ wallet }: PayeeRow): void {
    if (wallet !== null) this.commit.changed(wallet.id)
  }

  settleIfOpen(invoice: InvoiceRow): void {
    settleIfOpen(this.commit, invoice)
  }

  othersPaid({ countedAs, deposit }: DepositRow, { wallet }: PayeeRow): Iterable<InvoiceRow> {
    if (wallet === null || countedAs === null) return []
    const { receivedAt } = deposit
    return othersPaid(this.commit, wallet.no, { currencyByte: currencyByte(countedAs), receivedAt })
  }

  paymentOf({ invoice }: InvoiceRow): Payment {
    return paymentOf(atomsOf(invoice), receivedFor(this.commit, invoice))
  }

  configuration(owner: string): WebhookConfiguration {
    return configurationOf(this.commit, owner)
  }

  owe(delivery: NewDelivery): void {
    this.owed.push(enqueueDelivery(this.commit, delivery))
  }

  /** The number of a new deposit. */
  private numbered(deposit: Deposit): DepositNo {
    const no = this.commit.nextNo('deposit')
    listDepositNo(this.commit, no, depositKey(deposit))
    return no
  }
}
