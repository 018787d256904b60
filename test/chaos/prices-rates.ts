import { atomsOf } from './shop-amounts.js'

/*
 * Which rate may sell, by decisions 15 alone. Rates are in units of 10⁻¹⁸.
 */

/** A currency and a coin, as `EUR ETH`. */
export type Pair = string

export interface RateSet {
  /** Unix milliseconds. */
  readonly at: number
  /** Decimals, as the set has them. */
  readonly rates: ReadonlyMap<Pair, string>
}

export interface RateInForce {
  readonly rate: string
  readonly at: number
}

export interface RateTerms {
  /** Percent. */
  readonly jump: number
  readonly maxAgeMs: number
}

/** Sets in a row that say so are at least so far apart. */
const APART_MS = 30_000
/** How long what a set leaves out is remembered (docs/rates.md). */
const KEPT_MS = 24 * 60 * 60 * 1000
const HUNDRED = 100n

export class RatesModel {
  private present: RateSet | null = null
  /** The last rate of each pair that was not held back, with the date of its set. */
  private readonly accepted = new Map<Pair, RateInForce>()
  /** What is held back: what the first set of the row said, and when. */
  private readonly held = new Map<Pair, RateInForce>()

  constructor(private readonly terms: RateTerms) {}

  /** What becomes of a set; null stands for one with a bad value. */
  take(set: RateSet | null, nowMs: number): 'accepted' | 'repeated' | 'refused' {
    const { present } = this
    if (set === null || set.at > nowMs) return 'refused'
    if (present !== null && set.at === present.at) return isSame(set, present) ? 'repeated' : 'refused'
    if (present !== null && set.at < present.at) return 'refused'
    if (nowMs - set.at > this.terms.maxAgeMs) return 'refused'
    for (const pair of this.held.keys()) if (!set.rates.has(pair)) this.held.delete(pair)
    for (const [pair, rate] of set.rates) this.takeRate(pair, rate, set.at)
    for (const [pair, { at }] of this.accepted) {
      if (!set.rates.has(pair) && at < set.at - KEPT_MS) this.accepted.delete(pair)
    }
    this.present = set
    return 'accepted'
  }

  /** Null when nothing may be sold by it. */
  inForce(pair: Pair, nowMs: number): RateInForce | null {
    const { present } = this
    const rate = present?.rates.get(pair)
    if (present === null || rate === undefined || this.held.has(pair)) return null
    return nowMs - present.at > this.terms.maxAgeMs ? null : { rate, at: present.at }
  }

  /** All pairs of which there is one. */
  all(nowMs: number): ReadonlyMap<Pair, string> {
    const pairs = [...(this.present?.rates.keys() ?? [])].sort()
    return new Map(
      pairs.flatMap((pair) => {
        const found = this.inForce(pair, nowMs)
        return found === null ? [] : [[pair, found.rate]]
      }),
    )
  }

  get heldBack(): number {
    return this.held.size
  }

  private takeRate(pair: Pair, rate: string, at: number): void {
    const before = this.accepted.get(pair)
    const first = this.held.get(pair)
    const isLike = (other: string) => !this.isJump(other, rate)
    if (before !== undefined && !isLike(before.rate)) {
      if (first === undefined || !isLike(first.rate)) {
        this.held.set(pair, { rate, at })
        return
      }
      if (at - first.at < APART_MS) return
    }
    this.held.delete(pair)
    this.accepted.set(pair, { rate, at })
  }

  private isJump(before: string, after: string): boolean {
    const [from, to] = [atomsOf(before), atomsOf(after)]
    const moved = to > from ? to - from : from - to
    return moved * HUNDRED > from * BigInt(this.terms.jump)
  }
}

function isSame(one: RateSet, other: RateSet): boolean {
  if (one.rates.size !== other.rates.size) return false
  return [...one.rates].every(([pair, rate]) => other.rates.get(pair) === rate)
}
