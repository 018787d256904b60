import type { Random } from '../simulation/random.js'
import type { Pair, RateSet } from './prices-rates.js'
import { atomsOf, decimalOf } from './shop-amounts.js'

/** What the source of rates pushes. */
export interface Push {
  readonly body: string
  /** Null when one of its values is bad. */
  readonly set: RateSet | null
}

/** What rates are at first. */
const PRICES: Readonly<Record<Pair, string>> = {
  'EUR USDT': '0.92',
  'EUR USDC': '0.9203',
  'EUR ETH': '2950.1',
  'EUR BNB': '611.25',
  'EUR TRX': '0.2511',
  'USD USDT': '1.0003',
  'USD USDC': '0.9999',
  'USD ETH': '3206.63',
  'USD BNB': '664.4',
  'USD TRX': '0.2729',
}
const BAD_VALUES = ['"0"', '"-0.92"', '"1e400"', '0.92', '""', 'null', '"0,92"', '"NaN"', '" 0.92"'] as const

/** What a source does in a minute, and how often. */
const MOODS = {
  move: 60,
  jump: 4,
  'jump, confirmed too soon': 2,
  'to the edge': 2,
  'lie once': 5,
  'lie twice otherwise': 2,
  'leave a coin out': 3,
  stall: 3,
  'again and again': 3,
  'bad value': 3,
  future: 2,
  older: 2,
  'long ago': 2,
  contradict: 2,
} as const

const SECOND_MS = 1000
/** Longer than a rate may be used. */
const STALL_MINUTES = 12
const HOUR_MS = 3_600_000
/** Places to which what moves is rounded. */
const PLACES = 12n

/** A source of rates that is mostly right, and minute by minute may be slow, wrong or absurd. */
export class PricesSource {
  /** How often it did what. */
  readonly moods = new Map<string, number>()
  private readonly prices = new Map<Pair, bigint>(Object.entries(PRICES).map(([pair, price]) => [pair, atomsOf(price)]))
  private lastAt = 0
  private last: Push | null = null
  /** Minutes for which it says nothing. */
  private silent = 0
  /** Minutes for which pairs are left out. */
  private readonly absent = new Map<Pair, number>()

  constructor(private readonly random: Random) {}

  /** What it pushes in this minute. */
  tick(nowMs: number): readonly Push[] {
    if (this.silent > 0) {
      this.silent -= 1
      return []
    }
    const mood = this.random.weighted(MOODS)
    this.moods.set(mood, (this.moods.get(mood) ?? 0) + 1)
    this.move()
    const { random } = this
    const pair = this.anyPair()
    const price = this.prices.get(pair) ?? 0n
    switch (mood) {
      case 'move':
        return [this.honest(nowMs)]
      case 'jump':
        this.prices.set(pair, random.chance(1 / 2) ? price * 2n : price / 2n)
        return [this.honest(nowMs)]
      case 'jump, confirmed too soon':
        this.prices.set(pair, (price * 5n) / 4n)
        return [this.honest(nowMs - 12 * SECOND_MS), this.honest(nowMs)]
      case 'to the edge': {
        // Just as much as may be, and one more: from what was said last.
        const said = this.last?.set?.rates.get(pair)
        if (said !== undefined) this.prices.set(pair, (atomsOf(said) * 11n) / 10n + BigInt(random.below(2)))
        return [this.honest(nowMs)]
      }
      case 'lie once':
        return [this.honest(nowMs, new Map([[pair, price * 3n]]))]
      case 'lie twice otherwise':
        return [
          this.honest(nowMs - 40 * SECOND_MS, new Map([[pair, price * 3n]])),
          this.honest(nowMs, new Map([[pair, price / 3n]])),
        ]
      case 'leave a coin out':
        this.absent.set(pair, random.between(1, 3))
        return [this.honest(nowMs)]
      case 'stall':
        this.silent = STALL_MINUTES
        return []
      case 'again and again':
        this.silent = random.between(1, 3)
        return this.last === null ? [] : [this.last, this.last, this.last]
      case 'bad value':
        return [this.bad(nowMs, pair)]
      case 'future':
        return [this.dated(nowMs + HOUR_MS)]
      case 'older':
        return [this.dated(this.lastAt - 1 - random.below(60_000))]
      case 'long ago':
        return [this.dated(nowMs - 24 * HOUR_MS)]
      case 'contradict':
        return this.last === null ? [] : [this.dated(this.lastAt)]
    }
  }

  private anyPair(): Pair {
    const pairs = [...this.prices.keys()]
    return pairs[this.random.below(pairs.length)] ?? ''
  }

  /** Each by half a percent at most. */
  private move(): void {
    for (const [pair, price] of this.prices) {
      const moved = (price * BigInt(10_000 + this.random.between(-50, 50))) / 10_000n
      this.prices.set(pair, moved - (moved % 10n ** PLACES))
    }
  }

  /** A set of now, or of a moment ago, that is newer than the last. */
  private honest(nowMs: number, lies: ReadonlyMap<Pair, bigint> = new Map()): Push {
    this.lastAt = Math.max(this.lastAt + 1, nowMs - 1 - this.random.below(SECOND_MS))
    const rates = new Map<Pair, string>()
    for (const [pair, price] of this.prices) {
      const minutes = this.absent.get(pair) ?? 0
      if (minutes > 0) this.absent.set(pair, minutes - 1)
      else rates.set(pair, decimalOf(lies.get(pair) ?? price))
    }
    this.last = pushOf({ at: this.lastAt, rates })
    return this.last
  }

  /** A set whose date is wrong, with other rates than the last one. */
  private dated(at: number): Push {
    const rates = new Map([...this.prices].map(([pair, price]) => [pair, decimalOf(price * 7n)]))
    return pushOf({ at, rates })
  }

  private bad(nowMs: number, pair: Pair): Push {
    const [currency = '', coin = ''] = pair.split(' ')
    const value = this.random.pick([BAD_VALUES[0], ...BAD_VALUES])
    const rates = `{"${currency}":{"${coin}":${value},"OTHER":"1.5"}}`
    return { body: `{"at":${nowMs - 1},"rates":${rates}}`, set: null }
  }
}

function pushOf(set: RateSet): Push {
  const rates: Record<string, Record<string, string>> = {}
  for (const [pair, rate] of set.rates) {
    const [currency = '', coin = ''] = pair.split(' ')
    rates[currency] = { ...rates[currency], [coin]: rate }
  }
  return { body: JSON.stringify({ at: set.at, rates }), set }
}
