import type { Random } from './random.js'
import type { Profile } from './steps.js'

/** The currencies of a script. */
export const CURRENCIES = ['native', 'USDT'] as const
export type ScriptCurrency = (typeof CURRENCIES)[number]

/** How a script's invoices and deposits look. Money is where order matters most, so half of the scripts crowd it. */
export interface Habits {
  readonly owners: number
  readonly wallets: number
  /** Greatest amounts. Few make collisions likely, many let more invoices be unpaid at once. */
  readonly coinsMax: number
  readonly depositCoinsMax: number
  /** Share of invoices and deposits that go to the first wallet. */
  readonly crowding: number
  /** The one in which nearly everything is; null for both. */
  readonly currency: ScriptCurrency | null
  /** Whether nearly every invoice can be notified. */
  readonly isNotifying: boolean
  /** Share of deposits of just what an invoice misses. */
  readonly missing: number
  /** Share of receipts that are further than a few milliseconds from now. */
  readonly scatter: number
  /** Share of pauses that are longer than a few milliseconds. */
  readonly slowness: number
  /** Share of pauses in which the clock is set back. */
  readonly jumpiness: number
  /** Transactions that reports are about at a time, and the steps after which a new one comes. */
  readonly txWindow: number
  readonly txPace: number
  /**
   * Share of reports about a few transactions that are dropped and included again all the time, so that invoices are paid
   * and unpaid in turn. The others are then seldom confirmed, or what they pay would add up.
   */
  readonly wavering: number
  readonly dropped: number
  /** Share of invoices that expire. */
  readonly expiring: number
  /** Calls that are performed or told at once. */
  readonly groupMax: number
}

/** `currency` is that of a script with one. */
export function makeHabits(random: Random, currency: ScriptCurrency): Habits {
  const isCrowded = random.chance(0.5)
  return {
    owners: isCrowded ? random.pick([1, 1, 2]) : random.between(1, 3),
    wallets: isCrowded ? random.between(2, 3) : random.between(2, 8),
    coinsMax: random.pick([2, 4, 12, 40]),
    depositCoinsMax: random.pick([3, 5, 12, 40]),
    crowding: isCrowded ? random.pick([0.6, 0.8, 0.95]) : random.pick([0, 0.3]),
    currency: isCrowded || random.chance(0.3) ? currency : null,
    isNotifying: isCrowded || random.chance(0.3),
    missing: random.pick([0, 0.1, 0.35]),
    scatter: isCrowded ? random.pick([0, 0.1]) : random.pick([0.1, 0.4]),
    slowness: isCrowded ? random.pick([0, 0.02]) : random.pick([0.05, 0.3]),
    jumpiness: random.pick([0, 0.03, 0.1]),
    txWindow: random.pick([6, 12, 30]),
    txPace: random.pick([1, 2, 8]),
    wavering: isCrowded ? random.pick([0, 0.4, 0.7]) : random.pick([0, 0.3]),
    dropped: random.pick([0.5, 1.5, 4]),
    expiring: random.pick([0, 0.2, 0.6]),
    groupMax: random.pick([1, 3, 8, 64]),
  }
}

/** The bounds of the core: narrow ones are met often. */
export function makeProfile(random: Random): Omit<Profile, 'underpayment'> {
  const isNarrow = random.chance(0.3)
  return {
    attemptsMax: random.chance(0.6) ? 1 : random.between(2, 4),
    concurrency: random.pick([2, 4, 16, 256]),
    concurrencyPerDestination: random.pick([1, 2, 8]),
    mailboxCapacity: isNarrow ? random.between(2, 6) : 8192,
    totalCapacity: isNarrow ? random.between(6, 12) : 65_536,
    turnLimit: isNarrow ? random.between(1, 2) : random.pick([1, 3, 256]),
  }
}
