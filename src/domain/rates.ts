import { byName, parseRate, RATES_MAX, type Rate, type RateRefusal, type RateSet } from './rate-set.js'

/*
 * Which rates are in force (decisions 15). A set that is accepted replaces the one before. A rate that jumps is held back until another
 * set says so; a coin that a set leaves out has no rate from then on. What is held back or left out is remembered, so that nothing comes
 * back without a comparison.
 */

/** How far apart two sets must be dated of which the second confirms a jump. */
const WITNESSES_APART_MS = 30_000
/** How long what a set has left out is remembered, for the comparison when it comes back. */
const LEFT_OUT_KEPT_MS = 24 * 60 * 60 * 1000
/** Rates of coins that were left out which are remembered; the oldest go first. */
const LEFT_OUT_MAX = RATES_MAX
/** What sources gave last that is remembered, for operators. */
export const RECEIPTS_MAX = 20
/** How much later than now a rate may be dated that is used: processes that share a store have clocks of their own. */
const CLOCKS_APART_MS = 2000
/** A jump is a setting in hundredths of a percent. */
const WHOLE = 10_000n

/** A rate that differs too much from the one before, until another set confirms it. */
export interface HeldRate {
  /** The date of the set that said so first: Unix ms. */
  readonly since: number
  /** The rate in that set, which later ones are compared with. */
  readonly first: string
  /** The rate in the present set. */
  readonly last: string
}

/** What is known of a coin's price in a currency. */
export interface KnownRate extends Rate {
  /** The date of the last set whose rate was accepted: Unix ms. */
  readonly at: number
  /** Null when the present set's rate was accepted, or when that set leaves the coin out. */
  readonly held: HeldRate | null
}

/** Where sets come from. */
export const RATE_ORIGINS = ['file', 'https', 'push', 'sandbox'] as const
export type RateOrigin = (typeof RATE_ORIGINS)[number]

/** What a source gave, and what became of it. */
export interface RateReceipt {
  /** Unix ms: when it came last, and how often the same came in a row. */
  readonly receivedAt: number
  readonly count: number
  readonly origin: RateOrigin
  /** The date of the set; null for what is none. */
  readonly at: number | null
  /** Null when the set was accepted. */
  readonly refusal: RateRefusal | null
  /** How many of its rates are held back, and how many coins it leaves out that had a rate. */
  readonly held: number
  readonly leftOut: number
}

/** All that is known of rates. */
export interface RateTable {
  /** The date of the present set: Unix ms; null before the first one. */
  readonly at: number | null
  /** In the order of their names. */
  readonly known: readonly KnownRate[]
  /** Newest first. */
  readonly receipts: readonly RateReceipt[]
}

export const NO_RATES: RateTable = { at: null, known: [], receipts: [] }

/** By what sets are judged. */
export interface RateTerms {
  /** How much a rate may differ from the one before, in hundredths of a percent; null: as much as it likes. */
  readonly jump: number | null
  /** How old a rate may be that is used, in ms. */
  readonly maxAgeMs: number
}

/** What becomes of a set. */
export type RateVerdict =
  | {
      readonly kind: 'accepted'
      /** What is held back now. */
      readonly held: readonly KnownRate[]
      /** What had a rate and has none any more, because the set leaves it out. */
      readonly leftOut: readonly KnownRate[]
    }
  /** The present set came again: it says nothing new, and confirms no jump. */
  | { readonly kind: 'repeated' }
  | { readonly kind: 'refused'; readonly refusal: RateRefusal }

/** What a set makes of a table. The receipt of the set is not in it yet. */
export interface JudgedSet {
  readonly table: RateTable
  readonly verdict: RateVerdict
}

export function judgeRates(table: RateTable, set: RateSet, terms: RateTerms, nowMs: number): JudgedSet {
  const refusal = refusalOf(table, set, terms, nowMs)
  if (refusal !== null) return { table, verdict: { kind: 'refused', refusal } }
  if (set.at === table.at) return { table, verdict: { kind: 'repeated' } }
  const before = new Map(table.known.map((known) => [nameOf(known), known]))
  const present = set.rates.map((rate) => next(before.get(nameOf(rate)), rate, set.at, terms))
  const named = new Set(present.map(nameOf))
  const missing = table.known.filter((known) => !named.has(nameOf(known)))
  const leftOut = missing.filter((known) => isPresent(known, table))
  const remembered = missing
    .filter(({ at }) => at >= set.at - LEFT_OUT_KEPT_MS)
    .map((known) => ({ ...known, held: null }))
    .sort((one, other) => other.at - one.at)
    .slice(0, LEFT_OUT_MAX)
  return {
    table: { ...table, at: set.at, known: [...present, ...remembered].sort(byName) },
    verdict: { kind: 'accepted', held: present.filter(({ held }) => held !== null), leftOut },
  }
}

