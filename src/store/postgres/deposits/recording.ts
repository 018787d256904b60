import {
  type DepositOutcome,
  type DepositReport,
  type DepositStatus,
  type Sighting,
  transitionOf,
} from '../../../domain/deposit.js'
import type { DepositFact } from '../../../domain/ledger-fact.js'
import { paymentOf } from '../../../domain/payment.js'
import { resolveCallback, webhookBody } from '../../../domain/webhook.js'
import type { OwedDelivery } from '../../outbox.js'
import { endDepositsAside } from '../chain/aside-rows.js'
import type { Work } from '../connection/work.js'
import { depositData } from '../events/event-data.js'
import { type InvoiceRow, STATE } from '../invoices/invoice-rows.js'
import { readInvoices, reopen, settleIfPaid } from '../invoices/settle.js'
import { examine, OthersPaid } from '../invoices/unsettled-wallets.js'
import { addToSums } from '../payments/sums.js'
import type { AddressRow } from '../wallets/wallet-rows.js'
import type { DepositMemo } from './deposit-memo.js'
import type { DepositId, DepositRow } from './deposit-rows.js'
import { matchAt } from './matching.js'
import type { DepositRecorder } from './recorder.js'

/** The outcome of a report, and the deliveries that it caused, which are complete with the commit. */
export interface RecordedDeposit {
  readonly outcome: DepositOutcome
  readonly owed: readonly OwedDelivery[]
}

/** A deposit that is counted. What it has paid is to be found, and its owner is to be told. */
interface Counted {
  readonly address: AddressRow
  readonly row: DepositRow
  /** The invoice that it notifies, as it was before. */
  readonly invoice: InvoiceRow | null
  /** Statuses that the owner of the invoice is to hear of. */
  readonly told: readonly DepositStatus[]
  readonly owed: OwedDelivery[]
}

/**
 * Records the deposits of a unit of work in order. What the database must answer once they are counted is asked for all at once, as
 * long as no deposit counts for an invoice that an earlier one notifies: a body with the payment shows it as of its own deposit.
 */
export class DepositRecording {
  private counted: Counted[] = []
  /** The wallets of `counted`, and of the invoices that they notify. */
  private readonly wallets = new Set<string>()
  /** What was reported without failing. */
  private reported: { readonly id: DepositId; readonly report: DepositReport }[] = []

  constructor(
    private readonly recorder: DepositRecorder,
    private readonly work: Work,
    private readonly memo: DepositMemo,
  ) {}

  /** In a silent unit nobody is notified, now or later, of the statuses that it reaches. */
  async record({ report, sighting }: DepositFact): Promise<RecordedDeposit> {
    const { recorder, work, memo } = this
    const flaw = recorder.flawOf(sighting)
    if (flaw !== null) return rejected(flaw)
    this.reported.push({ id: sighting, report })
    const known = await memo.deposit(sighting)
    const conflict = report === 'dropped' ? null : recorder.conflictWith(known, sighting)
    if (conflict !== null) return rejected(`the deposit is known with another ${conflict}`)
    const from = known?.deposit.kind ?? 'unseen'
    const transition = transitionOf(from, report)
    if (transition === null) {
      if (known === undefined) return rejected('no such deposit')
      return { outcome: { status: 'duplicate', deposit: known.deposit }, owed: [] }
    }
    const { kind, reaches } = transition
    const isAnew = known === undefined || from === 'dropped'
    const address = await memo.address(isAnew ? sighting : known.deposit)
    const walletId = address.wallet?.id ?? null
    if (walletId !== null && this.wallets.has(walletId)) await this.finish()
    const seen = isAnew ? this.seen(address.id, known, sighting) : known
    const invoice = await matchAt(memo, work, address, seen, from, kind)
    const row: DepositRow = {
      ...seen,
      deposit: { ...seen.deposit, kind, confirmedAt: kind === 'confirmed' ? work.nowMs : null },
      invoiceId: invoice?.id ?? null,
      isPendingReached: seen.isPendingReached || reaches.includes('pending'),
      isConfirmedReached: seen.isConfirmedReached || reaches.includes('confirmed'),
    }
    logDeposit(work, address, row, invoice, reaches)
    await count(work, address, from, row)
    memo.putDeposit(row)
    if (walletId !== null) work.changed(walletId)
    for (const id of [walletId, ...(invoice?.walletIds ?? [])]) if (id !== null) this.wallets.add(id)
    const isNew = (status: DepositStatus) => !(status === 'pending' ? seen.isPendingReached : seen.isConfirmedReached)
    const owed: OwedDelivery[] = []
    this.counted.push({ address, row, invoice, told: work.isSilent ? [] : reaches.filter(isNew), owed })
    return { outcome: { status: 'applied', deposit: row.deposit }, owed }
  }

