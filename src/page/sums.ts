import { type Language, listParts, listText } from './language.js'
import { type Markup, markup } from './markup.js'

/** A list in words, each item as it is: the words between them may run the other way. */
export function joined(language: Language, items: readonly Markup[], type: 'conjunction' | 'disjunction'): Markup {
  const [...left] = items
  const parts = listParts(language, items.map(String), type)
  return markup`${parts.map((part) => (part.type === 'literal' ? markup`${part.value}` : (left.shift() ?? markup``)))}`
}

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
    const coins = this.coins.map((one, i) => markup`<bdi>${i === 0 ? `${decimal} ${one}` : one}</bdi>`)
    return joined(this.language, coins, 'disjunction')
  }
}
