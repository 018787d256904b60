import { formatAmount, parseFormattedAmount } from '../domain/amount.js'
import type { Language } from './language.js'
import { type Markup, markup } from './markup.js'
import { coinsOf, decimalsOn, nameOn, type PageNetwork } from './networks.js'
import type { OptionSum, OrderSums } from './order-payment.js'
import type { OptionView, OrderView } from './order-view.js'
import { joined, Sums } from './sums.js'

/** Amounts have no more decimal places. */
const DECIMALS_MAX = 18

/** The coin of an option of an order, as people know it. */
export class OptionCoin {
  readonly sums: Sums
  /** The networks of its wallets, as far as they are known. */
  readonly networks: readonly PageNetwork[]
  /** Decimal places that it has on each of them. */
  readonly decimals: number

  constructor(
    private readonly language: Language,
    private readonly option: OptionView,
    networks: OrderView['networks'],
  ) {
    const { currency } = option.invoice
    this.networks = option.wallets.flatMap(({ network }) => (network === null ? [] : [networks(network)]))
    this.sums = new Sums(language, coinsOf(currency, this.networks))
    this.decimals = Math.min(DECIMALS_MAX, ...this.networks.map((network) => decimalsOn(currency, network)))
  }

  get name(): string {
    return this.sums.coin
  }

  /** Its networks in the words of exchanges. */
  networkNames(): Markup {
    const names = new Set(this.networks.map((network) => nameOn(this.option.invoice.currency, network)))
    return joined(
      this.language,
      [...names].map((name) => markup`<bdi>${name}</bdi>`),
      'disjunction',
    )
  }

  /** By which a script knows it again in another order. */
  get key(): string {
    const ids = new Set(this.option.wallets.flatMap(({ network }) => (network === null ? [] : [network])))
    return `${this.option.invoice.currency} ${[...ids].join(' ')}`
  }
}

/** The coins of an order, by the positions of its options. */
export class OrderCoins {
  private readonly coins: readonly OptionCoin[]

  constructor(
    private readonly language: Language,
    { options, networks }: Pick<OrderView, 'options' | 'networks'>,
  ) {
    this.coins = options.map((option) => new OptionCoin(language, option, networks))
  }

  of(option: number): OptionCoin {
    const coin = this.coins[option]
    if (coin === undefined) throw new Error('an order does not have an option that is shown')
    return coin
  }

  sum({ option, amount }: OptionSum): Markup {
    return this.of(option).sums.sum(amount)
  }

  /** Sums of the same coin are one; those of several are a list. */
  list(sums: OrderSums): Markup {
    const byName = new Map<string, { readonly option: number; readonly atoms: bigint }>()
    for (const { option, amount } of sums) {
      const { name } = this.of(option)
      byName.set(name, { option, atoms: parseFormattedAmount(amount) + (byName.get(name)?.atoms ?? 0n) })
    }
    const items = [...byName.values()].map(({ option, atoms }) => this.sum({ option, amount: formatAmount(atoms) }))
    return joined(this.language, items, 'conjunction')
  }
}
