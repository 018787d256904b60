import { ceiling, type Fraction, placesOf, unitOf } from './prices-amounts.js'
import { type Coin, decimalsOn, symbolOf } from './prices-coins.js'
import type { PricesModel } from './prices-model.js'
import type { RatesModel } from './prices-rates.js'
import type { PricedWallet } from './prices-records.js'
import { atomsOf } from './shop-amounts.js'

/** A way to pay, as a shop asks for it. */
export interface AskedOption {
  readonly wallets: readonly PricedWallet[]
  readonly coin: Coin
  /** Null where it follows from the price. */
  readonly fixed: string | null
}

export interface AskedPrice {
  readonly amount: string
  readonly currency: string
}

/** What an option must ask. */
export interface WantedOption {
  readonly amount: bigint
  readonly places: number
  readonly rate: string | null
}

/** What must become of a request for an order. */
export type Wanted =
  | { readonly kind: 'created'; readonly options: readonly WantedOption[] }
  /** The coins that have no rate. */
  | { readonly kind: 'rate_unavailable'; readonly coins: readonly string[] }
  | { readonly kind: 'amount_in_use' }

/** Decimal places of an amount, at least: decisions 15. */
const LEAST_PLACES = { token: 2, native: 6 }
/** The smallest number of four digits. */
const FOUR_DIGITS = 1000n
const WHOLE = 10_000n

/** `spread`: hundredths of a percent. */
export class PricesQuotes {
  constructor(
    private readonly rates: RatesModel,
    private readonly model: PricesModel,
    private readonly spread: number,
  ) {}

  want(price: AskedPrice, options: readonly AskedOption[], nowMs: number): Wanted {
    const missing = options.filter((one) => one.fixed === null && this.rateOf(price, one, nowMs) === null)
    if (missing.length > 0) return { kind: 'rate_unavailable', coins: missing.map(symbolOfOption) }
    const wanted: WantedOption[] = []
    for (const option of options) {
      const one = this.wantOption(price, option, nowMs)
      if (one === null) return { kind: 'amount_in_use' }
      wanted.push(one)
    }
    return { kind: 'created', options: wanted }
  }

  /** Whether an amount is the price at a rate with the spread, or by its rounding and then half a percent more. */
  isWithin(price: AskedPrice, option: AskedOption, { rate, places, amount }: WantedOption): boolean {
    if (rate === null) return true
    const { over, under } = this.converted(price, option, rate)
    return amount * under >= over && amount * 1000n * under <= 1005n * (over + unitOf(places) * under)
  }

  private wantOption(price: AskedPrice, option: AskedOption, nowMs: number): WantedOption | null {
    const { wallets, coin, fixed } = option
    const most = decimalsOn(
      coin,
      wallets.map(({ network }) => network),
    )
    const least = Math.min(most, coin === 'native' ? LEAST_PLACES.native : LEAST_PLACES.token)
    if (fixed !== null) {
      const amount = atomsOf(fixed)
      if (this.model.isTaken(wallets, coin, amount, null)) return null
      return { amount, places: Math.min(most, Math.max(least, placesOf(fixed))), rate: null }
    }
    const rate = this.rateOf(price, option, nowMs) ?? '1'
    const { over, under } = this.converted(price, option, rate)
    let places = least
    while (places < most && ceiling(over, under * unitOf(places)) < FOUR_DIGITS) places += 1
    const step = unitOf(places)
    const amount = this.model.firstFree(wallets, coin, ceiling(over, under * step) * step, step)
    return amount === null ? null : { amount, places, rate }
  }

  /** A price in a coin. */
  private converted(price: AskedPrice, option: AskedOption, rate: string): Fraction {
    const spread = price.currency === symbolOfOption(option) ? 0 : this.spread
    return { over: atomsOf(price.amount) * unitOf(0) * (WHOLE + BigInt(spread)), under: atomsOf(rate) * WHOLE }
  }

  /** In the currency of the price it is 1; null when there is none. */
  private rateOf({ currency }: AskedPrice, option: AskedOption, nowMs: number): string | null {
    const symbol = symbolOfOption(option)
    if (currency === symbol) return '1'
    return this.rates.inForce(`${currency} ${symbol}`, nowMs)?.rate ?? null
  }
}

function symbolOfOption({ wallets: [first], coin }: AskedOption): string {
  return first === undefined ? coin : symbolOf(coin, first.network)
}
