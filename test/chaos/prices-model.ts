import assert from 'node:assert/strict'
import { ceiling, downTo, type Fraction, NOTHING, sumOf, upTo } from './prices-amounts.js'
import type { Coin } from './prices-coins.js'
import { PricesPayments } from './prices-payments.js'
import {
  isAlive,
  type ModelDeposit,
  type ModelEvent,
  type ModelOption,
  type ModelOrder,
  type PricedWallet,
  type Status,
} from './prices-records.js'

/*
 * What becomes of orders, by decisions 4, 6 and 15 alone. As plain as it can be: it keeps every deposit, and adds all of them up for
 * each question. Amounts are in units of 10⁻¹⁸.
 */

export class PricesModel {
  readonly orders: ModelOrder[] = []
  readonly events: ModelEvent[] = []
  readonly payments: PricesPayments

  /** `underpayment`: how many percent may be missing of an order that is accepted by itself. */
  constructor(
    lateDays: number,
    private readonly underpayment: number,
  ) {
    this.payments = new PricesPayments(this.orders, lateDays)
  }

  /** Decides the expiries up to a time. Nothing has come since the last call. */
  passTo(nowMs: number): void {
    const due = this.orders.filter((one) => !one.isExpiryDecided && one.expiresAt <= nowMs)
    for (const order of due.sort((one, other) => one.expiresAt - other.expiresAt)) {
      order.isExpiryDecided = true
      for (const option of order.options.filter(isAlive)) {
        const { own, ownPending } = this.payments.of(option)
        if (own + ownPending > 0n) option.hasOutlived = true
        else this.end(option, order.expiresAt, 'invoice.expired')
      }
      this.endIfNoneIsLeft(order, nowMs)
    }
  }

  create(order: ModelOrder): void {
    this.orders.push(order)
    for (const option of order.options) this.logOption('invoice.created', option)
    this.logOrder('order.created', order)
  }

  /** The first amount from one on that no unpaid invoice on these wallets asks; null when it is more than half a percent away. */
  firstFree(wallets: readonly PricedWallet[], coin: Coin, least: bigint, step: bigint): bigint | null {
    for (let amount = least; (amount - least) * 200n <= least; amount += step) {
      if (!this.isTaken(wallets, coin, amount, null)) return amount
    }
    return null
  }

  isTaken(wallets: readonly PricedWallet[], coin: Coin, amount: bigint, beside: ModelOption | null): boolean {
    return this.options().some(
      (one) =>
        one !== beside &&
        one.coin === coin &&
        one.amount === amount &&
        isAlive(one) &&
        one.wallets.some((wallet) => wallets.includes(wallet)) &&
        this.payments.of(one).received < amount,
    )
  }

  /** False when it is refused. */
  void(order: ModelOrder, nowMs: number): boolean {
    if (order.voidedAt !== null) return true
    if (order.acceptedAt !== null || isWhole(this.share(order, true))) return false
    for (const option of order.options.filter(isAlive)) this.end(option, nowMs, 'invoice.voided')
    this.endIfNoneIsLeft(order, nowMs)
    return true
  }

  /** The end of one of its invoices alone. False when it is refused. */
  voidOption(option: ModelOption, nowMs: number): boolean {
    if (option.voidedAt !== null) return true
    const { received, pending } = this.payments.of(option)
    if (received + pending >= option.amount) return false
    this.end(option, nowMs, 'invoice.voided')
    this.endIfNoneIsLeft(option.order, nowMs)
    return true
  }

  /** False when it is refused. */
  accept(order: ModelOrder, nowMs: number): boolean {
    if (order.acceptedAt !== null) return true
    if (order.voidedAt !== null) return false
    order.acceptedAt = nowMs
    this.logOrder('order.accepted', order)
    this.voidOthers(order, nowMs)
    return true
  }

  /** A deposit is seen, for the first time or again. */
  see(deposit: ModelDeposit): void {
    this.payments.match(deposit)
    deposit.kind = 'pending'
    this.logDeposit('deposit.pending', deposit)
  }

  confirm(deposit: ModelDeposit, nowMs: number): void {
    assert.equal(deposit.kind, 'pending')
    this.payments.match(deposit)
    deposit.kind = 'confirmed'
    this.logDeposit('deposit.confirmed', deposit)
    if (deposit.match !== null) this.review(deposit.match, true, nowMs)
  }

  drop(deposit: ModelDeposit, nowMs: number): void {
    assert.notEqual(deposit.kind, 'dropped')
    deposit.kind = 'dropped'
    this.logDeposit('deposit.dropped', deposit)
    if (deposit.match !== null) this.review(deposit.match, false, nowMs)
  }

