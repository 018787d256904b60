import { parseFormattedAmount, smallestUnit } from './amount.js'
import type { Portion } from './order-share.js'
import type { QualifyingDeposit } from './payment.js'

/*
 * What an order has received too much, and in which coin (decisions 15): what came after it was whole, in the coins in which it came,
 * and of the deposit that made it whole what was more than it took. So each unit is too much once, and in no other coin.
 */

/** An option of an order with its money, and as much as is known of the deposits that it is the sum of. */
export interface PaidOption extends Portion {
  /** Decimal places to which what is asked for is rounded up, which therefore never is too much. */
  readonly decimals: number
  readonly deposits: readonly Pick<QualifyingDeposit, 'amount' | 'isConfirmed' | 'receivedAt'>[]
}

export interface Completion {
  /** When the deposit came that made the order whole, Unix ms; null if none did, or one that is not told. */
  readonly completedAt: number | null
  /** What is too much in the coin of each option. Atoms. */
  readonly excess: readonly bigint[]
  /** Whether part of it is not confirmed. */
  readonly isPending: boolean
}

interface Received {
  readonly option: number
  readonly atoms: bigint
  readonly isConfirmed: boolean
  /** Null for what is not told by itself, which is older than all that is. */
  readonly at: number | null
}

/** What was confirmed came first; else what was received first. */
export function completionOf(options: readonly PaidOption[]): Completion {
  const whole = options.reduce((product, { amount }) => product * amount, 1n)
  const excess = options.map(() => 0n)
  let completedAt: number | null = null
  let isPending = false
  let paid = 0n
  for (const { option, atoms, isConfirmed, at } of options.flatMap(receiptsOf).sort(bySettlement)) {
    const { amount = 0n, decimals = 0 } = options[option] ?? {}
    const before = paid
    paid += (atoms * whole) / amount
    if (paid < whole) continue
    if (before < whole) completedAt = at
    const unit = smallestUnit(decimals)
    const beyond = before < whole ? (((paid - whole) * amount) / whole / unit) * unit : atoms
    excess[option] = (excess[option] ?? 0n) + beyond
    isPending ||= beyond > 0n && !isConfirmed
  }
  return { completedAt, excess, isPending }
}

/** The deposits that are told, and what is left of each kind as one. */
function receiptsOf({ own, deposits }: PaidOption, option: number): readonly Received[] {
  let { confirmed, pending } = own
  const told = deposits.map(({ amount, isConfirmed, receivedAt }): Received => {
    const atoms = parseFormattedAmount(amount)
    if (isConfirmed) confirmed -= atoms
    else pending -= atoms
    return { option, atoms, isConfirmed, at: receivedAt }
  })
  const rest: readonly Received[] = [
    { option, atoms: confirmed, isConfirmed: true, at: null },
    { option, atoms: pending, isConfirmed: false, at: null },
  ]
  return [...told, ...rest.filter(({ atoms }) => atoms > 0n)]
}

function bySettlement(a: Received, b: Received): number {
  if (a.isConfirmed !== b.isConfirmed) return a.isConfirmed ? -1 : 1
  return (a.at ?? 0) - (b.at ?? 0)
}
