import type { Price } from '../domain/order.js'
import { type Language, say } from './language.js'
import { type Markup, markup } from './markup.js'
import type { OptionView } from './order-view.js'
import { percentText, priceText } from './price.js'

/** The price of an order in the shop's currency. */
export function priceMark(language: Language, price: Price): Markup {
  return markup`<bdi>${priceText(language, price)}</bdi>`
}

/** `1 USDT = €0.92`, and what was charged on top of it; null for an option whose amount was not converted. `coin`: its name. */
export function rateMark(
  language: Language,
  { currency }: Price,
  { rate }: Pick<OptionView, 'rate'>,
  coin: string,
): Markup | null {
  if (rate === null) return null
  const one = priceMark(language, { amount: rate.rate, currency })
  const spread = rate.spread === 0 ? null : markup` + <bdi>${percentText(language, rate.spread)}</bdi>`
  return markup`<bdi>1 ${coin}</bdi> = ${one}${spread}`
}

/** The price and how it was converted. `isKept`: whether the rate has no end, because a part is paid by it. */
export function termsList(language: Language, price: Markup, rate: Markup | null, isKept: boolean): Markup {
  const rateRow = rate === null ? null : markup`<div><dt>${say(language, 'rate')}</dt><dd>${rate}</dd></div>`
  return markup`<dl class="terms"><div><dt>${say(language, 'price')}</dt><dd><strong>${price}</strong></dd></div>${rateRow}</dl>
${rate !== null && isKept ? markup`<p class="quiet">${say(language, 'rateKept')}</p>` : null}`
}
