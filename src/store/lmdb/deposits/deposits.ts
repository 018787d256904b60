import type { Currency } from '../../../domain/amount.js'
import {
  chooseInvoice,
  conflictOf,
  type DepositOutcome,
  type DepositReport,
  type DepositStatus,
  depositValue,
  flawOf,
  type Sighting,
  transitionOf,
} from '../../../domain/deposit.js'
import type { DepositFact } from '../../../domain/ledger-fact.js'
import type { TokenDecimals } from '../../../domain/network.js'
import { resolveCallback } from '../../../domain/webhook.js'
import type { OwedDelivery } from '../../outbox.js'
import type { Commit } from '../commit/commit-loop.js'
import { giveBackMatch, matchInvoice, reopen, settleIfPaid } from '../invoices/invoice-index.js'
import { placeOf } from '../invoices/invoice-places.js'
import { invoiceRow } from '../invoices/invoice-rows.js'
import { depositsChanged } from '../invoices/open-sets.js'
import { enqueueDelivery } from '../outbox/deliveries.js'
import { accountOf, addToTotals, removeFromTotals } from '../payments/running-totals.js'
import type { InvoiceId } from '../tables/names.js'
import { internAddress, walletAt } from '../wallets/wallets.js'
import { configurationOf, defaultCallback } from '../webhooks/webhook-configurations.js'
import { Candidates } from './candidates.js'
import { type DepositRow, findDeposit, putDeposit, toDeposit } from './deposit-rows.js'
import { bodyFor } from './webhook-bodies.js'

/** The outcome of a report, and the deliveries that it caused. */
export interface RecordedDeposit {
  readonly outcome: DepositOutcome
  readonly owed: readonly OwedDelivery[]
}

/**
 * Paid invoices that one commit settles at most before a command chooses among the unpaid ones, counted on each of their
 * wallets: some 25 µs each, so 3 ms. Where one payment has covered more, the command waits for the next commit, and others
 * go between.
 */
const SETTLED_PLACES_MAX = 100

/** Records deposits: their sums, the invoice that each notifies, and the deliveries that it owes. */
export class DepositRecorder {
  constructor(private readonly tokenDecimals: TokenDecimals) {}

  /**
   * Settles a bounded piece of what the choices for these deposits will meet; false when there is more. Without it a deposit
   * finds its invoice too, but settles everything at once.
   */
  settle(commit: Commit, sightings: Iterable<Sighting>): boolean {
    let left = SETTLED_PLACES_MAX
    for (const sighting of sightings) {
      const value = flawOf(sighting, this.tokenDecimals) === null ? depositValue(sighting, this.tokenDecimals) : null
      if (value === null) continue
      const known = findDeposit(commit, sighting.network, sighting.txHash, sighting.index)
      if ((known?.invoiceId ?? null) !== null) continue
      const search = this.candidatesFor(commit, sighting, value.currency, value.atoms)
      left = search?.settle(left) ?? left
      if (left === 0) return false
    }
    return true
  }

  record(commit: Commit, fact: DepositFact): RecordedDeposit {
    const flaw = flawOf(fact.sighting, this.tokenDecimals)
    if (flaw !== null) return { outcome: { status: 'rejected', error: flaw }, owed: [] }
    const { network, txHash, index } = fact.sighting
    const known = findDeposit(commit, network, txHash, index)
    const conflict = this.conflictWith(known, fact)
    if (conflict !== null) {
      return { outcome: { status: 'rejected', error: `the deposit is known with another ${conflict}` }, owed: [] }
    }
    const transition = transitionOf(known?.kind ?? 'unseen', fact.report)
    if (transition === null) {
      if (known === undefined) return { outcome: { status: 'rejected', error: 'no such deposit' }, owed: [] }
      return { outcome: { status: 'duplicate', deposit: toDeposit(known) }, owed: [] }
    }
    const seen =
      known === undefined
        ? this.firstSeen(commit, fact.sighting)
        : known.kind === 'dropped'
          ? this.seenAgain(commit, known, fact.sighting)
          : known
    const before = { ...seen, invoiceId: this.matchAt(commit, seen, known?.kind ?? 'unseen', transition.kind) }
    const after: DepositRow = {
      ...before,
      kind: transition.kind,
      confirmedAt: transition.kind === 'confirmed' ? commit.nowMs : null,
      isPendingReached: before.isPendingReached || transition.reaches.includes('pending'),
      isConfirmedReached: before.isConfirmedReached || transition.reaches.includes('confirmed'),
    }
    this.count(commit, known?.kind ?? 'unseen', after)
    if (after.kind === 'confirmed' && after.invoiceId !== null) settleIfPaid(commit, after.invoiceId)
    putDeposit(commit, after)
    const owed: OwedDelivery[] = []
    for (const status of transition.reaches) {
      const isNew = status === 'pending' ? !before.isPendingReached : !before.isConfirmedReached
      const delivery = isNew ? this.owe(commit, after, status) : null
      if (delivery !== null) owed.push(delivery)
    }
    return { outcome: { status: 'applied', deposit: toDeposit(after) }, owed }
  }