  /** Finds what the deposits have paid, and queues the deliveries that they owe. To be called before the unit ends. */
  async finish(): Promise<void> {
    const { counted, reported, work } = this
    if (reported.length > 0) endDepositsAside(work, reported)
    this.reported = []
    if (counted.length === 0) return
    this.counted = []
    this.wallets.clear()
    const confirmed = counted.filter(({ row }) => row.deposit.kind === 'confirmed')
    const others = confirmed.flatMap(({ address, row }) => othersPaid(work, address, row))
    const notified = await this.readNotified(counted)
    const examined = new Set<string>()
    for (const { invoice } of confirmed) {
      const row = notified.get(invoice?.id ?? '')
      if (row === undefined) continue
      examined.add(row.id)
      if (row.state === STATE.open) settleIfPaid(work, row)
    }
    const ids = new Set((await Promise.all(others.map((one) => one.take()))).flat())
    await examine(
      work,
      [...ids].filter((id) => !examined.has(id)),
    )
    for (const one of counted) await this.owe(one, notified)
  }

  /** The invoices that decide or show something, as they are when the deposits are counted. They are locked. */
  private async readNotified(counted: readonly Counted[]): Promise<ReadonlyMap<string, InvoiceRow>> {
    const ids = new Set<string>()
    for (const { invoice, row, told } of counted) {
      if (invoice === null) continue
      const isShown =
        told.length > 0 && (await this.memo.configuration(invoice.invoice.owner)).payload === 'with-invoice'
      if (isShown || row.deposit.kind === 'confirmed') ids.add(invoice.id)
    }
    return new Map((await readInvoices(this.work, [...ids])).map((row) => [row.id, row]))
  }

  /** Queues the deliveries that a deposit owes, if the prerequisites hold (specification, Webhook delivery). */
  private async owe(
    { row, invoice: known, told, owed }: Counted,
    notified: ReadonlyMap<string, InvoiceRow>,
  ): Promise<void> {
    if (known === null || told.length === 0) return
    const { id, owner, reference, amount, currency, callback_url } = known.invoice
    if (reference === null) throw new Error('a deposit was matched to an invoice without a reference')
    const configuration = await this.memo.configuration(owner)
    const url = resolveCallback(callback_url, configuration.callback_url)
    if (url === null) return
    const shown = configuration.payload === 'with-invoice' ? notified.get(known.id) : undefined
    const added =
      shown === undefined ? {} : { invoice: { amount, currency, ...paymentOf(shown.atoms, shown.received) } }
    for (const status of told) {
      const body = webhookBody({ id, reference }, status, row.deposit, added)
      this.work.enqueue({ owner, invoiceId: id, status, url, body }, owed)
    }
  }

  /**
   * The row of a deposit that is seen for the first time, or again in a later block after it was dropped: what it is worth
   * and when it came are the new block's.
   */
  private seen(addressId: number, known: DepositRow | undefined, sighting: Sighting): DepositRow {
    const value = this.recorder.valueOf(sighting)
    if (value === null) throw new Error('a deposit without a value was not rejected')
    const { network, txHash, index, toAddress, currency, amount, receivedAt } = sighting
    return {
      deposit: { network, txHash, index, toAddress, currency, amount, kind: 'pending', receivedAt, confirmedAt: null },
      addressId,
      countedAs: value.currency,
      atoms: value.atoms,
      invoiceId: known?.invoiceId ?? null,
      isPendingReached: known?.isPendingReached ?? false,
      isConfirmedReached: known?.isConfirmedReached ?? false,
    }
  }
}

function rejected(error: string): RecordedDeposit {
  return { outcome: { status: 'rejected', error }, owed: [] }
}

/** The other open invoices on its wallet that a confirmed deposit may have paid. */
function othersPaid(work: Work, { wallet }: AddressRow, { deposit, countedAs }: DepositRow): readonly OthersPaid[] {
  if (countedAs === null || wallet === null) return []
  return [new OthersPaid(work, wallet.id, { currency: countedAs, receivedAt: deposit.receivedAt })]
}

/** Tells the owner of the invoice that it matched, or else of its wallet, what became of a deposit. */
function logDeposit(
  work: Work,
  { wallet }: AddressRow,
  { deposit }: DepositRow,
  invoice: InvoiceRow | null,
  reaches: readonly DepositStatus[],
): void {
  const owner = invoice?.invoice.owner ?? wallet?.owner ?? null
  if (owner === null) return
  for (const report of deposit.kind === 'dropped' ? [deposit.kind] : reaches) {
    work.log(owner, { type: `deposit.${report}`, invoiceId: invoice?.id ?? null, data: depositData(deposit) })
  }
}

/** Brings the sums from one kind to the other. */
async function count(
  work: Work,
  { wallet }: AddressRow,
  from: DepositReport | 'unseen',
  { addressId, atoms, countedAs, deposit }: DepositRow,
): Promise<void> {
  if (countedAs === null) return
  const { kind, receivedAt } = deposit
  const account = { addressId, currency: countedAs }
  const by = (isNow: boolean, was: boolean) => (isNow === was ? 0n : isNow ? atoms : -atoms)
  const seen = by(kind !== 'dropped', from === 'pending' || from === 'confirmed')
  const confirmed = by(kind === 'confirmed', from === 'confirmed')
  addToSums(work, account, receivedAt, { seen, confirmed })
  if (confirmed < 0n && wallet !== null) await reopen(work, wallet.id, account, receivedAt)
}
