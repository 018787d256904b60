import { type Currency, parseInvoiceAmount, smallestUnit } from './amount.js'
import { detailedFailure, type Failure, type Outcome, succeed } from './failure.js'
import type { Price, RequestedOption, UsedRate } from './order.js'

/*
 * What an option of an order costs in its coin (decisions 15): the price divided by the rate, with the spread on top, rounded up. All of
 * it is exact integers; the only rounding is the one that is meant.
 */

/** Decimal places to which the amounts of options are rounded up, at least. */
export interface PriceDecimals {
  readonly token: number
  readonly coin: number
}

/** What is rounded has at least four significant digits, where the coin can carry them. */
const SIGNIFICANT_MIN = 1000n

/** By how much an amount may be raised so that it is no other's: 5 of 1,000. */
const RAISE_PARTS = 5n
const RAISE_WHOLE = 1000n
/** Steps by which an amount is raised at most, however small they are. */
export const RAISE_STEPS_MAX = 1000
/** Looks at wallets that the raising of an order's amounts may take: every step of an option looks at each of its wallets. */
export const RAISE_LOOKS_MAX = 4000
/**
 * Invoices met by raising of which it is found out whether they are unpaid, in one order. Those beyond count as unpaid: an amount may
 * be raised a step further than it must.
 */
export const RAISE_EXAMINED_MAX = 32

/** A spread is in hundredths of a percent. */
const WHOLE = 10_000n

/** A rate that is in force. */
export interface QuotedRate {
  /** The price of one coin: a decimal greater than zero with at most 18 places. */
  readonly rate: string
  /** Unix ms. */
  readonly at: number
  /** Hundredths of a percent. */
  readonly spread: number
}

/** The rates that are in force. */
export interface Rates {
  /** The price of one coin in a currency at a moment, Unix ms; null when there is none that may be used. */
  rateFor(currency: string, coin: string, nowMs: number): QuotedRate | null
}

export const NO_RATES: Rates = { rateFor: () => null }

/** What is known of the coin of an option, by the networks of its wallets. */
export interface OptionCoin {
  /** The symbol of its token, or of its networks' own coin. */
  readonly symbol: string
  /** Decimal places that it has on every one of them. */
  readonly decimals: number
}

/** What an option costs. */
export interface Quote {
  readonly amountText: string
  /** Atoms. */
  readonly amount: bigint
  /** The most to which it may be raised; the amount itself where it is fixed. */
  readonly highest: bigint
  readonly decimals: number
  readonly rate: UsedRate | null
  readonly isFixed: boolean
}

/** An option with its coin, or why it has none. */
export interface OptionToPrice {
  readonly option: Pick<RequestedOption, 'currency' | 'fixedAmount'>
  readonly coin: Outcome<OptionCoin>
}

/** What each option of a price costs at a moment. A coin that is priced is not priced again: it costs the same on each of its networks. */
export function quoteOptions(
  price: Price,
  options: readonly OptionToPrice[],
  rates: Rates,
  places: PriceDecimals,
  nowMs: number,
): readonly Outcome<Quote>[] {
  const known = new Map<string, Outcome<Quote>>()
  return options.map(({ option, coin }) => {
    if (!coin.ok) return coin
    const { symbol, decimals } = coin.value
    const name = `${option.currency} ${symbol} ${decimals} ${option.fixedAmount}`
    const quote = known.get(name) ?? quoteOption(price, option, coin.value, rates, places, nowMs)
    known.set(name, quote)
    return quote
  })
}

/** What an option of a price costs at a moment. Fails with `rate_unavailable`, which names the coin. */
export function quoteOption(
  price: Price,
  option: Pick<RequestedOption, 'currency' | 'fixedAmount'>,
  coin: OptionCoin,
  rates: Rates,
  places: PriceDecimals,
  nowMs: number,
): Outcome<Quote> {
  const least = Math.min(placesFor(option.currency, places), coin.decimals)
  if (option.fixedAmount !== null) return succeed(fixedQuote(option.fixedAmount, least, coin.decimals))
  const used = price.currency === coin.symbol ? null : rates.rateFor(price.currency, coin.symbol, nowMs)
  if (used === null && price.currency !== coin.symbol) {
    return { ok: false, failure: rateUnavailable(coin.symbol) }
  }
  const { over, under } = convertedAmount(atomsOf(price.amount), used)
  const decimals = decimalsFor(over, under, least, coin.decimals)
  const unit = smallestUnit(decimals)
  const amount = ceiling(over, under * unit) * unit
  return succeed({
    amountText: withPlaces(amount, decimals),
    amount,
    highest: amount + (amount * RAISE_PARTS) / RAISE_WHOLE,
    decimals,
    rate: used,
    isFixed: false,
  })
}

export function rateUnavailable(coin: string): Failure {
  return detailedFailure('rate_unavailable', { coin })
}

/** By how many steps each amount of an order may be raised, where the options that may be are on so many wallets together. */
export function raiseSteps(wallets: number): number {
  return wallets === 0 ? 0 : Math.min(RAISE_STEPS_MAX, Math.floor(RAISE_LOOKS_MAX / wallets))
}

/** The amounts to which one may be raised by its last digit, step by step. */
export function* raisedAmounts({ amount, highest, decimals }: Quote, steps: number): Generator<RaisedAmount> {
  const unit = smallestUnit(decimals)
  for (let step = 1n; step <= BigInt(steps); step += 1n) {
    const raised = amount + step * unit
    if (raised > highest) return
    yield { amount: raised, amountText: withPlaces(raised, decimals) }
  }
}

export interface RaisedAmount {
  /** Atoms. */
  readonly amount: bigint
  readonly amountText: string
}

/** A decimal string with all its places: 25.5 with 2 of them is `25.50`. */
function withPlaces(atoms: bigint, decimals: number): string {
  const units = (atoms / smallestUnit(decimals)).toString()
  if (decimals === 0) return units
  const digits = units.padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Places of a decimal that count: trailing zeros do not. */
export function placesOf(text: string): number {
  const fraction = text.split('.')[1] ?? ''
  return fraction.replace(/0+$/, '').length
}

/** As a shop has fixed it. What is asked for later is rounded to as many places as it has, or as a converted amount would have. */
function fixedQuote(amountText: string, least: number, most: number): Quote {
  const amount = atomsOf(amountText)
  const decimals = Math.min(Math.max(placesOf(amountText), least), Math.max(most, least))
  return { amountText, amount, highest: amount, decimals, rate: null, isFixed: true }
}

function placesFor(currency: Currency, { token, coin }: PriceDecimals): number {
  return currency === 'native' ? coin : token
}

/** A price in a coin, in atoms, as a fraction. */
function convertedAmount(price: bigint, used: QuotedRate | null): { readonly over: bigint; readonly under: bigint } {
  if (used === null) return { over: price, under: 1n }
  const one = smallestUnit(0)
  return { over: price * one * (WHOLE + BigInt(used.spread)), under: atomsOf(used.rate) * WHOLE }
}

function decimalsFor(over: bigint, under: bigint, least: number, most: number): number {
  let decimals = least
  while (decimals < most && ceiling(over, under * smallestUnit(decimals)) < SIGNIFICANT_MIN) decimals += 1
  return decimals
}

function ceiling(over: bigint, under: bigint): bigint {
  return (over + under - 1n) / under
}

/** A decimal that was checked when it was read. */
function atomsOf(text: string): bigint {
  const atoms = parseInvoiceAmount(text)
  if (atoms === null) throw new Error('an amount that is none was taken for a price')
  return atoms
}
