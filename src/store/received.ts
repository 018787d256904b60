import type { Currency } from '../domain/amount.js'
import type { Deposit } from '../domain/deposit.js'
import type { Order, OrderOption } from '../domain/order.js'

/** A deposit with what it was for, as an accountant asks. */
export interface ReceivedDeposit {
  readonly deposit: Deposit
  /** The currency as which it was counted; null for none. */
  readonly countedAs: Currency | null
  readonly atoms: bigint
  /** The invoice that it is matched to; null for none. */
  readonly invoice: ReceivedFor | null
  /** Whether that invoice had become void before. */
  readonly isLate: boolean
  /** The wallet that has its address, with its present owner; null while none is known. */
  readonly wallet: ReceivedOn | null
}

/** An invoice that a deposit is matched to. */
export interface ReceivedFor {
  readonly id: string
  readonly owner: string
  readonly reference: string | null
  readonly orderNumber: string | null
  /** The order that it is an option of, and the option; null for none. */
  readonly order: { readonly order: Order; readonly option: OrderOption } | null
}

export interface ReceivedOn {
  readonly id: string
  readonly owner: string | null
  /** Since when, Unix ms. */
  readonly assignedAt: number | null
}
