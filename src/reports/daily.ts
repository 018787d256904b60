import { formatAmount } from '../domain/amount.js'
import { roundedValueText, type Value, valueText } from '../domain/order-value.js'
import type { Receipt } from './received.js'

/** What was received on each day: a line for each network, coin and currency of prices. */
export const DAILY_FIELDS = [
  ...['day', 'network', 'coin', 'deposits', 'amount', 'currency', 'value', 'value_exact'],
] as const

/** Deposits that are added up. */
interface Group {
  readonly day: string
  readonly network: string
  readonly coin: string
  /** The currency of their prices; null where there is none, so that nothing says what they are worth. */
  readonly currency: string | null
  deposits: number
  atoms: bigint
  value: Value
}

/** Adds up receipts, exactly. It holds one group for each line of its report. */
export class DailySums {
  private readonly groups = new Map<string, Group>()

  add({ received, at, coin, worth }: Receipt): void {
    const { network } = received.deposit
    const currency = worth?.currency ?? null
    const name = JSON.stringify([at.day, network, coin, currency])
    const known = this.groups.get(name)
    const group = known ?? { day: at.day, network, coin, currency, deposits: 0, atoms: 0n, value: 0n }
    if (known === undefined) this.groups.set(name, group)
    group.deposits += 1
    group.atoms += received.atoms
    group.value += worth?.value ?? 0n
  }

  /** Day by day. */
  lines() {
    return [...this.groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => dailyLine(group))
  }
}

function dailyLine({ day, network, coin, currency, deposits, atoms, value }: Group) {
  return {
    day,
    network,
    coin,
    deposits,
    amount: formatAmount(atoms),
    currency,
    value: currency === null ? null : roundedValueText(value, currency),
    value_exact: currency === null ? null : valueText(value),
  } satisfies Record<(typeof DAILY_FIELDS)[number], string | number | null>
}