  /** What of the price has come. `isSeen`: with what is not confirmed. */
  share(order: ModelOrder, isSeen = false): Fraction {
    return order.options.reduce<Fraction>((sum, option) => {
      const { own, ownPending } = this.payments.of(option)
      return sumOf(sum, { over: isSeen ? own + ownPending : own, under: option.amount })
    }, NOTHING)
  }

  status(order: ModelOrder): Status {
    const share = this.share(order)
    if (order.acceptedAt !== null || isWhole(share)) return 'paid'
    if (share.over > 0n) return 'partly'
    if (order.voidedAt === null) return 'unpaid'
    return order.voidedAt >= order.expiresAt ? 'expired' : 'void'
  }

  /** What of an option's coin still completes its order. */
  remaining({ order, amount, places }: ModelOption): bigint {
    const { over, under } = this.share(order)
    if (order.acceptedAt !== null || over >= under) return 0n
    return upTo(places, ceiling((under - over) * amount, under))
  }

  options(): readonly ModelOption[] {
    return this.orders.flatMap(({ options }) => options)
  }

  /** Behind a deposit that came or went: what it changes in its order. */
  private review(paid: ModelOption, hasCome: boolean, nowMs: number): void {
    const { order } = paid
    const share = this.share(order)
    const before = order.standing
    order.standing = isWhole(share) ? 'paid' : share.over > 0n ? 'partly' : 'none'
    if (order.acceptedAt === null) {
      if (order.standing !== before) this.logOrder(nameOfChange(before, order.standing), order, paid)
      if (order.standing === 'paid') this.voidOthers(order, nowMs)
      else if (before === 'paid') this.revive(order, nowMs)
      if (hasCome && order.voidedAt === null && this.isNearlyWhole(share)) this.accept(order, nowMs)
    }
    if (!hasCome || share.over <= share.under) return
    // What was asked for is rounded up, and never too much.
    const excess = downTo(paid.places, ((share.over - share.under) * paid.amount) / share.under)
    if (excess > 0n) this.logOrder('order.overpaid', order, paid)
  }

  private isNearlyWhole({ over, under }: Fraction): boolean {
    return over < under && over * 100n >= under * BigInt(100 - this.underpayment)
  }

  private voidOthers(order: ModelOrder, nowMs: number): void {
    for (const option of order.options.filter(isAlive)) {
      if (this.payments.of(option).own >= option.amount) continue
      this.end(option, nowMs, 'invoice.voided')
      option.isVoidedByOrder = true
    }
  }

  /** What the completion had voided lives again, unless it has expired or is not free. */
  private revive(order: ModelOrder, nowMs: number): void {
    for (const option of order.options.filter(({ isVoidedByOrder }) => isVoidedByOrder)) {
      option.isVoidedByOrder = false
      const { own, ownPending } = this.payments.of(option)
      const isPast = order.expiresAt <= nowMs
      if (isPast && own + ownPending === 0n) continue
      if (this.isTaken(option.wallets, option.coin, option.amount, option)) continue
      option.voidedAt = null
      option.hasOutlived = isPast
    }
    this.endIfNoneIsLeft(order, nowMs)
  }

  private endIfNoneIsLeft(order: ModelOrder, nowMs: number): void {
    const isSettled = order.acceptedAt !== null || isWhole(this.share(order))
    if (order.voidedAt !== null || isSettled || order.options.some(isAlive)) return
    order.voidedAt = order.expiresAt <= nowMs ? order.expiresAt : Math.max(...order.options.map(endOf))
    this.logOrder(order.voidedAt >= order.expiresAt ? 'order.expired' : 'order.voided', order)
  }

  private end(option: ModelOption, atMs: number, type: string): void {
    option.voidedAt = atMs
    this.logOption(type, option)
  }

  private logOrder(type: string, { id }: ModelOrder, cause: ModelOption | null = null): void {
    this.events.push({ type, orderId: id, invoiceId: cause?.id ?? null, txHash: null, isLate: false })
  }

  private logOption(type: string, { id, order }: ModelOption): void {
    this.events.push({ type, orderId: order.id, invoiceId: id, txHash: null, isLate: false })
  }

  private logDeposit(type: string, { match, txHash, isLate }: ModelDeposit): void {
    this.events.push({ type, orderId: match?.order.id ?? null, invoiceId: match?.id ?? null, txHash, isLate })
  }
}

function isWhole({ over, under }: Fraction): boolean {
  return over >= under
}

function endOf({ voidedAt }: ModelOption): number {
  return voidedAt ?? 0
}

function nameOfChange(before: ModelOrder['standing'], after: ModelOrder['standing']): string {
  if (after === 'paid') return 'order.paid'
  return before === 'none' ? 'order.partly' : 'order.unpaid'
}
