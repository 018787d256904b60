import assert from 'node:assert/strict'
import type { Random } from '../simulation/random.js'
import { downTo, unitOf } from './prices-amounts.js'
import { BNB, type Coin, ETH, PRICED_NETWORKS, type PricedNetwork, TRON } from './prices-coins.js'
import { type EndPlan, habitOf, type PaymentPlan, planOf } from './prices-payers.js'
import type { AskedOption } from './prices-quotes.js'
import { isAlive, type ModelDeposit, type ModelOption, type ModelOrder, type PricedWallet } from './prices-records.js'
import type { PricesWorld, Report } from './prices-world.js'
import { decimalOf } from './shop-amounts.js'

/** Sets of wallets of their own, beside those that many orders share. */
const OWN_SETS = 6
const SHARED = 'shared'
const AMOUNTS: readonly [string, ...string[]] = ['25.00', '19.99', '149.5', '7.77', '1.00', '0.37', '0.01', '1234.56']
const CURRENCIES: readonly [string, ...string[]] = ['EUR', 'EUR', 'EUR', 'USD', 'USD', 'USDT']
/** Ways to pay: a coin, and the networks on which it is taken. */
const WAYS: readonly [Coin, ...PricedNetwork[]][] = [
  ['USDT', ETH],
  ['USDT', ETH, BNB],
  ['USDT', TRON],
  ['USDT', ETH, BNB, TRON],
  ['USDC', ETH, BNB],
  ['USDC', BNB],
  ['native', ETH],
  ['native', BNB],
  ['native', TRON],
]
/** Coins that a wallet may get which no option asks for. */
const COINS: readonly [Coin, ...Coin[]] = ['native', 'USDT', 'USDC']
const STRAY = 25n
/** Percent of a rest that are most of it. */
const MOST = 93n
const OPTIONS_MAX = 4
const PUSHED_MAX = 4
const CHANCES = {
  shared: 2 / 5,
  fixed: 1 / 15,
  usualExpiry: 1 / 3,
  equal: 1 / 8,
  taken: 1 / 7,
  back: 3 / 5,
  whole: 1 / 5,
}
/** Half a minute beside the minutes in which something happens: nothing expires while it is looked at. */
const EXPIRY_SECONDS = { least: 2, most: 16, minute: 60, aside: 30 }

/** What is due in a minute of trade. */
export type Task = { readonly order: ModelOrder } & (PaymentPlan | EndPlan)

/** What the shop sells, and what becomes of it. */
export class PricesTrade {
  readonly habits = new Map<string, number>()
  private readonly tasks = new Map<number, Task[]>()
  private readonly reports = new Map<number, Report[]>()
  private readonly sets = new Map<string, ReadonlyMap<PricedNetwork, PricedWallet>>()
  private orders = 0
  reorganisations = 0

  constructor(
    private readonly world: PricesWorld,
    private readonly random: Random,
    private readonly minutesADay: number,
  ) {}

  async open(): Promise<void> {
    for (const name of [SHARED, ...Array.from({ length: OWN_SETS }, (_, n) => `own-${n}`)]) {
      const set = new Map<PricedNetwork, PricedWallet>()
      for (const network of PRICED_NETWORKS) set.set(network, await this.world.addWallet(network, name))
      this.sets.set(name, set)
    }
  }

  /** What payers, networks and the shop do in a minute. Returns the orders that it concerns. */
  async act(minute: number): Promise<ReadonlySet<ModelOrder>> {
    const { world, random } = this
    const tasks = random.shuffled(taken(this.tasks, minute))
    const concerned = new Set(tasks.map(({ order }) => order))
    const reports = taken(this.reports, minute).filter(isPossible)
    for (const task of tasks) {
      if (task.act !== 'pay') continue
      const payment = this.payment(task)
      if (payment !== null) reports.push(this.plan(minute, payment))
    }
    const rest = random.shuffled(reports)
    while (rest.length > 0) {
      const some = rest.splice(0, random.between(1, PUSHED_MAX))
      await world.report(some)
      for (const { deposit } of some) if (deposit.match !== null) concerned.add(deposit.match.order)
    }
    for (const task of tasks) {
      if (task.act === 'void-option') await world.voidOption(optionOf(task))
      else if (task.act !== 'pay') await world.finish(task.order, task.act)
    }
    return concerned
  }

  /** New orders. */
  async sell(minute: number): Promise<readonly ModelOrder[]> {
    const { random } = this
    const options = this.options()
    const price = { amount: random.pick(AMOUNTS), currency: random.pick(CURRENCIES) }
    const equal = random.chance(CHANCES.equal) ? random.between(3, 8) : 1
    // Which of them comes first is the service's choice, so they differ in nothing.
    const expiresInSeconds = this.expiry()
    const asked = Array.from({ length: equal }, () => {
      this.orders += 1
      return { price, options, reference: `order-${this.orders}`, expiresInSeconds }
    })
    const made = await this.world.orderAtOnce(asked)
    for (const order of made) {
      const habit = habitOf(random)
      this.habits.set(habit, (this.habits.get(habit) ?? 0) + 1)
      for (const plan of planOf(habit, order.options.length, this.minutesADay, random)) {
        put(this.tasks, minute + plan.after, { ...plan, order })
      }
    }
    return made
  }

