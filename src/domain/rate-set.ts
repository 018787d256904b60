/**
 * A set of rates as a source gives it (decisions 15): the price of one coin in each of several currencies. A rate is exact: its text is
 * kept as it was sent, and is compared and counted with as an integer. One bad value refuses the whole set.
 */

/** Currencies of a set, and coins of one currency. */
export const RATE_NAMES_MAX = 200
/** Rates of a set, all currencies together. */
export const RATES_MAX = 2000
/** Bytes of the text of a set. */
export const RATE_SET_BYTES_MAX = 1_048_576
/** Decimal places of a rate, and digits before its point. */
const RATE_DIGITS_MAX = 18

const RATE = new RegExp(`^[0-9]{1,${RATE_DIGITS_MAX}}(?:\\.[0-9]{1,${RATE_DIGITS_MAX}})?$`)
/** A currency of ISO 4217, or a coin in which a shop has its prices. */
const CURRENCY = /^[A-Z][A-Z0-9]{1,11}$/
/** The symbols of networks and tokens, which a file of networks may give. */
const COIN = /^[A-Za-z0-9.]{1,16}$/
/** The end of the year 9999: what is dated later cannot be written as a date. */
export const RATE_AT_MAX = 253_402_300_799_999
/** Names and values of others are quoted up to this length. */
const QUOTED_MAX = 40

/** Why nothing comes of what a source gave. */
export const RATE_REFUSALS = [
  /** The source gave nothing: it cannot be reached, or there is no file. */
  'unreachable',
  /** It answered with another status than 200. A redirect is one: none is followed. */
  'status',
  /** It is longer than a set may be, or did not end in time. */
  'too_long',
  /** It is not JSON, but a page for instance, or only a part. */
  'not_json',
  /** It is JSON, but no set of rates. */
  'not_a_set',
  /** One of its names or rates is none. */
  'bad_value',
  /** It is dated later than now. */
  'future',
  /** It is dated before the present set. */
  'older',
  /** It is dated so long ago that none of its rates would be used. */
  'outdated',
  /** It is dated as the present set is, and says something else. */
  'contradiction',
] as const
export type RateRefusalReason = (typeof RATE_REFUSALS)[number]

export interface RateRefusal {
  readonly reason: RateRefusalReason
  /** What is wrong, in the middle of a sentence. It quotes names and values of the set, shortened. */
  readonly detail: string
}

/** The price of one coin. */
export interface Rate {
  /** What it is a price in, such as `EUR`. */
  readonly currency: string
  /** The symbol of the coin: a network's own, or a token's. */
  readonly coin: string
  /** A decimal greater than zero, as the source wrote it. */
  readonly rate: string
}

export interface RateSet {
  /** When its rates held, as its source says: Unix ms. It is what a set is known by. */
  readonly at: number
  /** Each pair of currency and coin once, in the order of their names. */
  readonly rates: readonly Rate[]
}

export type ReadSet =
  | { readonly ok: true; readonly set: RateSet }
  | { readonly ok: false; readonly refusal: RateRefusal }

/** A rate in units of 10⁻¹⁸. Null for any text but a plain decimal greater than zero: no sign, exponent or space. */
export function parseRate(text: string): bigint | null {
  if (!RATE.test(text)) return null
  const [whole = '', fraction = ''] = text.split('.')
  const units = BigInt(whole + fraction.padEnd(RATE_DIGITS_MAX, '0'))
  return units === 0n ? null : units
}

/** Reads the text that a source gave: `{"at": <Unix ms>, "rates": {"EUR": {"USDT": "0.92"}}}`. Other fields beside these are ignored. */
export function readRateSet(text: string): ReadSet {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refused('not_json', 'it is not JSON, or only a part of it')
  }
  // Which of two values counts would be the parser's choice.
  if (namesIn(text) !== fieldsIn(value)) return refused('not_a_set', 'a name stands in it twice')
  return rateSetOf(value)
}

/** The same of a value that was parsed before. */
export function rateSetOf(value: unknown): ReadSet {
  if (!isObject(value)) return refused('not_a_set', 'it is not an object')
  const { at, rates } = value
  if (typeof at !== 'number' || !Number.isInteger(at) || at <= 0 || at > RATE_AT_MAX) {
    return refused('not_a_set', '"at" is not Unix milliseconds')
  }
  if (!isObject(rates)) return refused('not_a_set', '"rates" is not an object')
  const currencies = Object.entries(rates)
  if (currencies.length === 0) return refused('not_a_set', 'it has no rates')
  if (currencies.length > RATE_NAMES_MAX) return refused('not_a_set', `it has more than ${RATE_NAMES_MAX} currencies`)
  const found: Rate[] = []
  for (const [currency, coins] of currencies) {
    if (!CURRENCY.test(currency)) return refused('bad_value', `${quoted(currency)} is not the name of a currency`)
    if (!isObject(coins)) return refused('bad_value', `the rates in ${currency} are not an object`)
    const entries = Object.entries(coins)
    if (entries.length === 0) return refused('bad_value', `there is no rate in ${currency}`)
    if (entries.length > RATE_NAMES_MAX)
      return refused('not_a_set', `${currency} has more than ${RATE_NAMES_MAX} coins`)
    for (const [coin, rate] of entries) {
      if (!COIN.test(coin)) return refused('bad_value', `${quoted(coin)} is not the symbol of a coin`)
      if (typeof rate !== 'string') return refused('bad_value', `the rate of ${coin} in ${currency} is not a string`)
      if (parseRate(rate) === null) {
        const what = `is ${quoted(rate)}, not a plain decimal greater than zero with at most ${RATE_DIGITS_MAX} places`
        return refused('bad_value', `the rate of ${coin} in ${currency} ${what}`)
      }
      found.push({ currency, coin, rate })
      if (found.length > RATES_MAX) return refused('not_a_set', `it has more than ${RATES_MAX} rates`)
    }
  }
  return { ok: true, set: { at, rates: found.sort(byName) } }
}

/** The order of rates: by the names of currency and coin. */
export function byName(one: Omit<Rate, 'rate'>, other: Omit<Rate, 'rate'>): number {
  return compare(one.currency, other.currency) || compare(one.coin, other.coin)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function refused(reason: RateRefusalReason, detail: string): Extract<ReadSet, { ok: false }> {
  return { ok: false, refusal: { reason, detail } }
}

/** A text of others, short and in quotation marks. */
function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** How many names stand in a text of JSON: strings before a colon. */
function namesIn(text: string): number {
  let names = 0
  let at = text.indexOf('"')
  while (at !== -1) {
    at = endOfString(text, at + 1)
    if (isBeforeColon(text, at)) names += 1
    at = text.indexOf('"', at)
  }
  return names
}

/** Behind the quotation mark that ends a string. */
function endOfString(text: string, from: number): number {
  let at = from
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function isBeforeColon(text: string, from: number): boolean {
  let at = from
  while (/\s/.test(text[at] ?? '')) at += 1
  return text[at] === ':'
}

/** How many fields the objects in a value have. Values may be nested deeply, so it does not call itself. */
function fieldsIn(value: unknown): number {
  let fields = 0
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (typeof one !== 'object' || one === null) continue
    const inside: readonly unknown[] = Object.values(one)
    if (!Array.isArray(one)) fields += inside.length
    for (const part of inside) waiting.push(part)
  }
  return fields
}
