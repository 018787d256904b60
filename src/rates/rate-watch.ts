import type { Degradation } from '../domain/degradation.js'
import { NO_RATES, type RateTable, ratesAt } from '../domain/rates.js'
import type { Cancel, Scheduler } from '../scheduler.js'
import type { RatePort } from '../store/rates.js'

/** How often the rates of all processes are looked at. */
const LOOK_EVERY_MS = 1000
const MS_PER_SECOND = 1000
/** From which part of their greatest age on rates are reported as old: a quarter is left to act. */
const OLD_FROM = 0.75

export interface RateWatchParts {
  readonly rates: Pick<RatePort, 'current'>
  readonly maxAgeMs: number
  /** Unix ms. */
  readonly now: () => number
  readonly scheduler: Scheduler
}

/** How the rates are, for those who cannot wait for the store: health, metrics. */
export class RateWatch {
  private table: RateTable = NO_RATES
  private cancel: Cancel = () => {}
  private underWay: Promise<void> = Promise.resolve()
  private isStopped = false
  private hasLooked = false

  constructor(private readonly parts: RateWatchParts) {}

  start(): void {
    this.underWay = this.look()
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.cancel()
    await this.underWay
  }

  /** What is wrong with the rates, one sentence each: none is in force, they will soon be too old, some are held back. */
  complaints(): readonly Degradation[] {
    if (!this.hasLooked) return []
    const { maxAgeMs, now } = this.parts
    const { at } = this.table
    if (at === null) return [{ reason: 'rates_old', text: 'There are no rates: no set has come yet.' }]
    const ageMs = now() - at
    const complaints: Degradation[] = []
    if (ageMs >= maxAgeMs * OLD_FROM) {
      const [age, most] = [seconds(ageMs), seconds(maxAgeMs)]
      const text =
        ageMs > maxAgeMs
          ? `The rates are ${age} old and not used: ${most} are allowed.`
          : `The rates are ${age} old, and used up to ${most} only.`
      complaints.push({ reason: 'rates_old', text })
    }
    const held = this.table.known.filter((known) => known.held !== null)
    const [first] = held
    if (first !== undefined) {
      const others = held.length === 1 ? '' : ` and ${held.length - 1} more`
      const text = `The rate of ${first.coin} in ${first.currency}${others} is held back, because it jumped.`
      complaints.push({ reason: 'rates_held', text })
    }
    return complaints
  }

  /** How old the newest accepted rate in each currency is, in ms, and how many of its coins have none in force. */
  currencies(): readonly { readonly currency: string; readonly ageMs: number; readonly withheld: number }[] {
    const nowMs = this.parts.now()
    const byCurrency = new Map<string, { currency: string; ageMs: number; withheld: number }>()
    for (const { currency, at, now } of ratesAt(this.table, this.parts.maxAgeMs, nowMs)) {
      const one = byCurrency.get(currency) ?? { currency, ageMs: Number.POSITIVE_INFINITY, withheld: 0 }
      one.ageMs = Math.min(one.ageMs, Math.max(0, nowMs - at))
      if (!now.ok) one.withheld += 1
      byCurrency.set(currency, one)
    }
    return [...byCurrency.values()]
  }

  private async look(): Promise<void> {
    try {
      this.table = await this.parts.rates.current()
      this.hasLooked = true
    } catch {
      // The store is away, which others report. What was seen last gets older.
    }
    if (this.isStopped) return
    this.cancel = this.parts.scheduler.after(LOOK_EVERY_MS, () => {
      this.underWay = this.look()
    })
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / MS_PER_SECOND)} s`
}
