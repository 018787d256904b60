import {
  amountOf,
  type BillhookEvent,
  type ObservedAmount,
  type ReadableAmount,
  type ServiceInfo,
} from '@billhook/client'
import { sumOf } from '../invoices/units.js'

type Networks = Pick<ServiceInfo, 'networks'>
type Deposit = NonNullable<BillhookEvent['deposit']>

/** Its amount as people write it; null for a coin or a network that the service does not name. */
export function readable(deposit: ObservedAmount, info: Networks): ReadableAmount | null {
  try {
    return amountOf(deposit, info)
  } catch {
    // A network that has left the service, or a coin that no invoice is paid in.
    return null
  }
}

/** What tells a deposit from every other one. */
export function depositName({ network, txHash, index }: Deposit): string {
  return `${network} ${txHash} ${index}`
}

/** Whether an event tells of a deposit to an address. Networks that write addresses in two cases mean the same by both. */
export function isTo(event: BillhookEvent, network: string, address: string): boolean {
  const { deposit } = event
  return deposit?.network === network && deposit.toAddress.toLowerCase() === address.toLowerCase()
}

/** What the deposits of a log come to, by symbol: those whose last event says that they are confirmed. Newest first. */
export function confirmedSums(log: readonly BillhookEvent[], info: Networks): Readonly<Record<string, string>> {
  const seen = new Set<string>()
  const sums: Record<string, string> = {}
  for (const { type, deposit } of log) {
    if (deposit === null || seen.has(depositName(deposit))) continue
    seen.add(depositName(deposit))
    const amount = type === 'deposit.confirmed' ? readable(deposit, info) : null
    if (amount !== null) sums[amount.symbol] = sumOf(sums[amount.symbol] ?? '0', amount.value)
  }
  return sums
}
