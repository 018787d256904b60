import type { Currency } from '../../domain/currency.js'
import {
  conflictOf,
  type DepositOutcome,
  type DepositReport,
  type DepositStatus,
  depositValue,
  flawOf,
  type Sighting,
  transitionOf,
} from '../../domain/deposit.js'
import type { DepositFact } from '../../domain/ledger-fact.js'
import { chooseInvoice } from '../../domain/matching.js'
import type { TokenDecimals } from '../../domain/network.js'
import { resolveCallback } from '../../domain/webhook.js'
import type { OwedDelivery } from '../outbox.js'
import { Candidates } from './candidates.js'
import { type DepositRow, type DepositRows, depositKey, toDeposit } from './deposit-rows.js'
import type { InvoiceIndex } from './invoice-index.js'
import { placeOf } from './invoice-places.js'
import type { InvoiceRows } from './invoice-rows.js'
import type { Outbox } from './outbox.js'
import { accountOf, addToTotals, removeFromTotals } from './running-totals.js'
import type { Sequences } from './sequences.js'
import type { Tables } from './tables.js'
import type { Wallets } from './wallets.js'
import type { WebhookBodies } from './webhook-bodies.js'
import type { WebhookConfigurations } from './webhook-configurations.js'

/** How the outcome of a report and what it owes go back to the caller. */
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

/** Records deposits: their sums, the invoice each notifies, and the deliveries it owes, all in one transaction. */
export class Deposits {
  constructor(
    private readonly tables: Tables,
    private readonly deposits: DepositRows,
    private readonly sequences: Sequences,
    private readonly wallets: Wallets,
    private readonly rows: InvoiceRows,
    private readonly index: InvoiceIndex,
    private readonly webhooks: WebhookConfigurations,
    private readonly bodies: WebhookBodies,
    private readonly outbox: Outbox,
    private readonly tokenDecimals: TokenDecimals,
  ) {}

  /**
   * Settles what the choices for these deposits will meet, a bounded piece of it; false when there is more. A deposit finds
   * its invoice also without, and then settles all of it at once.
   */
  settle(sightings: Iterable<Sighting>, nowMs: number): boolean {
    let left = SETTLED_PLACES_MAX
    for (const sighting of sightings) {
      const value = flawOf(sighting, this.tokenDecimals) === null ? depositValue(sighting, this.tokenDecimals) : null
      if (value === null) continue
      const key = depositKey(sighting.network, sighting.txHash, sighting.index)
      if ((this.deposits.get(key)?.invoiceId ?? null) !== null) continue
      const search = this.candidatesFor(sighting, value.currency, value.atoms, nowMs)
      left = search?.settle(left) ?? left
      if (left === 0) return false
    }
    return true
  }

  record(fact: DepositFact, nowMs: number, newId: (nowMs: number) => Buffer): RecordedDeposit {
    const flaw = flawOf(fact.sighting, this.tokenDecimals)
    if (flaw !== null) return { outcome: { status: 'rejected', error: flaw }, owed: [] }
    const key = depositKey(fact.sighting.network, fact.sighting.txHash, fact.sighting.index)
    const known = this.deposits.get(key)
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
        ? this.firstSeen(fact.sighting)
        : known.kind === 'dropped'
          ? this.seenAgain(known, fact.sighting)
          : known
    const before = { ...seen, invoiceId: this.matchAt(seen, known?.kind ?? 'unseen', transition.kind, nowMs) }
    const after: DepositRow = {
      ...before,
      kind: transition.kind,
      confirmedAt: transition.kind === 'confirmed' ? nowMs : null,
      isPendingReached: before.isPendingReached || transition.reaches.includes('pending'),
      isConfirmedReached: before.isConfirmedReached || transition.reaches.includes('confirmed'),
    }
    this.count(known?.kind ?? 'unseen', after)
    if (after.kind === 'confirmed' && after.invoiceId !== null)
      this.index.settleIfPaid(Buffer.from(after.invoiceId), nowMs)
    this.deposits.put(key, after)
    const owed: OwedDelivery[] = []
    for (const status of transition.reaches) {
      const isNew = status === 'pending' ? !before.isPendingReached : !before.isConfirmedReached
      const delivery = isNew ? this.owe(after, status, nowMs, newId) : null
      if (delivery !== null) owed.push(delivery)
    }
    return { outcome: { status: 'applied', deposit: toDeposit(after) }, owed }
  }

  /** A report that contradicts what is known is never half applied (decisions 5). A dropped deposit may come again as another. */
  private conflictWith(known: DepositRow | undefined, { report, sighting }: DepositFact) {
    if (known === undefined || known.kind === 'dropped' || report === 'dropped') return null
    return conflictOf(known, sighting, this.tokenDecimals)
  }

