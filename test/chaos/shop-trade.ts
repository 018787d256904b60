import type { Random } from '../simulation/random.js'
import { ATOMS_PER_UNIT } from './shop-amounts.js'
import type { Payment, ShopChain } from './shop-chains.js'
import { habitOf, type Plan, planOf, STEPS_A_DAY } from './shop-customers.js'
import type { Coin, ModelInvoice } from './shop-model.js'
import type { Order, ShopWorld } from './shop-world.js'

/** A wallet for each order, used again as soon as it is free. */
export const ORCHARD = 'orchard'
/** Many open orders on each wallet, told apart by their amounts, and heard of by events. */
export const BAZAAR = 'bazaar'
/** Shared wallets, too: some orders are told to a URL of their own, some to nobody. */
export const STALL = 'stall'
/** Gets one of the wallets of the bazaar. */
export const HEIR = 'heir'
export const OWNERS = [ORCHARD, BAZAAR, STALL, HEIR] as const

/** For how long a void invoice is told of what comes late. */
export const LATE_DAYS = 4
const HOUR_SECONDS = 3600
const STEP_HOURS = 24 / STEPS_A_DAY
const PAIRS = 6
const PRICES: readonly [string, ...string[]] = ['10', '25.00', '40', '19.99', '12.5']
/** No coin carries it. */
const FINE_PRICE = '33.333333333333336'
/** Of an order during whose creation the service is killed. */
const KILLED = 1 / 40

/** What is to be done for an order in a step. */
export type Task = { readonly invoice: ModelInvoice } & Plan

/** What the shops sell, and what becomes of it. */
export class ShopTrade {
  /** The orders of all shops, and when they were placed. */
  readonly sold: { readonly step: number; readonly invoice: ModelInvoice }[] = []
  /** How many customers had each habit. */
  readonly habits = new Map<string, number>()
  private readonly tasks = new Map<number, Task[]>()
  private bazaarWallets: readonly string[] = ['bazaar-tron-0', 'bazaar-tron-1', 'bazaar-evm-0']
  private orders = 0

  constructor(
    private readonly world: ShopWorld,
    private readonly random: Random,
  ) {}

  /** All wallets at first, by their owners. */
  get wallets(): readonly string[] {
    const pairs = Array.from({ length: PAIRS }, (_, i) => [`orchard-tron-${i}`, `orchard-evm-${i}`]).flat()
    return [...pairs, ...this.bazaarWallets, 'stall-tron-0', 'stall-evm-0']
  }

  /** What is due in a step. */
  takeTasks(step: number): readonly Task[] {
    const tasks = this.tasks.get(step) ?? []
    this.tasks.delete(step)
    return tasks
  }

  paymentsOf(chain: ShopChain, tasks: readonly Task[]): readonly Payment[] {
    const { wallets } = this.world.model
    return this.random.shuffled(tasks).flatMap((task) => {
      if (task.act !== 'pay') return []
      const wallet = wallets.get(task.invoice.walletIds[task.wallet] ?? '')
      if (wallet === undefined || wallet.network !== chain.id) return []
      return [{ toAddress: wallet.address, coin: task.coin, units: task.units }]
    })
  }

  /** A wallet of the bazaar goes to somebody else, who sells on it. */
  async bequeath(step: number): Promise<void> {
    const { world } = this
    const [inherited = '', ...kept] = this.bazaarWallets
    this.bazaarWallets = kept
    const { network, address } = world.model.wallets.get(inherited) ?? { network: '', address: '' }
    await world.assign(inherited, HEIR, network, address)
    await this.place(step, HEIR, [inherited], 'USDT', '25.00', 3)
  }

  /** New orders of each shop. */
  async sell(step: number): Promise<void> {
    const { random } = this
    const pair = this.freePair()
    if (pair !== null) await this.place(step, ORCHARD, ...this.orchardOrder(pair), random.between(2, 9))
    const [first = '', ...others] = this.bazaarWallets
    for (let n = random.below(4); n > 0; n -= 1) {
      const wallet = random.pick([first, ...others])
      await this.place(step, BAZAAR, [wallet], this.coinFor(wallet), random.pick(PRICES), random.between(3, 10))
    }
    const wallet = random.pick(['stall-tron-0', 'stall-evm-0'])
    if (random.chance(1 / 3)) await this.place(step, STALL, [wallet], 'USDT', random.pick(PRICES), random.between(2, 6))
  }

  private orchardOrder(pair: number): [string[], Coin, string] {
    const { random } = this
    const both = [`orchard-tron-${pair}`, `orchard-evm-${pair}`]
    if (random.chance(1 / 5)) return [[`orchard-tron-${pair}`], 'native', random.pick(PRICES)]
    return [random.shuffled(both), 'USDT', random.chance(1 / 10) ? FINE_PRICE : random.pick(PRICES)]
  }

  private coinFor(wallet: string): Coin {
    return wallet.includes('evm') || this.random.chance(3 / 4) ? 'USDT' : 'native'
  }

  /** An order is placed, and what its customer does with it is planned. */
  private async place(
    step: number,
    owner: string,
    walletIds: readonly string[],
    coin: Coin,
    amount: string,
    expiresAfter: number,
  ): Promise<void> {
    const { random, world } = this
    this.orders += 1
    const orderNumber = `${owner[0]?.toUpperCase()}-${1000 + this.orders}`
    const suffix = random.next().toString(16).padStart(8, '0')
    const isTold = owner !== STALL || random.chance(2 / 3)
    const callbackUrl = owner === STALL && random.chance(1 / 2) ? world.receiver.urlOf(STALL) : null
    const order: Order = {
      ...{ owner, walletIds, coin, amount, orderNumber, callbackUrl },
      reference: isTold ? `${orderNumber}-${suffix}` : null,
      returnUrl: `https://${owner}.example/orders/${orderNumber}`,
      metadata: { cart: `cart-${suffix}-${this.orders}` },
      expiresInSeconds: (STEP_HOURS * expiresAfter - 1) * HOUR_SECONDS,
    }
    const invoice = await world.order(order, random.chance(KILLED))
    if (invoice === null) return
    this.sold.push({ step, invoice })
    const habit = habitOf(random)
    this.habits.set(habit, (this.habits.get(habit) ?? 0) + 1)
    const units = invoice.payable / ATOMS_PER_UNIT
    const about = { coin, units, wallets: walletIds.length, expiresAfter, lateDays: LATE_DAYS }
    for (const plan of planOf(habit, about, random)) {
      const task = { invoice, ...plan }
      // What is due now comes with the next step.
      const due = step + Math.max(1, plan.step)
      this.tasks.set(due, [...(this.tasks.get(due) ?? []), task])
    }
  }

  /** The pair of wallets without an open order that has been free longest; null when all are in use. */
  private freePair(): number | null {
    const { model } = this.world
    const lastUse = (pair: number) => model.invoices.findLastIndex((one) => isOn(one, pair))
    const free = Array.from({ length: PAIRS }, (_, pair) => pair).filter((pair) =>
      model.invoices.every((one) => {
        if (!isOn(one, pair) || one.voidedAt !== null || one.acceptedAt !== null) return true
        return model.payment(one).own >= one.amount
      }),
    )
    return free.sort((one, other) => lastUse(one) - lastUse(other))[0] ?? null
  }
}

function isOn({ walletIds }: ModelInvoice, pair: number): boolean {
  return walletIds.some((id) => id === `orchard-tron-${pair}` || id === `orchard-evm-${pair}`)
}