/** The table with what became of something that a source gave. What repeats the receipt before it is counted there. */
export function withReceipt(table: RateTable, receipt: Omit<RateReceipt, 'count'>): RateTable {
  const [last, ...older] = table.receipts
  const isRepeated =
    last !== undefined && last.refusal !== null && last.origin === receipt.origin && last.at === receipt.at
      ? last.refusal.reason === receipt.refusal?.reason && last.refusal.detail === receipt.refusal.detail
      : false
  const receipts =
    isRepeated && last !== undefined
      ? [{ ...receipt, count: last.count + 1 }, ...older]
      : [{ ...receipt, count: 1 }, ...table.receipts].slice(0, RECEIPTS_MAX)
  return { ...table, receipts }
}

/** Why a pair has no rate: `unknown` (no set has named it), `old`, `held` (it jumped), `left_out` (the present set lacks it). */
type WhyNoRate = 'unknown' | 'old' | 'held' | 'left_out'

type RateInForce =
  /** `at`: the date of its set, Unix ms. */
  { readonly ok: true; readonly rate: string; readonly at: number } | { readonly ok: false; readonly why: WhyNoRate }

/**
 * The price of one coin in a currency at a moment. A coin is named by the symbol of its network or token. A price in the coin itself is
 * no question of rates: a pair that no set names has none.
 */
export function rateFor(table: RateTable, pair: Omit<Rate, 'rate'>, maxAgeMs: number, nowMs: number): RateInForce {
  const known = knownRate(table, pair)
  if (known === undefined) return { ok: false, why: 'unknown' }
  if (known.held !== null) return { ok: false, why: 'held' }
  if (known.at !== table.at) return { ok: false, why: 'left_out' }
  const ageMs = nowMs - known.at
  if (ageMs > maxAgeMs || ageMs < -CLOCKS_APART_MS) return { ok: false, why: 'old' }
  return { ok: true, rate: known.rate, at: known.at }
}

/** Every pair that is known, in the order of their names, with what is in force at a moment. */
export function ratesAt(
  table: RateTable,
  maxAgeMs: number,
  nowMs: number,
): readonly (KnownRate & { readonly now: RateInForce })[] {
  return table.known.map((known) => ({ ...known, now: rateFor(table, known, maxAgeMs, nowMs) }))
}

/** By halving: the pairs are in the order of their names, and there may be thousands. */
function knownRate({ known }: RateTable, pair: Omit<Rate, 'rate'>): KnownRate | undefined {
  let [low, high] = [0, known.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const one = known[middle]
    if (one !== undefined && byName(one, pair) < 0) low = middle + 1
    else high = middle
  }
  const found = known[low]
  return found !== undefined && byName(found, pair) === 0 ? found : undefined
}

/** Whether the present set of a table has a rate of the pair, be it one that is held back. */
export function isPresent(known: KnownRate, table: RateTable): boolean {
  return known.held !== null || known.at === table.at
}

/** Whether two rates differ by more than a part of the first, in hundredths of a percent. Exact. */
export function isJump(before: string, after: string, hundredths: number): boolean {
  const [from, to] = [unitsOf(before), unitsOf(after)]
  const difference = to > from ? to - from : from - to
  return difference * WHOLE > from * BigInt(hundredths)
}

function refusalOf(table: RateTable, set: RateSet, { maxAgeMs }: RateTerms, nowMs: number): RateRefusal | null {
  if (set.at > nowMs) return { reason: 'future', detail: `it is dated ${dateOf(set.at)}, later than now` }
  if (table.at !== null && set.at < table.at) {
    return { reason: 'older', detail: `it is dated ${dateOf(set.at)}, and the present set ${dateOf(table.at)}` }
  }
  if (set.at === table.at) {
    if (saysTheSame(table, set)) return null
    return { reason: 'contradiction', detail: 'it is dated as the present set is, and says something else' }
  }
  if (nowMs - set.at > maxAgeMs) {
    return { reason: 'outdated', detail: `it is dated ${dateOf(set.at)}: too long ago to be used` }
  }
  return null
}

function saysTheSame(table: RateTable, set: RateSet): boolean {
  const present = table.known.filter((known) => isPresent(known, table))
  if (present.length !== set.rates.length) return false
  // Both are in the order of their names.
  return present.every(({ currency, coin, rate, held }, i) => {
    const one = set.rates[i]
    return one?.currency === currency && one.coin === coin && one.rate === (held?.last ?? rate)
  })
}

/** What is known of a pair when a set names it. */
function next(
  before: KnownRate | undefined,
  { currency, coin, rate }: Rate,
  at: number,
  { jump }: RateTerms,
): KnownRate {
  const accepted: KnownRate = { currency, coin, rate, at, held: null }
  if (before === undefined || jump === null || !isJump(before.rate, rate, jump)) return accepted
  const { held } = before
  // In a row: each set since the first one has said so, or it would have begun again.
  if (held === null || isJump(held.first, rate, jump))
    return { ...before, held: { since: at, first: rate, last: rate } }
  return at - held.since >= WITNESSES_APART_MS ? accepted : { ...before, held: { ...held, last: rate } }
}

function nameOf({ currency, coin }: Omit<Rate, 'rate'>): string {
  return `${currency} ${coin}`
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString()
}

/** A rate that was checked when its set was read, and when it was read from the store. */
function unitsOf(text: string): bigint {
  const units = parseRate(text)
  if (units === null) throw new Error('a rate that is none was accepted')
  return units
}