  /** Null for the default. */
  private expiry(): number | null {
    const { least, most, minute, aside } = EXPIRY_SECONDS
    if (this.random.chance(CHANCES.usualExpiry)) return null
    return this.random.between(least, most) * minute + aside
  }

  private options(): readonly AskedOption[] {
    const { random } = this
    const set = this.sets.get(random.chance(CHANCES.shared) ? SHARED : this.freeSet())
    const used = new Set<string>()
    const options: AskedOption[] = []
    for (const [coin, ...networks] of random.shuffled(WAYS)) {
      const wallets = networks.flatMap((network) => set?.get(network) ?? [])
      if (wallets.some(({ id }) => used.has(`${coin} ${id}`))) continue
      for (const { id } of wallets) used.add(`${coin} ${id}`)
      const fixed = random.chance(CHANCES.fixed) ? decimalOf(BigInt(random.between(1, 5000)) * unitOf(3)) : null
      options.push({ wallets, coin, fixed })
    }
    return options.slice(0, random.between(1, OPTIONS_MAX))
  }

  /** Wallets of which no order waits for money; those that many share when there are none. */
  private freeSet(): string {
    const { orders } = this.world.models
    const busy = orders.options().filter((one) => isAlive(one) && orders.payments.of(one).received < one.amount)
    const isFree = (set: ReadonlyMap<PricedNetwork, PricedWallet>) =>
      busy.every(({ wallets }) => wallets.every((wallet) => set.get(wallet.network) !== wallet))
    const free = [...this.sets].filter(([name, set]) => name !== SHARED && isFree(set)).map(([name]) => name)
    return this.random.pick([free[0] ?? SHARED, ...free])
  }

  /** Null when nothing is missing any more. */
  private payment(task: PaymentPlan & Task): ModelDeposit | null {
    const { world, random } = this
    const { what } = task
    const option = optionOf(task)
    const [first, ...others] = option.wallets
    if (first === undefined) return null
    const wallet = random.pick([first, ...others])
    if (what === 'stray') {
      const coin = random.pick(COINS)
      return wallet.network.decimals[coin] === undefined ? null : world.deposit(wallet, coin, STRAY * unitOf(0))
    }
    if (what === 'dust') return world.deposit(wallet, option.coin, unitOf(wallet.network.decimals[option.coin] ?? 0))
    const rest = () => world.models.orders.remaining(option)
    const amount =
      what === 'rest'
        ? rest()
        : downTo(option.places, what === 'most' ? (rest() * MOST) / 100n : (option.amount * BigInt(what)) / 100n)
    return amount > 0n ? world.deposit(wallet, option.coin, amount) : null
  }

  /** What networks say of a payment: at once, and later. */
  private plan(minute: number, deposit: ModelDeposit): Report {
    const { random } = this
    const isWhole = random.chance(CHANCES.whole)
    const confirmed = minute + (isWhole ? 0 : random.between(1, 3))
    if (!isWhole) put(this.reports, confirmed, { deposit, kind: 'confirmed' })
    if (random.chance(CHANCES.taken)) {
      this.reorganisations += 1
      const dropped = minute + random.between(1, 24)
      put(this.reports, dropped, { deposit, kind: 'dropped' })
      if (random.chance(CHANCES.back)) {
        const back = dropped + random.between(1, 9)
        put(this.reports, back, { deposit, kind: 'pending' })
        put(this.reports, back + random.between(1, 3), { deposit, kind: 'confirmed' })
      }
    }
    return { deposit, kind: isWhole ? 'confirmed' : 'pending' }
  }
}

/** Whether a network can say so: what is dropped is not confirmed, and so on. One report of a deposit in a minute. */
function isPossible({ deposit, kind }: Report, at: number, all: readonly Report[]): boolean {
  if (all.findIndex((one) => one.deposit === deposit) !== at) return false
  if (kind === 'pending') return deposit.kind === 'dropped'
  return kind === 'confirmed' ? deposit.kind === 'pending' : deposit.kind !== 'dropped'
}

function optionOf({ order, option }: { readonly order: ModelOrder; readonly option: number }): ModelOption {
  return order.options[option] ?? assert.fail('the order has no such option')
}

function put<T>(due: Map<number, T[]>, minute: number, one: T): void {
  due.set(minute, [...(due.get(minute) ?? []), one])
}

function taken<T>(due: Map<number, T[]>, minute: number): T[] {
  const found = due.get(minute) ?? []
  due.delete(minute)
  return found
}
