import type { Random } from '../simulation/random.js'

/** What payers and shops do with an order, and how often. */
const HABITS = {
  exact: 20,
  'in two coins': 14,
  'in three parts': 6,
  'both coins at once': 7,
  'to a void option': 5,
  twice: 5,
  'too much': 5,
  short: 5,
  'short of a fee': 6,
  'short of a fee in two coins': 5,
  'short, accepted': 4,
  late: 7,
  'the rest late': 6,
  'too late for anybody': 2,
  cancelled: 2,
  'cancelled, and paid': 3,
  'a part, cancelled': 3,
  'paid, then cancelled': 2,
  'an option cancelled': 5,
  'dust before and after': 4,
  'in a coin of its own': 3,
  abandoned: 7,
} as const
export type Habit = keyof typeof HABITS

/** What somebody sends, of one of the options. */
export interface PaymentPlan {
  readonly act: 'pay'
  /** Minutes of trade after the creation. */
  readonly after: number
  readonly option: number
  /** A percentage of the option's amount, what the order misses then or most of it, the smallest unit, or a coin that nobody asked for. */
  readonly what: number | 'rest' | 'most' | 'dust' | 'stray'
}

/** What the shop does with an order, or with one of its options alone. */
export type EndPlan =
  | { readonly act: 'void' | 'accept'; readonly after: number }
  | { readonly act: 'void-option'; readonly after: number; readonly option: number }

/** What becomes of an order. */
export type Plan = PaymentPlan | EndPlan

/** Of trade, so that an order is over by then. */
const OVER = 17
/** Longer than late deposits are told. */
const FORGOTTEN_DAYS = 5

export function habitOf(random: Random): Habit {
  return random.weighted(HABITS)
}

/** `options`: how many there are. `minutesADay`: of trade. */
export function planOf(habit: Habit, options: number, minutesADay: number, random: Random): readonly Plan[] {
  const first = random.below(options)
  const other = (first + 1) % options
  const third = (first + 2) % options
  const soon = random.between(1, 5)
  const later = soon + random.between(3, 7)
  const pay = (after: number, option: number, what: PaymentPlan['what']): Plan => ({ act: 'pay', after, option, what })
  const part = random.between(5, 95)
  switch (habit) {
    case 'exact':
      return [pay(soon, first, 100)]
    case 'in two coins':
      return [pay(soon, first, part), pay(later, other, 'rest')]
    case 'in three parts':
      return [pay(soon, first, 33), pay(soon, other, 33), pay(later, third, 'rest')]
    case 'both coins at once':
      return [pay(soon, first, 100), pay(soon, other, 100)]
    case 'to a void option':
      return [pay(soon, first, 100), pay(later, other, random.pick([100, part]))]
    case 'twice':
      return [pay(soon, first, 100), pay(soon + random.below(9), first, 100)]
    case 'too much':
      return [pay(soon, first, 100 + random.between(1, 60))]
    case 'short':
      return [pay(soon, first, random.between(80, 94))]
    case 'short of a fee':
      return [
        pay(soon, first, random.between(94, 99)),
        pay(later, other, random.pick<PaymentPlan['what']>([part, 'rest'])),
      ]
    case 'short of a fee in two coins':
      return [pay(soon, first, part), pay(later, other, 'most')]
    case 'short, accepted':
      return [pay(soon, first, 90), { act: 'accept', after: later }, pay(later + 2, other, part)]
    case 'late':
      return [pay(OVER + random.below(40), first, 100)]
    case 'the rest late':
      return [pay(soon, first, part), pay(OVER + random.below(20), other, 'rest')]
    case 'too late for anybody':
      return [pay(FORGOTTEN_DAYS * minutesADay, first, 100)]
    case 'cancelled':
      return [
        { act: 'void', after: soon },
        { act: 'accept', after: later },
      ]
    case 'cancelled, and paid':
      return [{ act: 'void', after: soon }, pay(later, first, 100)]
    case 'a part, cancelled':
      return [pay(soon, first, part), { act: 'void', after: later }, pay(later + 1, other, 'rest')]
    case 'paid, then cancelled':
      return [pay(soon, first, 100), { act: 'void', after: soon + random.below(3) }]
    case 'an option cancelled':
      return [
        ...random.pick<readonly Plan[]>([[], [pay(soon, random.pick([first, other]), random.pick([part, 100]))]]),
        { act: 'void-option', after: soon + random.below(3), option: first },
        pay(later, random.pick([first, other]), random.pick<PaymentPlan['what']>(['rest', 100])),
      ]
    case 'dust before and after':
      return [pay(soon, first, 'dust'), pay(later, first, 100), pay(later + 4, other, 'dust')]
    case 'in a coin of its own':
      return [pay(soon, first, 'stray')]
    case 'abandoned':
      return []
  }
}
