import type { Deposit, DepositReport, DepositStatus, Sighting } from '../../../src/domain/deposit.js'
import type { Invoice } from '../../../src/domain/invoice.js'
import type { Network } from '../../../src/domain/network.js'
import { currencyOf, kindOf } from '../networks.js'
import { depositAtoms } from './amounts.js'

/** A deposit with what the service may not forget of it. */
export interface ModelDeposit {
  record: Deposit
  atoms: bigint
  /** The invoice that it is matched to, chosen when it was first seen, or at `confirmed` when there was none. */
  invoiceId: string | null
  /** Whether that invoice was void by then. */
  isLate: boolean
  /** Statuses that were reached once: never notified again. */
  readonly reached: Set<DepositStatus>
}

/** An invoice that a deposit is matched to. */
export interface ModelMatch {
  readonly invoice: Invoice
  readonly isLate: boolean
}

/** What a report does, before it is done. */
export interface ReportEffect {
  readonly status: 'applied' | 'duplicate' | 'rejected'
  readonly known: ModelDeposit | undefined
  /** Statuses to notify, in order. */
  readonly news: readonly DepositStatus[]
}

const KIND_AFTER = { pending: 'pending', confirmed: 'confirmed', dropped: 'dropped' } as const

/** Deposits by identity (network, txHash, index) and, for sums, by address (specification, Deposit record; decisions 5). */
export class ModelDeposits {
  private readonly byIdentity = new Map<string, ModelDeposit>()
  private readonly byAddress = new Map<string, ModelDeposit[]>()

  find(network: Network, txHash: string, index: number): ModelDeposit | undefined {
    return this.byIdentity.get(identityOf({ network, txHash, index }))
  }

  all(): IterableIterator<ModelDeposit> {
    return this.byIdentity.values()
  }

  /** What went to an address, dropped ones included. */
  to(network: Network, address: string): readonly ModelDeposit[] {
    return this.byAddress.get(placeOf(network, address)) ?? []
  }

  /** The invoices that a deposit has matched, dropped ones left out. */
  matched(): ReadonlySet<string | null> {
    const standing = [...this.byIdentity.values()].filter(({ record }) => record.kind !== 'dropped')
    return new Set(standing.map(({ invoiceId }) => invoiceId))
  }

  /** What a report of this sighting would do. */
  judge(report: DepositReport, sighting: Sighting): ReportEffect {
    const known = this.byIdentity.get(identityOf(sighting))
    if (isFlawed(sighting)) return { status: 'rejected', known, news: [] }
    const kind = known?.record.kind
    if (report === 'dropped') {
      if (known === undefined) return { status: 'rejected', known, news: [] }
      return { status: kind === 'dropped' ? 'duplicate' : 'applied', known, news: [] }
    }
    if (this.isOtherwise(sighting)) return { status: 'rejected', known, news: [] }
    if (kind === report || (kind === 'confirmed' && report === 'pending'))
      return { status: 'duplicate', known, news: [] }
    const owed: readonly DepositStatus[] = report === 'pending' ? ['pending'] : ['pending', 'confirmed']
    return { status: 'applied', known, news: owed.filter((status) => known?.reached.has(status) !== true) }
  }

  /** Whether what is recorded, and not dropped, is worth something else or went elsewhere. */
  isOtherwise(seen: Sighting): boolean {
    const known = this.byIdentity.get(identityOf(seen))?.record
    if (known === undefined || known.kind === 'dropped') return false
    const currency = currencyOf(seen.network, seen.currency)
    return (
      placeOf(seen.network, known.toAddress) !== placeOf(seen.network, seen.toAddress) ||
      currencyOf(known.network, known.currency) !== currency ||
      (currency === null && known.currency !== seen.currency) ||
      depositAtoms(known.network, known.currency, known.amount) !==
        depositAtoms(seen.network, seen.currency, seen.amount)
    )
  }

  /** A deposit that is seen for the first time. */
  add(report: DepositReport, sighting: Sighting, match: ModelMatch | null, nowMs: number): ModelDeposit {
    const deposit: ModelDeposit = {
      record: recordOf(report, sighting, nowMs),
      atoms: depositAtoms(sighting.network, sighting.currency, sighting.amount) ?? 0n,
      invoiceId: match?.invoice.id ?? null,
      isLate: match?.isLate ?? false,
      reached: new Set(),
    }
    this.byIdentity.set(identityOf(sighting), deposit)
    this.enter(deposit)
    return deposit
  }

  /**
   * A report about a known one: what was reported first stays as it was, unless a later block includes a dropped
   * transaction again, whose word counts from then on.
   */
  change(deposit: ModelDeposit, report: DepositReport, sighting: Sighting, nowMs: number): void {
    if (deposit.record.kind !== 'dropped') {
      deposit.record = { ...recordOf(report, deposit.record, nowMs) }
      return
    }
    this.leave(deposit)
    deposit.record = recordOf(report, sighting, nowMs)
    deposit.atoms = depositAtoms(sighting.network, sighting.currency, sighting.amount) ?? 0n
    this.enter(deposit)
  }

  private enter(deposit: ModelDeposit): void {
    const place = placeOf(deposit.record.network, deposit.record.toAddress)
    const others = this.byAddress.get(place)
    if (others === undefined) this.byAddress.set(place, [deposit])
    else others.push(deposit)
  }

  private leave(deposit: ModelDeposit): void {
    const others = this.byAddress.get(placeOf(deposit.record.network, deposit.record.toAddress))
    others?.splice(others.indexOf(deposit), 1)
  }
}

function recordOf(report: DepositReport, seen: Sighting, nowMs: number): Deposit {
  return {
    network: seen.network,
    txHash: seen.txHash,
    index: seen.index,
    toAddress: seen.toAddress,
    currency: seen.currency,
    amount: seen.amount,
    receivedAt: seen.receivedAt,
    kind: KIND_AFTER[report],
    confirmedAt: report === 'confirmed' ? nowMs : null,
  }
}

export function isFlawed(seen: Sighting): boolean {
  return (
    seen.txHash === '' ||
    seen.toAddress === '' ||
    seen.receivedAt <= 0 ||
    depositAtoms(seen.network, seen.currency, seen.amount) === null
  )
}

function identityOf({ network, txHash, index }: Pick<Sighting, 'network' | 'txHash' | 'index'>): string {
  return `${network} ${index} ${txHash}`
}

export function placeOf(network: Network, address: string): string {
  return `${network} ${kindOf(network) === 'evm' ? address.toLowerCase() : address}`
}
