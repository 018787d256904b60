import {
  chooseInvoice,
  conflictOf,
  type DepositOutcome,
  type DepositReport,
  type DepositStatus,
  type DepositValue,
  depositValue,
  flawOf,
  type Sighting,
  transitionOf,
} from '../../../domain/deposit.js'
import type { DepositFact } from '../../../domain/ledger-fact.js'
import type { TokenDecimals } from '../../../domain/network.js'
import { paymentOf } from '../../../domain/payment.js'
import { resolveCallback, webhookBody } from '../../../domain/webhook.js'
import type { OwedDelivery } from '../../outbox.js'
import { endDepositAside } from '../chain/aside-rows.js'
import type { Commit } from '../commit/commit-loop.js'
import { logEvent } from '../events/event-log.js'
import { depositEvent } from '../events/event-rows.js'
import { giveBackMatch, matchInvoice, reopen, settleMatched } from '../invoices/invoice-index.js'
import { placeOf } from '../invoices/invoice-places.js'
import { atomsOf, invoiceRow } from '../invoices/invoice-rows.js'
import { depositsChanged } from '../invoices/open-invoices.js'
import { settleWallet } from '../invoices/unsettled-wallets.js'
import { findSet } from '../invoices/wallet-sets.js'
import { enqueueDelivery } from '../outbox/deliveries.js'
import { receivedFor } from '../payments/payments.js'
import { accountOf, addToTotals, removeFromTotals } from '../payments/running-totals.js'
import { currencyByte, type DepositNo, type InvoiceId } from '../tables/keys.js'
import { internAddress, walletAt } from '../wallets/wallets.js'
import { configurationOf, defaultCallback } from '../webhooks/webhook-configurations.js'
import { Candidates } from './candidates.js'
import { type DepositRow, depositKey, findDeposit, listDepositNo, putDeposit } from './deposit-rows.js'

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
      if (this.flawOf(sighting) !== null) continue
      const known = findDeposit(commit, sighting)
      if ((known?.invoiceId ?? null) !== null) continue
      // What is known of a deposit stands, whatever a later report of it says.
      const seen = known === undefined || known.deposit.kind === 'dropped' ? sighting : known.deposit
      const value = depositValue(seen, this.tokenDecimals)
      if (value === null) continue
      left = candidatesFor(commit, seen, value)?.settle(left) ?? left
      if (left === 0) return false
    }
    return true
  }

  /** In a silent commit nobody is notified, now or later, of the statuses that it reaches. */
  record(commit: Commit, { report, sighting }: DepositFact): RecordedDeposit {
    const flaw = this.flawOf(sighting)
    if (flaw !== null) return rejected(flaw)
    const recorded = this.recordSound(commit, report, sighting)
    endDepositAside(commit, sighting, report)
    return recorded
  }

  private recordSound(commit: Commit, report: DepositReport, sighting: Sighting): RecordedDeposit {
    const known = findDeposit(commit, sighting)
    const conflict = report === 'dropped' ? null : this.conflictWith(known, sighting)
    if (conflict !== null) return rejected(`the deposit is known with another ${conflict}`)
    const from = known?.deposit.kind ?? 'unseen'
    const transition = transitionOf(from, report)
    if (transition === null) {
      if (known === undefined) return rejected('no such deposit')
      return { outcome: { status: 'duplicate', deposit: known.deposit }, owed: [] }
    }
    const { kind, reaches } = transition
    const seen = known === undefined || from === 'dropped' ? this.seen(commit, known, sighting) : known
    const after: DepositRow = {
      ...seen,
      deposit: { ...seen.deposit, kind, confirmedAt: kind === 'confirmed' ? commit.nowMs : null },
      invoiceId: matchAt(commit, seen, from, kind),
      isPendingReached: seen.isPendingReached || reaches.includes('pending'),
      isConfirmedReached: seen.isConfirmedReached || reaches.includes('confirmed'),
    }
    logDeposit(commit, after, reaches)
    count(commit, from, after)
    noteChange(commit, sighting)
    if (kind === 'confirmed') settle(commit, after)
    putDeposit(commit, after)
    const owed: OwedDelivery[] = []
    for (const status of reaches) {
      const isNew = status === 'pending' ? !seen.isPendingReached : !seen.isConfirmedReached
      const delivery = isNew && !commit.isSilent ? owe(commit, after, status) : null
      if (delivery !== null) owed.push(delivery)
    }
    return { outcome: { status: 'applied', deposit: after.deposit }, owed }
  }

  /** Why a deposit cannot be recorded; null when it can. The names of a flawed one may not even fit into a key. */
  flawOf(sighting: Sighting): string | null {
    return flawOf(sighting, this.tokenDecimals)
  }

  /**
   * What a sighting contradicts of a known deposit; null for nothing. A report that contradicts what is known is never half
   * applied (decisions 5). A dropped deposit may come again as another.
   */
  conflictWith(known: DepositRow | undefined, sighting: Sighting): ReturnType<typeof conflictOf> {
    if (known === undefined || known.deposit.kind === 'dropped') return null
    return conflictOf(known.deposit, sighting, this.tokenDecimals)
  }

  /**
   * The row of a deposit that is seen for the first time, or again in a later block after it was dropped: what it is worth
   * and when it came are the new block's.
   */
  private seen(commit: Commit, known: DepositRow | undefined, sighting: Sighting): DepositRow {
    const value = depositValue(sighting, this.tokenDecimals)
    if (value === null) throw new Error('a deposit without a value was not rejected')
    const { network, txHash, index, toAddress, currency, amount, receivedAt } = sighting
    return {
      deposit: { network, txHash, index, toAddress, currency, amount, kind: 'pending', receivedAt, confirmedAt: null },
      no: known?.no ?? numbered(commit, sighting),
      addressNo: internAddress(commit, network, toAddress).no,
      countedAs: value.currency,
      atoms: value.atoms,
      invoiceId: known?.invoiceId ?? null,
      isPendingReached: known?.isPendingReached ?? false,
      isConfirmedReached: known?.isConfirmedReached ?? false,
    }
  }
}

