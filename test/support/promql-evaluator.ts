import assert from 'node:assert/strict'
import type { Sample } from './exposition.js'

/** What a collector has at a time. */
export interface Scrape {
  readonly atMs: number
  readonly samples: readonly Sample[]
}

type Labels = Readonly<Record<string, string>>
interface Element {
  readonly labels: Labels
  readonly value: number
}
type Value = number | readonly Element[]

/** A series within a range, oldest first. */
interface Series {
  readonly labels: Labels
  readonly points: readonly { readonly atMs: number; readonly value: number }[]
}

/** A value that was not scraped for so long is gone. */
const LOOKBACK_MS = 5 * 60_000
const MS_PER_SECOND = 1000
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const TOKEN = /\s*("[^"]*"|[a-zA-Z_:][\w:]*|\d+(?:\.\d+)?(?:e\d+)?[smhd]?|=~|!~|!=|==|>=|<=|[-+*/(){}[\],=<>])/y
const COMPARISONS = new Set(['==', '!=', '>', '<', '>=', '<='])

export function durationMs(text: string): number {
  const [, count = '', unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? assert.fail(`no duration: ${text}`)
  return Number(count) * (UNIT_MS[unit] ?? 0)
}

/**
 * Evaluates an expression at a time on what was scraped. It knows what the rules of `deploy/prometheus` need of Prometheus' language.
 * Increases are those between the samples of the range: Prometheus extrapolates them to its ends.
 */
export function evaluate(expression: string, scrapes: readonly Scrape[], atMs: number): readonly Element[] {
  const value = new Evaluation(tokensOf(expression), scrapes, atMs).whole()
  return typeof value === 'number' ? [{ labels: {}, value }] : value
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (text.slice(TOKEN.lastIndex).trim() !== '') {
    const at = TOKEN.lastIndex
    const [, token] = TOKEN.exec(text) ?? assert.fail(`cannot be read: ${text.slice(at)}`)
    tokens.push(token ?? '')
  }
  return tokens
}

class Evaluation {
  private next = 0

  constructor(
    private readonly tokens: readonly string[],
    private readonly scrapes: readonly Scrape[],
    private readonly atMs: number,
  ) {}

  whole(): Value {
    const value = this.alternatives()
    assert.equal(this.next, this.tokens.length, `cannot be read: ${this.tokens.slice(this.next).join(' ')}`)
    return value
  }

  private peek(): string {
    return this.tokens[this.next] ?? ''
  }

  private take(expected?: string): string {
    const token = this.peek()
    if (expected !== undefined) assert.equal(token, expected)
    this.next += 1
    return token
  }

  private isNext(...tokens: readonly string[]): boolean {
    return tokens.includes(this.peek())
  }

  private alternatives(): Value {
    let left = this.conjunctions()
    while (this.isNext('or')) {
      this.take()
      const [one, other] = [vector(left), vector(this.conjunctions())]
      const known = new Set(one.map(({ labels }) => keyOf(labels)))
      left = [...one, ...other.filter(({ labels }) => !known.has(keyOf(labels)))]
    }
    return left
  }

  private conjunctions(): Value {
    let left = this.comparison()
    while (this.isNext('and', 'unless')) {
      const isWanted = this.take() === 'and'
      const on = this.isNext('on') ? this.names('on') : null
      const [one, other] = [vector(left), vector(this.comparison())]
      const known = new Set(other.map(({ labels }) => keyOf(labels, on)))
      left = one.filter(({ labels }) => known.has(keyOf(labels, on)) === isWanted)
    }
    return left
  }

  private comparison(): Value {
    const left = this.sum()
    if (!COMPARISONS.has(this.peek())) return left
    const operator = this.take()
    const right = this.sum()
    return pairs(left, right).flatMap(([element, other]) => (holds(operator, element.value, other) ? [element] : []))
  }

  private sum(): Value {
    let left = this.product()
    while (this.isNext('+', '-')) left = this.calculated(left, this.take(), this.product())
    return left
  }

  private product(): Value {
    let left = this.operand()
    while (this.isNext('*', '/')) left = this.calculated(left, this.take(), this.operand())
    return left
  }

  private calculated(left: Value, operator: string, right: Value): Value {
    const results = (one: number, other: number) =>
      ({ '+': one + other, '-': one - other, '*': one * other, '/': one / other })[operator] ?? Number.NaN
    if (typeof left === 'number' && typeof right === 'number') return results(left, right)
    if (typeof left === 'number') return vector(right).map((one) => ({ ...one, value: results(left, one.value) }))
    return pairs(left, right).map(([one, other]) => ({ labels: one.labels, value: results(one.value, other) }))
  }

  private operand(): Value {
    if (this.isNext('(')) {
      this.take()
      const value = this.alternatives()
      this.take(')')
      return value
    }
    const name = this.take()
    if (/^\d/.test(name)) return Number(name)
    if (name === 'sum' || name === 'count') return this.aggregated(name)
    return this.isNext('(') ? this.called(name) : this.instant(this.selector(name))
  }

  private aggregated(name: 'sum' | 'count'): Value {
    const by = this.isNext('by') ? this.names('by') : []
    const groups = new Map<string, Element>()
    this.take('(')
    for (const { labels, value } of vector(this.alternatives())) {
      const kept = only(labels, by)
      groups.set(keyOf(kept), {
        labels: kept,
        value: (groups.get(keyOf(kept))?.value ?? 0) + (name === 'sum' ? value : 1),
      })
    }
    this.take(')')
    return [...groups.values()]
  }

  private called(name: string): Value {
    this.take('(')
    const value = this.result(name)
    this.take(')')
    return value
  }

  private result(name: string): Value {
    switch (name) {
      case 'time':
        return this.atMs / MS_PER_SECOND
      case 'absent':
        return vector(this.alternatives()).length === 0 ? [{ labels: {}, value: 1 }] : []
      case 'histogram_quantile': {
        const quantile = Number(this.take())
        this.take(',')
        return quantiles(quantile, vector(this.alternatives()))
      }
      case 'increase':
        return this.overRange(({ points }) => (points.length < 2 ? null : increaseOf(points)))
      case 'rate':
        return this.overRange(({ points }) => {
          const [first, last] = [points[0], points.at(-1)]
          if (first === undefined || last === undefined || first === last) return null
          return (increaseOf(points) * MS_PER_SECOND) / (last.atMs - first.atMs)
        })
      case 'delta':
        return this.overRange(({ points }) =>
          points.length < 2 ? null : (points.at(-1)?.value ?? 0) - (points[0]?.value ?? 0),
        )
      case 'min_over_time':
        return this.overRange(({ points }) => Math.min(...points.map(({ value }) => value)))
      case 'max_over_time':
        return this.overRange(({ points }) => Math.max(...points.map(({ value }) => value)))
      default:
        return assert.fail(`there is no ${name}`)
    }
  }

  private overRange(read: (series: Series) => number | null): Value {
    const matches = this.selector(this.take())
    this.take('[')
    const rangeMs = durationMs(this.take())
    this.take(']')
    return this.series(matches, rangeMs, this.offset()).flatMap((series) => {
      const value = read(series)
      return value === null ? [] : [{ labels: without(series.labels, '__name__'), value }]
    })
  }

  private instant(matches: (sample: Sample) => boolean): Value {
    return this.series(matches, LOOKBACK_MS, this.offset()).map(({ labels, points }) => {
      return { labels: without(labels, '__name__'), value: points.at(-1)?.value ?? Number.NaN }
    })
  }

  private offset(): number {
    if (!this.isNext('offset')) return 0
    this.take()
    return durationMs(this.take())
  }

  private series(matches: (sample: Sample) => boolean, rangeMs: number, offsetMs: number): readonly Series[] {
    const found = new Map<string, { readonly labels: Labels; readonly points: { atMs: number; value: number }[] }>()
    const end = this.atMs - offsetMs
    for (const { atMs, samples } of this.scrapes) {
      if (atMs > end || atMs < end - rangeMs) continue
      for (const sample of samples.filter(matches)) {
        const labels = { __name__: sample.name, ...sample.labels }
        // Names are part of what tells series apart, and no label that elements are matched by.
        const key = `${sample.name}${keyOf(sample.labels)}`
        const series = found.get(key) ?? { labels, points: [] as { atMs: number; value: number }[] }
        found.set(key, series)
        series.points.push({ atMs, value: sample.value })
      }
    }
    return [...found.values()]
  }

  private selector(name: string): (sample: Sample) => boolean {
    const tests: ((labels: Labels) => boolean)[] = []
    if (this.isNext('{')) {
      this.take()
      while (!this.isNext('}')) {
        const label = this.take()
        const operator = this.take()
        const text = this.take().slice(1, -1)
        const whole = new RegExp(`^(?:${text})$`)
        tests.push((labels) => {
          const value = labels[label] ?? ''
          const isEqual = operator.includes('~') ? whole.test(value) : value === text
          return isEqual === !operator.startsWith('!')
        })
        if (this.isNext(',')) this.take()
      }
      this.take()
    }
    return (sample) => sample.name === name && tests.every((test) => test(sample.labels))
  }

  private names(keyword: string): readonly string[] {
    const names: string[] = []
    this.take(keyword)
    this.take('(')
    while (!this.isNext(')')) {
      names.push(this.take())
      if (this.isNext(',')) this.take()
    }
    this.take()
    return names
  }
}

function vector(value: Value): readonly Element[] {
  return typeof value === 'number' ? assert.fail('a number stands for a vector') : value
}

/** Each element of the left with the value on the right of the same labels. */
function pairs(left: Value, right: Value): readonly (readonly [Element, number])[] {
  if (typeof right === 'number') return vector(left).map((one) => [one, right])
  const known = new Map(right.map(({ labels, value }) => [keyOf(labels), value]))
  return vector(left).flatMap((one) => {
    const other = known.get(keyOf(one.labels))
    return other === undefined ? [] : [[one, other] as const]
  })
}

function holds(operator: string, one: number, other: number): boolean {
  switch (operator) {
    case '==':
      return one === other
    case '!=':
      return one !== other
    case '>':
      return one > other
    case '<':
      return one < other
    case '>=':
      return one >= other
    default:
      return one <= other
  }
}

/** What a counter has gained; one that is less than before has begun anew. */
function increaseOf(points: Series['points']): number {
  return points.slice(1).reduce((sum, { value }, i) => {
    const before = points[i]?.value ?? 0
    return sum + (value < before ? value : value - before)
  }, 0)
}

function quantiles(quantile: number, buckets: readonly Element[]): readonly Element[] {
  const groups = new Map<string, { labels: Labels; bounds: { le: number; count: number }[] }>()
  for (const { labels, value } of buckets) {
    const kept = without(labels, 'le')
    const group = groups.get(keyOf(kept)) ?? { labels: kept, bounds: [] }
    groups.set(keyOf(kept), group)
    const le = labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels['le'])
    group.bounds.push({ le, count: value })
  }
  return [...groups.values()].flatMap(({ labels, bounds }) => {
    const sorted = bounds.toSorted((a, b) => a.le - b.le)
    const total = sorted.at(-1)?.count ?? 0
    const at = sorted.findIndex(({ count }) => count >= quantile * total)
    const [bucket, before] = [sorted[at], sorted[at - 1]]
    if (total === 0 || bucket === undefined) return []
    if (bucket.le === Number.POSITIVE_INFINITY) return [{ labels, value: before?.le ?? 0 }]
    const [low, below] = [before?.le ?? 0, before?.count ?? 0]
    return [{ labels, value: low + ((bucket.le - low) * (quantile * total - below)) / (bucket.count - below) }]
  })
}

function keyOf(labels: Labels, on: readonly string[] | null = null): string {
  const kept = on === null ? without(labels, '__name__') : only(labels, on)
  return JSON.stringify(Object.entries(kept).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function only(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => names.includes(name)))
}

function without(labels: Labels, name: string): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([one]) => one !== name))
}
