import type { Price, UsedRate } from '../../../src/domain/order.js'
import { ceiling, placesOf, unitOf } from '../../chaos/prices-amounts.js'
import { decimal, invoiceAtoms } from './amounts.js'

/** Decimal places of what follows from a price, at least (decisions 15). */
const LEAST_PLACES = { native: 6, token: 2 }
/** An amount has so many significant digits at least, where the coin has the places. */
const DIGITS = 4
/** Half a percent, by which an amount is raised at most, in so many steps. */
const RAISED_PART = 200n
const STEPS_MAX = 1000
/** A spread is in hundredths of a percent. */
const WHOLE = 10_000n

/** The coin of an option, by the networks of its wallets. */
export interface ModelCoin {
  readonly symbol: string
  readonly decimals: number
}

/** What an option costs. */
export interface ModelQuote {
  readonly amountText: string
  /** Atoms. */
  readonly amount: bigint
  readonly highest: bigint
  readonly decimals: number
  readonly rate: UsedRate | null
  readonly isFixed: boolean
}

/** What is known when an option is priced. */
export interface QuoteFacts {
  readonly price: Price
  readonly currency: string
  /** Null where it follows from the price. */
  readonly fixed: string | null
  /** The code of a refusal where its wallets have no one coin. */
  readonly coin: ModelCoin | string
  /** The price of a coin in a currency; null when there is none that may be used. */
  readonly inForce: (currency: string, symbol: string) => Omit<UsedRate, 'spread'> | null
  readonly spread: number
}

/** What an option costs, or the code of the refusal. */
export function quoteOf({ price, currency, fixed, coin, inForce, spread }: QuoteFacts): ModelQuote | string {
  if (typeof coin === 'string') return coin
  const least = Math.min(coin.decimals, currency === 'native' ? LEAST_PLACES.native : LEAST_PLACES.token)
  if (fixed !== null) {
    const amount = invoiceAtoms(fixed) ?? 0n
    const decimals = Math.min(coin.decimals, Math.max(least, placesOf(fixed)))
    return { amountText: fixed, amount, highest: amount, decimals, rate: null, isFixed: true }
  }
  const isSameCoin = price.currency === coin.symbol
  const found = isSameCoin ? null : inForce(price.currency, coin.symbol)
  if (!isSameCoin && found === null) return 'rate_unavailable'
  const rate = found === null ? null : { ...found, spread }
  const asked = invoiceAtoms(price.amount) ?? 0n
  // Atoms of the coin, as a fraction.
  const over = rate === null ? asked : asked * unitOf(0) * (WHOLE + BigInt(spread))
  const under = rate === null ? 1n : (invoiceAtoms(rate.rate) ?? 0n) * WHOLE
  let decimals = least
  while (decimals < coin.decimals && String(ceiling(over, under * unitOf(decimals))).length < DIGITS) decimals += 1
  const amount = ceiling(over, under * unitOf(decimals)) * unitOf(decimals)
  return {
    amountText: withPlaces(amount, decimals),
    amount,
    highest: amount + amount / RAISED_PART,
    decimals,
    rate,
    isFixed: false,
  }
}

/** The first amount from that of a quote on that nobody asks; null when it is more than half a percent away. */
export function firstFree(
  { amount, amountText, decimals, isFixed }: ModelQuote,
  isTaken: (atoms: bigint) => boolean,
): { readonly amount: bigint; readonly amountText: string } | null {
  if (isFixed) return isTaken(amount) ? null : { amount, amountText }
  for (let step = 0; step <= STEPS_MAX; step += 1) {
    const raised = amount + BigInt(step) * unitOf(decimals)
    if ((raised - amount) * RAISED_PART > amount) return null
    if (!isTaken(raised)) return { amount: raised, amountText: withPlaces(raised, decimals) }
  }
  return null
}

/** A decimal with all its places. */
function withPlaces(atoms: bigint, places: number): string {
  const [whole = '', fraction = ''] = decimal(atoms).split('.')
  return places === 0 ? whole : `${whole}.${fraction.padEnd(places, '0')}`
}