/** The number of a new deposit. */
function numbered(commit: Commit, sighting: Sighting): DepositNo {
  const no = commit.nextNo('deposit')
  listDepositNo(commit, no, depositKey(sighting))
  return no
}

function rejected(error: string): RecordedDeposit {
  return { outcome: { status: 'rejected', error }, owed: [] }
}

/**
 * The invoice that the deposit notifies from now on. The choice is made when the deposit is first seen, once more when it
 * is confirmed and there was none, and kept: a dropped deposit only gives its match back until it is seen again. It is
 * made before the deposit is counted, so that what an invoice misses is what the payer saw missing.
 */
function matchAt(
  commit: Commit,
  { deposit, countedAs, atoms, invoiceId }: DepositRow,
  from: DepositReport | 'unseen',
  to: DepositReport,
): InvoiceId | null {
  if (to === 'dropped') {
    if (invoiceId !== null) giveBackMatch(commit, invoiceId)
    return invoiceId
  }
  if (invoiceId !== null && from !== 'dropped') return invoiceId
  const search = invoiceId === null ? candidatesFor(commit, deposit, { currency: countedAs, atoms }) : null
  const chosen = search === null ? invoiceId : chooseInvoice(search)
  if (chosen !== null) matchInvoice(commit, chosen)
  return chosen
}

/** The candidates for a deposit; null when it can have none. */
function candidatesFor(
  commit: Commit,
  { network, toAddress, receivedAt }: Sighting,
  { currency, atoms }: DepositValue,
): Candidates | null {
  const wallet = walletAt(commit, network, toAddress)
  if (wallet === undefined || wallet.ownerNo === null || currency === null) return null
  const place = placeOf(wallet.no, wallet.ownerNo)
  const hasDefaultCallback = defaultCallback(commit, wallet.ownerNo) !== null
  return new Candidates(commit, { place, currency, atoms, receivedAt, hasDefaultCallback })
}

