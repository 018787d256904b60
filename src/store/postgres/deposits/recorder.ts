import {
  chooseInvoiceInTime,
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
import type { Work } from '../connection/work.js'
import { depositData } from '../events/event-data.js'
import { type InvoiceRow, STATE } from '../invoices/invoice-rows.js'
import { addMatch, giveBackMatch, isUnpaid, lockInvoice, readInvoice, reopen } from '../invoices/settle.js'
import { OthersPaid } from '../invoices/unsettled-wallets.js'
import { addToSums } from '../payments/sums.js'
import type { AddressRow } from '../wallets/wallet-rows.js'
import { Candidates, searchByAmount } from './candidates.js'
import type { DepositMemo } from './deposit-memo.js'
import { type DepositRow, nameOf } from './deposit-rows.js'

/** The outcome of a report, and the deliveries that it caused. */
export interface RecordedDeposit {
  readonly outcome: DepositOutcome
  readonly owed: readonly OwedDelivery[]
}

/**
 * Paid invoices that one transaction settles at most before a command chooses among the unpaid ones, counted on each of their
 * wallets. Where one payment has covered more, they are settled in transactions of their own before.
 */
const SETTLED_PLACES_MAX = 100

/** A status that the owner of an invoice is to hear of. */
interface Owing {
  readonly invoice: InvoiceRow
  readonly notified: NotifiedInvoice
  readonly status: DepositStatus
  /** What is owed stands in here with the commit. */
  readonly owed: OwedDelivery[]
}

/** Records deposits: their sums, the invoice that each notifies, and the deliveries that it owes. */
export class DepositRecorder {
  constructor(private readonly tokenDecimals: TokenDecimals) {}

  /**
   * Settles a bounded piece of what the choices for these deposits will meet, and answers those for which there is more. Without it
   * a deposit finds its invoice too, but settles everything at once. The addresses are locked.
   */
  async settle(memo: DepositMemo, work: Work, sightings: Iterable<Sighting>): Promise<ReadonlySet<Sighting>> {
    const searches = new Map<Sighting, Candidates>()
    for (const sighting of sightings) {
      const value = this.flawOf(sighting) === null ? depositValue(sighting, this.tokenDecimals) : null
      if (value === null) continue
      const known = await memo.deposit(sighting)
      if ((known?.invoiceId ?? null) !== null) continue
      const candidates = await candidatesFor(memo, work, await memo.address(sighting), sighting, value)
      if (candidates !== null) searches.set(sighting, candidates)
    }
    await searchByAmount(work, [...searches.values()])
    const unsettled = new Set<Sighting>()
    let left = SETTLED_PLACES_MAX
    for (const [sighting, candidates] of searches) {
      memo.searches.set(nameOf(sighting), candidates)
      const settled = await candidates.settle(left)
      left = settled.left
      if (!settled.isDone) unsettled.add(sighting)
    }
    return unsettled
  }

  /** In a silent unit nobody is notified, now or later, of the statuses that it reaches. `owed` is complete with the commit. */
  async record(memo: DepositMemo, work: Work, { report, sighting }: DepositFact): Promise<RecordedDeposit> {
    const flaw = this.flawOf(sighting)
    if (flaw !== null) return rejected(flaw)
    const known = await memo.deposit(sighting)
    const conflict = report === 'dropped' ? null : this.conflictWith(known, sighting)
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
    const seen = isAnew ? this.seen(address.id, known, sighting) : known
    const invoice = await matchAt(memo, work, address, seen, from, kind)
    const after: DepositRow = {
      ...seen,
      deposit: { ...seen.deposit, kind, confirmedAt: kind === 'confirmed' ? work.nowMs : null },
      invoiceId: invoice?.id ?? null,
      isPendingReached: seen.isPendingReached || reaches.includes('pending'),
      isConfirmedReached: seen.isConfirmedReached || reaches.includes('confirmed'),
    }
    logDeposit(work, address, after, invoice, reaches)
    await count(work, address, from, after)
    if (address.wallet !== null) work.changed(address.wallet.id)
    const notified = new NotifiedInvoice(work, after.invoiceId)
    if (kind === 'confirmed') await settle(work, address, after, notified)
    memo.putDeposit(after)
    const owed: OwedDelivery[] = []
    for (const status of reaches) {
      const isNew = status === 'pending' ? !seen.isPendingReached : !seen.isConfirmedReached
      if (isNew && !work.isSilent && invoice !== null) await owe(memo, work, after, { invoice, notified, status, owed })
    }
    return { outcome: { status: 'applied', deposit: after.deposit }, owed }
  }

  /** Why a deposit cannot be recorded; null when it can. */
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
  private seen(addressId: number, known: DepositRow | undefined, sighting: Sighting): DepositRow {
    const value = depositValue(sighting, this.tokenDecimals)
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

/** The invoice that a deposit notifies, which is locked, as it is when the deposit is counted: read once, when it is asked for. */
class NotifiedInvoice {
  private counted: Promise<InvoiceRow> | null = null

  constructor(
    private readonly work: Work,
    private readonly id: string | null,
  ) {}

  get row(): Promise<InvoiceRow> | null {
    if (this.id !== null) this.counted ??= readInvoice(this.work, this.id)
    return this.counted
  }
}

/**
 * The invoice that the deposit notifies from now on. The choice is made when the deposit is first seen, once more when it
 * is confirmed and there was none, and kept: a dropped deposit only gives its match back until it is seen again. It is
 * made before the deposit is counted, so that what an invoice misses is what the payer saw missing.
 */
async function matchAt(
  memo: DepositMemo,
  work: Work,
  address: AddressRow,
  { deposit, countedAs, atoms, invoiceId }: DepositRow,
  from: DepositReport | 'unseen',
  to: DepositReport,
): Promise<InvoiceRow | null> {
  const known = invoiceId === null ? null : await lockInvoice(work, invoiceId)
  if (to === 'dropped') {
    // Another deposit may match it now.
    memo.searches.clear()
    if (known !== null) giveBackMatch(work, known)
    return known
  }
  if (known !== null && from !== 'dropped') return known
  if (known === null && countedAs === null) return null
  const value = { currency: countedAs, atoms }
  const search =
    known === null
      ? (memo.searches.get(nameOf(deposit)) ?? (await candidatesFor(memo, work, address, deposit, value)))
      : null
  const chosen = search === null ? known : await chooseInvoiceInTime(search)
  if (chosen !== null) addMatch(work, chosen)
  return chosen
}

/** The candidates for a deposit; null when it can have none. */
async function candidatesFor(
  memo: DepositMemo,
  work: Work,
  { wallet }: AddressRow,
  { receivedAt }: Sighting,
  { currency, atoms }: DepositValue,
): Promise<Candidates | null> {
  if (wallet === null || wallet.owner === null || currency === null) return null
  const { callback_url } = await memo.configuration(wallet.owner)
  const hasDefaultCallback = callback_url !== null
  const { id: walletId, owner } = wallet
  return new Candidates(work, { walletId, owner, currency, atoms, receivedAt, hasDefaultCallback })
}

/** Finds what a confirmed deposit has paid: the invoice that it matched first. */
async function settle(
  work: Work,
  { wallet }: AddressRow,
  { deposit, countedAs }: DepositRow,
  notified: NotifiedInvoice,
): Promise<void> {
  const { row } = notified
  const others = countedAs === null || wallet === null ? null : new OthersPaid(work, wallet.id)
  const matched = await row
  if (matched?.state === STATE.open) isUnpaid(work, matched)
  if (others === null || countedAs === null) return
  await others.settle({ currency: countedAs, receivedAt: deposit.receivedAt }, matched)
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

/**
 * Queues the delivery that a status owes, if the prerequisites hold (specification, Webhook delivery). Where the owner wants
 * the payment in the body, it is the payment as of now: the deposit has to be counted already.
 */
async function owe(
  memo: DepositMemo,
  work: Work,
  { deposit }: DepositRow,
  { invoice: { invoice }, notified, status, owed }: Owing,
): Promise<void> {
  const { id, owner, reference, amount, currency } = invoice
  if (reference === null) throw new Error('a deposit was matched to an invoice without a reference')
  const configuration = await memo.configuration(owner)
  const url = resolveCallback(invoice.callback_url, configuration.callback_url)
  if (url === null) return
  const counted = configuration.payload === 'with-invoice' ? await notified.row : null
  const added = counted === null ? {} : { invoice: { amount, currency, ...paymentOf(counted.atoms, counted.received) } }
  const body = webhookBody({ id, reference }, status, deposit, added)
  work.enqueue({ owner, invoiceId: id, status, url, body }, owed)
}