  /** A report that contradicts what is known is never half applied (decisions 5). A dropped deposit may come again as another. */
  private conflictWith(known: DepositRow | undefined, { report, sighting }: DepositFact) {
    if (known === undefined || known.kind === 'dropped' || report === 'dropped') return null
    return conflictOf(known, sighting, this.tokenDecimals)
  }

  private firstSeen(commit: Commit, sighting: Sighting): DepositRow {
    const no = commit.nextNo('deposit')
    const unreached = { isPendingReached: false, isConfirmedReached: false }
    return { ...this.valued(commit, sighting), ...unreached, no, confirmedAt: null, invoiceId: null }
  }

  /** A transaction that a later block includes again: what it is worth and when it came are the new block's. */
  private seenAgain(commit: Commit, known: DepositRow, sighting: Sighting): DepositRow {
    return { ...known, ...this.valued(commit, sighting) }
  }

  private valued(commit: Commit, sighting: Sighting) {
    const value = depositValue(sighting, this.tokenDecimals)
    if (value === null) throw new Error('a deposit without a value was not rejected')
    return {
      network: sighting.network,
      txHash: sighting.txHash,
      index: sighting.index,
      toAddress: sighting.toAddress,
      currency: sighting.currency,
      amount: sighting.amount,
      receivedAt: sighting.receivedAt,
      kind: 'pending' as const,
      addressNo: internAddress(commit, sighting.network, sighting.toAddress).no,
      countedAs: value.currency,
      atoms: value.atoms,
    }
  }

  /**
   * The invoice that the deposit notifies from now on. The choice is made when the deposit is first seen, once more when it
   * is confirmed and there was none, and kept: a dropped deposit only gives its match back until it is seen again. It is
   * made before the deposit is counted, so that what an invoice misses is what the payer saw missing.
   */
  private matchAt(
    commit: Commit,
    row: DepositRow,
    from: DepositReport | 'unseen',
    to: DepositReport,
  ): InvoiceId | null {
    if (to === 'dropped') {
      if (row.invoiceId !== null) giveBackMatch(commit, row.invoiceId)
      return row.invoiceId
    }
    if (row.invoiceId !== null && from !== 'dropped') return row.invoiceId
    const chosen = row.invoiceId ?? this.choose(commit, row)
    if (chosen !== null) matchInvoice(commit, chosen)
    return chosen
  }

  private choose(commit: Commit, row: DepositRow): InvoiceId | null {
    const search = this.candidatesFor(commit, row, row.countedAs, row.atoms)
    return search === null ? null : chooseInvoice(search)
  }

  /** The candidates for a deposit; null when it has none, whatever there is. */
  private candidatesFor(
    commit: Commit,
    { network, toAddress, receivedAt }: Pick<Sighting, 'network' | 'toAddress' | 'receivedAt'>,
    currency: Currency | null,
    atoms: bigint,
  ): Candidates | null {
    const wallet = walletAt(commit, network, toAddress)
    if (wallet === undefined || wallet.ownerNo === null || currency === null) return null
    const place = placeOf(wallet.no, wallet.ownerNo)
    const hasDefaultCallback = defaultCallback(commit, wallet.ownerNo) !== null
    return new Candidates(commit, { place, currency, atoms, receivedAt, hasDefaultCallback })
  }

  /** Brings the running totals from one kind to the other. */
  private count(commit: Commit, from: DepositReport | 'unseen', row: DepositRow): void {
    if (row.countedAs === null) return
    const account = accountOf(row.addressNo, row.countedAs)
    const { seenTotals, confirmedTotals } = commit.tables
    const wasSeen = from === 'pending' || from === 'confirmed'
    const isSeen = row.kind !== 'dropped'
    if (!wasSeen && isSeen) addToTotals(seenTotals, account, row.receivedAt, row.no, row.atoms)
    if (wasSeen && !isSeen) removeFromTotals(seenTotals, account, row.receivedAt, row.no, row.atoms)
    const wasConfirmed = from === 'confirmed'
    const isConfirmed = row.kind === 'confirmed'
    if (wasConfirmed === isConfirmed) return
    const wallet = walletAt(commit, row.network, row.toAddress)
    if (isConfirmed) {
      addToTotals(confirmedTotals, account, row.receivedAt, row.no, row.atoms)
      if (wallet !== undefined) depositsChanged(commit, wallet.id)
    } else {
      removeFromTotals(confirmedTotals, account, row.receivedAt, row.no, row.atoms)
      if (wallet !== undefined) reopen(commit, wallet.no, row.countedAs, account, row.receivedAt)
    }
  }

  /** Enters the delivery that a status owes, if the prerequisites hold (specification, Webhook delivery). */
  private owe(commit: Commit, row: DepositRow, status: DepositStatus): OwedDelivery | null {
    if (row.invoiceId === null) return null
    const invoice = invoiceRow(commit, row.invoiceId)
    if (invoice.reference === null) throw new Error('a deposit was matched to an invoice without a reference')
    const { owner, reference } = invoice
    const url = resolveCallback(invoice.callback_url, configurationOf(commit, owner).callback_url)
    if (url === null) return null
    const id = row.invoiceId.toString('hex')
    const body = bodyFor(commit, invoice, { id, reference }, status, row)
    return enqueueDelivery(commit, { owner, invoiceId: id, status, url, body })
  }
}
