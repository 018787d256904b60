import { type Language, listParts, listText } from './language.js'
import { type Markup, markup } from './markup.js'

/**
 * Amounts with the word for their coin. Numbers are written as wallets take them in every language: with a point and without
 * separators, so that one that is read, selected or copied is the same number.
 */
export class Sums {
  /** What each amount is called: `USDT`, `ETH`, or `ETH or TRX` if the wallets have different coins. */
  readonly coin: string

  constructor(
    private readonly language: Language,
    readonly coins: readonly string[],
  ) {
    this.coin = coins.length === 0 ? language.texts.nativeCoin : listText(language, coins, 'disjunction')
  }

  sum(decimal: string, coin?: string): Markup {
    if (coin !== undefined || this.coins.length < 2) return markup`<bdi>${decimal} ${coin ?? this.coin}</bdi>`
    // Each coin by itself: the word between them may run the other way.
    const parts = listParts(this.language, this.coins, 'disjunction')
    return markup`${parts.map(({ type, value }, i) => {
      if (type === 'literal') return markup`${value}`
      return markup`<bdi>${i === 0 ? `${decimal} ${value}` : value}</bdi>`
    })}`
  }
}