/** Finds what a confirmed deposit has paid: the invoice that it matched first. */
function settle(commit: Commit, { deposit, invoiceId, countedAs }: DepositRow): void {
  if (invoiceId !== null) settleMatched(commit, invoiceId)
  const wallet = countedAs === null ? undefined : walletAt(commit, deposit.network, deposit.toAddress)
  if (countedAs === null || wallet === undefined) return
  settleWallet(commit, wallet.no, { currencyByte: currencyByte(countedAs), receivedAt: deposit.receivedAt })
}

/** Tells the owner of the invoice that it matched, or else of its wallet, what became of a deposit. */
function logDeposit(commit: Commit, { deposit, invoiceId }: DepositRow, reaches: readonly DepositStatus[]): void {
  const { kind, confirmedAt: _, ...sighting } = deposit
  const ownerNo =
    invoiceId === null
      ? (walletAt(commit, deposit.network, deposit.toAddress)?.ownerNo ?? null)
      : findSet(commit, invoiceRow(commit, invoiceId).setNo).ownerNo
  if (ownerNo === null) return
  for (const report of kind === 'dropped' ? [kind] : reaches) {
    logEvent(commit, ownerNo, depositEvent(`deposit.${report}`, sighting, invoiceId))
  }
}

function noteChange(commit: Commit, { network, toAddress }: Sighting): void {
  const wallet = walletAt(commit, network, toAddress)
  if (wallet !== undefined) commit.changed(wallet.id)
}

/** Brings the running totals from one kind to the other. */
function count(commit: Commit, from: DepositReport | 'unseen', row: DepositRow): void {
  const { addressNo, atoms, countedAs, no } = row
  if (countedAs === null) return
  const { kind, network, receivedAt, toAddress } = row.deposit
  const account = accountOf(addressNo, countedAs)
  const counted = { receivedAt, no, atoms }
  const { seenTotals, confirmedTotals } = commit.tables
  const wasSeen = from === 'pending' || from === 'confirmed'
  const isSeen = kind !== 'dropped'
  if (!wasSeen && isSeen) addToTotals(seenTotals, account, counted)
  if (wasSeen && !isSeen) removeFromTotals(seenTotals, account, counted)
  const wasConfirmed = from === 'confirmed'
  const isConfirmed = kind === 'confirmed'
  if (wasConfirmed === isConfirmed) return
  const wallet = walletAt(commit, network, toAddress)
  if (isConfirmed) {
    addToTotals(confirmedTotals, account, counted)
    if (wallet !== undefined) depositsChanged(commit, wallet.id)
  } else {
    removeFromTotals(confirmedTotals, account, counted)
    if (wallet !== undefined) reopen(commit, wallet.no, countedAs, account, receivedAt)
  }
}

/**
 * Enters the delivery that a status owes, if the prerequisites hold (specification, Webhook delivery). Where the owner wants
 * the payment in the body, it is the payment as of now: the deposit has to be counted already.
 */
function owe(commit: Commit, { deposit, invoiceId }: DepositRow, status: DepositStatus): OwedDelivery | null {
  if (invoiceId === null) return null
  const { invoice } = invoiceRow(commit, invoiceId)
  const { id, owner, reference, amount, currency } = invoice
  if (reference === null) throw new Error('a deposit was matched to an invoice without a reference')
  const configuration = configurationOf(commit, owner)
  const url = resolveCallback(invoice.callback_url, configuration.callback_url)
  if (url === null) return null
  const added =
    configuration.payload === 'with-invoice'
      ? { invoice: { amount, currency, ...paymentOf(atomsOf(invoice), receivedFor(commit, invoice)) } }
      : {}
  const body = webhookBody({ id, reference }, status, deposit, added)
  return enqueueDelivery(commit, { owner, invoiceId: id, status, url, body })
}
