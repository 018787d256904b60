import type { Coin } from './prices-coins.js'
import { isAlive, type ModelDeposit, type ModelOption, type ModelOrder, type PricedWallet } from './prices-records.js'

const DAY_MS = 24 * 60 * 60 * 1000

/** Sums of the deposits that count for an option's invoice. */
export interface ModelPayment {
  readonly received: bigint
  readonly pending: bigint
  /** The parts of them that are not matched to another invoice. */
  readonly own: bigint
  readonly ownPending: bigint
}

/** What has come, and what it is for: decisions 4 to 6. */
export class PricesPayments {
  readonly deposits: ModelDeposit[] = []
  private readonly byWallet = new Map<PricedWallet, ModelDeposit[]>()

  constructor(
    private readonly orders: readonly ModelOrder[],
    private readonly lateDays: number,
  ) {}

  add(deposit: ModelDeposit): void {
    this.deposits.push(deposit)
    this.byWallet.set(deposit.wallet, [...(this.byWallet.get(deposit.wallet) ?? []), deposit])
  }

  of(option: ModelOption): ModelPayment {
    const sums = { received: 0n, pending: 0n, own: 0n, ownPending: 0n }
    for (const { kind, amount, match } of this.counting(option)) {
      const isOwn = match === null || match === option
      if (kind === 'confirmed') {
        sums.received += amount
        if (isOwn) sums.own += amount
      } else if (kind === 'pending') {
        sums.pending += amount
        if (isOwn) sums.ownPending += amount
      }
    }
    return sums
  }

  /** The deposits in its coin on its wallets since its creation, whatever they are matched to. */
  counting({ wallets, coin, order }: ModelOption): readonly ModelDeposit[] {
    return wallets
      .flatMap((wallet) => this.byWallet.get(wallet) ?? [])
      .filter((one) => one.coin === coin && one.receivedAt > order.createdAt)
  }

  /** Decides which option a deposit is for. Once made the choice is kept. */
  match(deposit: ModelDeposit): void {
    if (deposit.match !== null) return
    const { wallet, coin, amount, receivedAt } = deposit
    const all = this.optionsOn(wallet, coin).filter(({ order }) => order.createdAt < receivedAt)
    const open = all.filter(isAlive)
    const chosen =
      open.findLast((one) => one.amount === amount && !this.isMatched(one)) ??
      open.find((one) => this.of(one).received < one.amount) ??
      open.at(-1)
    if (chosen !== undefined) {
      deposit.match = chosen
      return
    }
    const since = receivedAt - this.lateDays * DAY_MS
    const gone = all.filter(({ voidedAt }) => voidedAt !== null && voidedAt >= since)
    deposit.match = gone.sort((one, other) => (one.voidedAt ?? 0) - (other.voidedAt ?? 0)).at(-1) ?? null
    deposit.isLate = deposit.match !== null
  }

  /** In the order of their creation. */
  private optionsOn(wallet: PricedWallet, coin: Coin): readonly ModelOption[] {
    return this.orders
      .flatMap(({ options }) => options)
      .filter((one) => one.coin === coin && one.wallets.includes(wallet))
  }

  private isMatched(option: ModelOption): boolean {
    return this.deposits.some(({ match, kind }) => match === option && kind !== 'dropped')
  }
}