  private firstSeen(sighting: Sighting): DepositRow {
    const no = this.sequences.next('deposit')
    const unreached = { isPendingReached: false, isConfirmedReached: false }
    return { ...this.valued(sighting), ...unreached, no, confirmedAt: null, invoiceId: null }
  }

  /** A transaction that a later block includes again: what it is worth and when it came are the new block's. */
  private seenAgain(known: DepositRow, sighting: Sighting): DepositRow {
    return { ...known, ...this.valued(sighting) }
  }

  private valued(sighting: Sighting) {
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
      addressNo: this.wallets.internAddress(sighting.network, sighting.toAddress).no,
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
    row: DepositRow,
    from: DepositReport | 'unseen',
    to: DepositReport,
    nowMs: number,
  ): Uint8Array | null {
    if (to === 'dropped') {
      if (row.invoiceId !== null) this.index.giveBackMatch(Buffer.from(row.invoiceId))
      return row.invoiceId
    }
    if (row.invoiceId !== null && from !== 'dropped') return row.invoiceId
    const chosen = row.invoiceId === null ? this.choose(row, nowMs) : Buffer.from(row.invoiceId)
    if (chosen !== null) this.index.match(chosen)
    return chosen
  }

  private choose(row: DepositRow, nowMs: number): Buffer | null {
    const search = this.candidatesFor(row, row.countedAs, row.atoms, nowMs)
    return search === null ? null : chooseInvoice(search)
  }

  /** The candidates for a deposit; null when it has none, whatever there is. */
  private candidatesFor(
    { network, toAddress, receivedAt }: Pick<Sighting, 'network' | 'toAddress' | 'receivedAt'>,
    currency: Currency | null,
    atoms: bigint,
    nowMs: number,
  ): Candidates | null {
    const wallet = this.wallets.at(network, toAddress)
    if (wallet === undefined || wallet.ownerNo === null || currency === null) return null
    const place = placeOf(wallet.no, wallet.ownerNo)
    const hasDefaultCallback = this.webhooks.defaultCallback(wallet.ownerNo) !== null
    return new Candidates(this.index, { place, currency, atoms, receivedAt, hasDefaultCallback }, nowMs)
  }

  /** Brings the running totals from one kind to the other. */
  private count(from: DepositReport | 'unseen', row: DepositRow): void {
    if (row.countedAs === null) return
    const account = accountOf(row.addressNo, row.countedAs)
    const { seenTotals, confirmedTotals } = this.tables
    const wasSeen = from === 'pending' || from === 'confirmed'
    const isSeen = row.kind !== 'dropped'
    if (!wasSeen && isSeen) addToTotals(seenTotals, account, row.receivedAt, row.no, row.atoms)
    if (wasSeen && !isSeen) removeFromTotals(seenTotals, account, row.receivedAt, row.no, row.atoms)
    const wasConfirmed = from === 'confirmed'
    const isConfirmed = row.kind === 'confirmed'
    if (wasConfirmed === isConfirmed) return
    const wallet = this.wallets.at(row.network, row.toAddress)
    if (isConfirmed) {
      addToTotals(confirmedTotals, account, row.receivedAt, row.no, row.atoms)
      if (wallet !== undefined) this.index.open.sets.depositsChanged(wallet.id)
    } else {
      removeFromTotals(confirmedTotals, account, row.receivedAt, row.no, row.atoms)
      if (wallet !== undefined) this.index.reopen(wallet.no, row.countedAs, account, row.receivedAt)
    }
  }

  /** Enters the delivery that a status owes, if the prerequisites hold (specification, Webhook delivery). */
  private owe(
    row: DepositRow,
    status: DepositStatus,
    nowMs: number,
    newId: (nowMs: number) => Buffer,
  ): OwedDelivery | null {
    if (row.invoiceId === null) return null
    const invoiceId = Buffer.from(row.invoiceId)
    const invoice = this.rows.get(invoiceId)
    if (invoice.reference === null) throw new Error('a deposit was matched to an invoice without a reference')
    const ownerDefault = this.webhooks.of(invoice.owner).callback_url
    const url = resolveCallback(invoice.callback_url, ownerDefault)
    if (url === null) return null
    const id = invoiceId.toString('hex')
    const body = this.bodies.of(invoice, { id, reference: invoice.reference }, status, row)
    return this.outbox.enqueue(newId, { owner: invoice.owner, invoiceId: id, status, url, body }, nowMs)
  }
}
