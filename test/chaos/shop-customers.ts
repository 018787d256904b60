import type { Random } from '../simulation/random.js'
import type { Coin } from './shop-model.js'

/** Steps in a day. */
export const STEPS_A_DAY = 8
export const STEP_MS = (24 / STEPS_A_DAY) * 60 * 60 * 1000
const MILLION = 1_000_000n
const FEE = MILLION
/** What somebody sends who takes one coin for the other. */
const WRONG: Readonly<Record<Coin, bigint>> = { USDT: 90n * MILLION, native: 25n * MILLION }

/** What customers do, and how often. */
const HABITS = {
  exact: 24,
  'exchange fee, accepted': 5,
  'exchange fee, then the rest': 4,
  'exchange fee, and no more': 3,
  'too much': 4,
  twice: 4,
  'in two parts': 6,
  late: 6,
  'later than the next order': 5,
  'too late for anybody': 2,
  'wrong coin': 4,
  'wrong coin, then the right one': 3,
  abandoned: 9,
  cancelled: 4,
  'cancelled, and paid': 4,
  'dust before': 3,
  'of the last minute': 5,
} as const
export type Habit = keyof typeof HABITS

/** What happens with an order: how many steps after its creation. */
export type Plan =
  | { readonly step: number; readonly act: 'pay'; readonly units: bigint; readonly coin: Coin; readonly wallet: number }
  | { readonly step: number; readonly act: 'accept' | 'void' }

/** An order as its customer sees it. */
export interface Ordered {
  readonly coin: Coin
  /** In millionths, rounded up. */
  readonly units: bigint
  readonly wallets: number
  /** It expires between this step after its creation and the one before. */
  readonly expiresAfter: number
  readonly lateDays: number
}

export function habitOf(random: Random): Habit {
  return random.weighted(HABITS)
}

/** What becomes of an order. */
export function planOf(habit: Habit, order: Ordered, random: Random): readonly Plan[] {
  const { coin, units, expiresAfter, lateDays } = order
  const last = expiresAfter - 1
  const inTime = random.between(1, last)
  const pay = (step: number, paid: bigint, other: Coin = coin): Plan => {
    return { step, act: 'pay', units: paid > 0n ? paid : 1n, coin: other, wallet: random.below(order.wallets) }
  }
  const wrong = (step: number) => pay(step, WRONG[coin], coin === 'USDT' ? 'native' : 'USDT')
  const part = (units * BigInt(random.between(10, 90))) / 100n
  switch (habit) {
    case 'exact':
      return [pay(inTime, units)]
    case 'exchange fee, accepted':
      return [pay(1, units - FEE), { step: random.between(1, last), act: 'accept' }]
    case 'exchange fee, then the rest':
      return [pay(1, units - FEE), pay(random.between(1, expiresAfter + 2), FEE)]
    case 'exchange fee, and no more':
      return [pay(inTime, units - FEE)]
    case 'too much':
      return [pay(inTime, units + 3n * FEE)]
    case 'twice':
      return [pay(inTime, units), pay(inTime + random.below(12), units)]
    case 'in two parts':
      return [pay(1, part), pay(random.between(1, last), units - part)]
    case 'late':
      return [pay(expiresAfter + random.below(3), units)]
    case 'later than the next order':
      return [pay(expiresAfter + random.between(4, 3 * STEPS_A_DAY), units)]
    case 'too late for anybody':
      return [pay(expiresAfter + (lateDays + 1) * STEPS_A_DAY, units)]
    case 'wrong coin':
      return [wrong(inTime)]
    case 'wrong coin, then the right one':
      return [wrong(1), pay(last, units)]
    case 'abandoned':
      return []
    case 'cancelled':
      return [{ step: random.between(0, last), act: 'void' }]
    case 'cancelled, and paid':
      return [{ step: 0, act: 'void' }, pay(random.between(1, expiresAfter + 2), units)]
    case 'dust before':
      return [pay(1, 1n), pay(last, units)]
    case 'of the last minute':
      return [pay(last, units)]
  }
}
